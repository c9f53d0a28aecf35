package sonic

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"uelink/lab/e2e/bed"
	"uelink/sonic"
)

// TestServiceUnderTheRestrictionsOfItsUnit: uelink sonic does all its work by deploy/uelink-sonic.service, also what
// needs a capability.
func TestServiceUnderTheRestrictionsOfItsUnit(t *testing.T) {
	t.Parallel()
	p, s := linked(t)
	// Redis and uelinkd give their groups access to their sockets; the test gives it to everybody.
	bed.Must(t, errors.Join(os.Chmod(s.Socket, 0o777), os.Chmod(p.A.Socket, 0o777)))
	const redisSocket = "/run/redis/redis.sock"
	config := filepath.Join(t.TempDir(), "sonic.yaml")
	writeFile(t, config, "redis: {socket: "+redisSocket+"}\nports: [{name: Ethernet0, port: link0}]\n")
	m := bed.Boot(t, p.A.NS, bed.MachineFiles{
		Unit:    "../../../deploy/uelink-sonic.service",
		Copied:  map[string]string{"/usr/local/bin/uelink": bed.Program("uelink"), "/etc/uelink/sonic.yaml": config},
		Sockets: map[string]string{redisSocket: s.Socket, "/run/uelink/uelink.sock": p.A.Socket},
	})
	s.load()
	p.Advance()
	s.agrees(t, p.A)
	s.hasField(sonic.StateDB, "PORT_TABLE|Ethernet0", "mtu", "1600")
	m.Stop("uelink-sonic")
	s.becomes(sonic.StateDB, "LLR_PORT_STATE|Ethernet0", pairs())
}

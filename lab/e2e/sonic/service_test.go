package sonic

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
	"uelink/lab/e2e/unit"
	"uelink/sonic"
)

// TestServiceUnderTheRestrictionsOfItsUnit: uelink sonic does all its work by deploy/uelink-sonic.service, also what
// needs a capability.
func TestServiceUnderTheRestrictionsOfItsUnit(t *testing.T) {
	t.Parallel()
	u, err := unit.Load("../../../deploy/uelink-sonic.service")
	if errors.Is(err, unit.ErrMissing) {
		nstest.Missing(t, err.Error())
	}
	bed.Must(t, err)
	p, s := linked(t)
	// Redis and uelinkd give their groups access to their sockets; the test gives it to everybody.
	bed.Must(t, errors.Join(os.Chmod(s.Socket, 0o777), os.Chmod(p.A.Socket, 0o777)))
	const redisSocket, daemonSocket = "/run/redis/redis.sock", "/run/uelink/uelink.sock"
	config := filepath.Join(t.TempDir(), "sonic.yaml")
	writeFile(t, config, "redis: {socket: "+redisSocket+"}\nports: [{name: Ethernet0, port: link0}]\n")
	cmd, err := u.Command(unit.Machine{Dir: t.TempDir(), Notify: p.A.Notify.LocalAddr().String(), Files: map[string]string{
		"/usr/bin/uelink": bed.Program("uelink"), "/etc/uelink/sonic.yaml": config, redisSocket: s.Socket,
		daemonSocket: p.A.Socket,
	}}, u.Start)
	bed.Must(t, err)
	j := joined{bed.Start(t, p.A.NS, "uelink sonic", cmd)}
	s.load()
	p.Advance()
	s.agrees(t, p.A)
	s.has(sonic.StateDB, "PORT_TABLE|Ethernet0", "mtu", "1600")
	if code := j.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	s.becomes(sonic.StateDB, "LLR_PORT_STATE|Ethernet0", pairs())
}

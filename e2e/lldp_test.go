package e2e

import (
	"encoding/binary"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/netns"
	"uelink/wire"
)

func TestLLDPGoesToTheKernelAndNeverAcross(t *testing.T) {
	top := direct(t)
	top.daemons(settings{})
	lldp := append([]byte{0x01, 0x80, 0xC2, 0, 0, 0x0E}, probe(9, 100)[wire.AddrLen:]...)
	binary.BigEndian.PutUint16(lldp[2*wire.AddrLen:], wire.EtherTypeLLDP)
	for _, c := range []struct {
		name         string
		from         *netns.NS
		fromIf, toIf string
		to, host     *netns.NS // where it comes out, and must not
	}{
		{"from the link", top.B, "link0", "link0", top.A, top.hostA},
		{"from the host", top.hostA, "eth0", "edge0", top.A, top.hostB},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, to := open(t, c.from, c.fromIf, probeType), open(t, c.to, c.toIf, wire.EtherTypeLLDP)
			host := open(t, c.host, "eth0", unix.ETH_P_ALL)
			from.send(lldp)
			to.await("the LLDP frame in the daemon's namespace", func(f []byte) bool { return string(f) == string(lldp) })
			other := top.hostB
			if c.host == other {
				other = top.hostA
			}
			open(t, other, "eth0", probeType).send(probe(1, 100)) // what passed before it has arrived before it
			if f := host.await("a probe", func([]byte) bool { return true }); string(f) != string(probe(1, 100)) {
				t.Errorf("the host got % x", f)
			}
		})
	}
}

package lldp

import (
	"encoding/binary"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
	"uelink/wire"
)

func TestLLDPGoesToTheKernelAndNeverAcross(t *testing.T) {
	top := bed.Direct(t)
	top.Daemons(bed.Settings{})
	lldp := append([]byte{0x01, 0x80, 0xC2, 0, 0, 0x0E}, bed.Probe(9, 100)[wire.AddrLen:]...)
	binary.BigEndian.PutUint16(lldp[2*wire.AddrLen:], wire.EtherTypeLLDP)
	for _, c := range []struct {
		name         string
		from         *netns.NS
		fromIf, toIf string
		to, host     *netns.NS // where it comes out, and must not
	}{
		{"from the link", top.B, "link0", "link0", top.A, top.HostA},
		{"from the host", top.HostA, "eth0", "edge0", top.A, top.HostB},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, to := bed.Open(t, c.from, c.fromIf, bed.ProbeType), bed.Open(t, c.to, c.toIf, wire.EtherTypeLLDP)
			host := bed.Open(t, c.host, "eth0", unix.ETH_P_ALL)
			from.Send(lldp)
			to.Await("the LLDP frame in the daemon's namespace", func(f []byte) bool { return string(f) == string(lldp) })
			other := top.HostB
			if c.host == other {
				other = top.HostA
			}
			bed.Open(t, other, "eth0", bed.ProbeType).Send(bed.Probe(1, 100)) // what passed before it has arrived before it
			if f := host.Await("a probe", func([]byte) bool { return true }); string(f) != string(bed.Probe(1, 100)) {
				t.Errorf("the host got % x", f)
			}
		})
	}
}

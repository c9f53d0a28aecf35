package limits

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// pdelay is a Pdelay_Req of IEEE 802.1AS, whose destination is that of control frames.
func pdelay(number uint32) []byte {
	f := as(0x88F7, bed.Probe(number, 100))
	copy(f, wire.ControlDA[:])
	return spoilt(f, wire.HeaderLen, 0x12, 0x02, 0, 54)
}

// Frames of IEEE 802.1AS have the address of control frames. They cross whether LLR is off or on.
func TestTimeSynchronisationOfHostsCrosses(t *testing.T) {
	top := bed.Direct(t)
	for _, llr := range []string{`mode: "off"`, "mode: static, local: true, remote: true"} {
		a, b := bed.NewDaemon(t, top.A, "A", bed.Settings{LLR: llr}), bed.NewDaemon(t, top.B, "B", bed.Settings{LLR: llr})
		a.Start()
		b.Start()
		b.OperStatus("link0", "up")
		if llr != `mode: "off"` {
			bed.Pair{A: a, B: b}.Advance()
		}
		hostA, hostB := bed.Open(t, top.HostA, "eth0", unix.ETH_P_ALL), bed.Open(t, top.HostB, "eth0", unix.ETH_P_ALL)
		for i, from := range []*bed.Packets{hostA, hostB} {
			to := []*bed.Packets{hostB, hostA}[i]
			for _, f := range [][]byte{pdelay(1), tagged(pdelay(2))} {
				from.Send(f)
				to.Await("a frame of 802.1AS", func(got []byte) bool { return slices.Equal(got, f) })
			}
		}
		a.Terminate()
		b.Terminate()
	}
}

// A device that is no uelink, at the end of a link that waits for its partner, is heard by the host, too.
func TestTimeSynchronisationOfAPlainDeviceArrives(t *testing.T) {
	top := bed.Direct(t)
	a := bed.NewDaemon(t, top.A, "A", bed.Settings{})
	a.Start()
	a.OperStatus("link0", "up")
	plain, hostA := bed.Open(t, top.B, "link0", unix.ETH_P_ALL), bed.Open(t, top.HostA, "eth0", unix.ETH_P_ALL)
	plain.Send(tagged(ctl()))
	plain.Send(signed(as(0x9999, ctl())))
	plain.Send(pdelay(1))
	hostA.Await("the frame of 802.1AS, and no control frame before it", func(got []byte) bool {
		if wire.MAC(got) == wire.ControlDA && wire.EtherType(got) != 0x88F7 {
			t.Errorf("the host got % x", got)
		}
		return slices.Equal(got, pdelay(1))
	})
	if c := a.Port("link0").Counters; c.RxNativeDropped != 1 || c.RxOtherEtherType != 1 || c.RxNative == 0 {
		t.Errorf("dropped %d, other EtherType %d, taken %d", c.RxNativeDropped, c.RxOtherEtherType, c.RxNative)
	}
}

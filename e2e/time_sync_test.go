package e2e

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/wire"
)

// pdelay is a Pdelay_Req of IEEE 802.1AS, whose destination is that of control frames.
func pdelay(number uint32) []byte {
	f := as(0x88F7, probe(number, 100))
	copy(f, wire.ControlDA[:])
	return spoilt(f, wire.HeaderLen, 0x12, 0x02, 0, 54)
}

// Frames of IEEE 802.1AS have the address of control frames. They cross whether LLR is off or on.
func TestTimeSynchronisationOfHostsCrosses(t *testing.T) {
	top := direct(t)
	for _, llr := range []string{`mode: "off"`, "mode: static, local: true, remote: true"} {
		a, b := newDaemon(t, top.A, "A", settings{llr: llr}), newDaemon(t, top.B, "B", settings{llr: llr})
		a.start()
		b.start()
		b.operStatus("link0", "up")
		if llr != `mode: "off"` {
			pair{a, b}.advance()
		}
		hostA, hostB := open(t, top.hostA, "eth0", unix.ETH_P_ALL), open(t, top.hostB, "eth0", unix.ETH_P_ALL)
		for i, from := range []*packets{hostA, hostB} {
			to := []*packets{hostB, hostA}[i]
			for _, f := range [][]byte{pdelay(1), tagged(pdelay(2))} {
				from.send(f)
				to.await("a frame of 802.1AS", func(got []byte) bool { return slices.Equal(got, f) })
			}
		}
		a.terminate()
		b.terminate()
	}
}

// A device that is no uelink, at the end of a link that waits for its partner, is heard by the host, too.
func TestTimeSynchronisationOfAPlainDeviceArrives(t *testing.T) {
	top := direct(t)
	a := newDaemon(t, top.A, "A", settings{})
	a.start()
	a.operStatus("link0", "up")
	plain, hostA := open(t, top.B, "link0", unix.ETH_P_ALL), open(t, top.hostA, "eth0", unix.ETH_P_ALL)
	plain.send(tagged(ctl()))
	plain.send(signed(as(0x9999, ctl())))
	plain.send(pdelay(1))
	hostA.await("the frame of 802.1AS, and no control frame before it", func(got []byte) bool {
		if wire.MAC(got) == wire.ControlDA && wire.EtherType(got) != 0x88F7 {
			t.Errorf("the host got % x", got)
		}
		return slices.Equal(got, pdelay(1))
	})
	if c := a.port("link0").Counters; c.RxNativeDropped != 1 || c.RxOtherEtherType != 1 || c.RxNative == 0 {
		t.Errorf("dropped %d, other EtherType %d, taken %d", c.RxNativeDropped, c.RxOtherEtherType, c.RxNative)
	}
}

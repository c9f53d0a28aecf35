package cbfc

import (
	"testing"

	"uelink/wire"
)

// TestCFUpdateSaysRVCCF is UE-LINK §4.1: "Credit counts represent R_VC_CF counter values", of which 15 bits travel, and
// "Receiver uses credits to control sender transmission".
func TestCFUpdateSaysRVCCF(t *testing.T) {
	for _, at := range []uint32{0, 1<<15 - 8, 1<<20 - 8} {
		p := started(t, settingsOf(1<<3|1<<30, 24))
		for _, vc := range []uint8{3, 30} {
			s, r := &p.a.Tx.vc[vc], &p.b.Rx.vc[vc]
			s.cc, s.cf, r.cc, r.cf, r.reported = at, at, at, at, at
			p.fill(vc, 60)
			if _, gate := p.a.Tx.Gate(vc, 60); gate != Shut {
				t.Fatalf("VC %d: the gate is %v with all credits used", vc, gate)
			}
			p.b.Rx.Free(vc, 9)
		}
		list := p.b.say(p.now)
		want := wire.CtlOS{Type: wire.CFUpdate, CF: [2]wire.Credit{
			{VC: 3, Count: uint16(at+9) & 0x7FFF}, {VC: 30, Count: uint16(at+9) & 0x7FFF}}}
		if len(list) != 1 || list[0] != want {
			t.Errorf("R_CF is %d: it says %+v", (at+9)&0xFFFFF, list)
		}
		p.a.ReceivedControl(list, &p.a.env, p.now)
		for _, vc := range []uint8{3, 30} {
			if n := len(p.fill(vc, 60)); n != 9 {
				t.Errorf("VC %d: 9 credits came back, %d frames of one credit left", vc, n)
			}
		}
	}
}

// TestCCUpdatesAreFewerThanCFUpdates is UE-LINK §4.2, "Sent less frequently than CF_Update": of a stream of
// which the receiver always holds the last frame.
func TestCCUpdatesAreFewerThanCFUpdates(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	p.b.env.Idle = false
	updates, counts, held := 0, 0, 0
	for range 10_000 { // one frame in 100 us
		p.now += ms / 10
		p.b.env.Octets += 1514
		p.b.Rx.Free(0, held)
		held, _ = p.send(0, 1514)
		updates += p.b.cfs(p.now)
		p.a.ReceivedControl(p.b.sent, &p.a.env, p.now)
		p.b.sent = nil
		if p.a.Tx.CCDue(p.now) {
			p.update(wire.DialectSeed)
			counts++
		}
	}
	if counts < 90 || counts > 100 || updates < 10*counts {
		t.Errorf("%d CF_Updates, %d CC_Updates in a second, with a CC timer of 10 ms", updates, counts)
	}
}

package simulated

import (
	"encoding/binary"
	"hash/fnv"
	"testing"
	"time"

	"uelink/dataplane/fault"
	"uelink/dataplane/model"
	"uelink/hippi"
	"uelink/llr"
	"uelink/wire"
)

// overHIPPI is two ends whose link speaks HIPPI-6400-PH, over a wire with a rate.
func overHIPPI() Options {
	o := Defaults()
	p := hippi.Software()
	p.SULAAllowed = true
	o.Link = model.PortSettings{Name: "link0", Role: model.RoleLink, Protocol: model.HIPPI6400, FCS: true,
		EtherTypeData: wire.EtherTypeData, EtherTypeControl: wire.EtherTypeControl,
		HIPPI: model.HIPPISettings{Profile: p}}
	o.Wire = fault.Config{RateBPS: 1e9, Delay: 5 * time.Microsecond}
	return o
}

// A link that speaks HIPPI-6400-PH carries frames both ways over wires that lose frames, one more than the other,
// and a stream never has more frames under way than its window.
func TestHIPPILink(t *testing.T) {
	b := New(overHIPPI())
	if !b.Establish() || b.A.Link().HIPPI == nil || !b.A.Link().HIPPI.Ready {
		t.Fatalf("the link carries no frames: %+v", b.A.Link().HIPPI)
	}
	b.SetWire(b.A, fault.Config{Loss: 0.001})
	b.SetWire(b.B, fault.Config{Loss: 0.05})
	forth := &Stream{From: b.A, To: b.B, Frames: 3000, Size: 400, Window: 20}
	back := &Stream{ID: 1, From: b.B, To: b.A, Frames: 3000, Size: 1500, Window: 20}
	b.Begin(forth, back)
	for most := b.Now().Add(10 * time.Second); forth.Delivered+back.Delivered < 6000 && b.Now() < most; {
		b.Run(5*time.Microsecond, forth, back)
		if forth.Lost() > 20 || back.Lost() > 20 {
			t.Fatalf("%d and %d frames are under way, want 20 at most", forth.Lost(), back.Lost())
		}
	}
	for _, s := range []*Stream{forth, back} {
		if s.Delivered != s.Frames || s.Duplicated+s.Reordered+s.Damaged != 0 {
			t.Errorf("%d of %d frames, twice %d, out of order %d, damaged %d", s.Delivered, s.Frames, s.Duplicated, s.Reordered,
				s.Damaged)
		}
	}
	if a, b := b.A.Link().HIPPI, b.B.Link().HIPPI; a.Events.RetryCount <= b.Events.RetryCount {
		t.Errorf("%d retransmissions at A, whose wire loses more, and %d at B", a.Events.RetryCount, b.Events.RetryCount)
	}
	if !b.WaitIdle() {
		t.Error("the link does not come to rest")
	}
}

// LLR's kind of replay is nothing to a link that speaks HIPPI-6400-PH: the frames on its wires are the same, octet by
// octet and at the same times.
func TestKindOfReplayDoesNotTouchHIPPI(t *testing.T) {
	octets := func(kind llr.ReplayKind) (sum uint64, frames int) {
		o := overHIPPI()
		o.Profile.Replay = kind
		b := New(o)
		hash := fnv.New64a()
		for _, e := range []*End{b.A, b.B} {
			e.SetScript(func(f []byte) bool {
				hash.Write(binary.BigEndian.AppendUint64(nil, uint64(b.Now())))
				hash.Write(f)
				frames++
				return frames%97 != 0
			})
		}
		if !b.Establish() {
			t.Fatal("the link carries no frames")
		}
		forth := &Stream{From: b.A, To: b.B, Frames: 1000, Size: 400, Window: 20}
		b.Carry(forth)
		whole(t, forth)
		return hash.Sum64(), frames
	}
	sum, frames := octets(llr.GoBackN)
	for _, kind := range []llr.ReplayKind{llr.Auto, llr.Selective} {
		if s, n := octets(kind); s != sum || n != frames || n < 200 {
			t.Errorf("%v: %d frames with the sum %x, by go-back-N %d with %x", kind, n, s, frames, sum)
		}
	}
}

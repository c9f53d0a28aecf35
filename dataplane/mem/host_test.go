package mem

import (
	"testing"

	"uelink/dataplane/frame"
)

func TestHostExchangesFrames(t *testing.T) {
	a, b := NewPair(small, small, 8)
	x, y := NewHost(a), NewHost(b)
	if y.Recv() != nil {
		t.Fatal("a frame came from nowhere")
	}
	for i := range byte(100) {
		if !x.Send([]byte{i, i}) || !x.Send([]byte{i}) {
			t.Fatalf("frame %d was not sent", i)
		}
		if y.Pending() != 2 {
			t.Fatalf("%d frames pending", y.Pending())
		}
		if got := y.Recv(); len(got) != 2 || got[0] != i {
			t.Fatalf("frame %d came as % x", i, got)
		}
		if got := y.Recv(); len(got) != 1 || got[0] != i {
			t.Fatalf("frame %d came as % x", i, got)
		}
		if y.Recv() != nil {
			t.Fatal("a frame came twice")
		}
	}
}

func TestHostSendSaysWhenItCannot(t *testing.T) {
	a, b := NewPair(small, frame.Geometry{ChunkSize: 2048, RX: 2, TX: 0}, 8)
	host := NewHost(a)
	for i, want := range []bool{true, true, false} {
		if got := host.Send([]byte{1}); got != want {
			t.Errorf("Send %d: %v", i, got)
		}
	}
	if host.Send(nil) || host.Send(make([]byte, 2048)) {
		t.Error("an impossible frame was sent")
	}
	NewHost(b).Recv()
	for _, d := range []*Device{a, b} {
		d.SetUp(false)
		if host.Send([]byte{1}) {
			t.Error("a frame was sent over a wire that is down")
		}
		d.SetUp(true)
	}
	if got, _ := b.Stats(); got != (frame.Stats{}) {
		t.Errorf("what was not sent was counted: %+v", got)
	}
}

package llr

import (
	"testing"
	"time"

	"uelink/wire"
)

// The window of SAI-LLR: OUTSTANDING_FRAMES_MAX "Max unacknowledged frames",
// OUTSTANDING_BYTES_MAX "Max unacknowledged bytes".
func TestWindow(t *testing.T) {
	for _, c := range []struct {
		name          string
		frames        int
		octets        int64
		length, admit int
	}{
		{"by frames", 3, 1 << 20, 100, 3},
		{"by octets", 16, 350, 100, 3},
		{"by octets, to the last", 16, 300, 100, 3},
		{"a frame larger than it", 16, 300, 1000, 1},
		{"of one", 1, 1, 60, 1},
		{"of less than a frame is one", -1, 1000, 60, 1},
	} {
		p := profile()
		p.MaxOutstandingFrames, p.MaxOutstandingBytes = c.frames, c.octets
		tx := advanced(t, p)
		n := 0
		for ; tx.Admit(c.length) == Sequence && n < 100; n++ {
			tx.Push(uint32(n), c.length, false, 0)
		}
		if n != c.admit {
			t.Errorf("%s: %d admitted, want %d", c.name, n, c.admit)
		}
		if v := tx.Admit(c.length); v != Wait {
			t.Errorf("%s: then %v", c.name, v)
		}
		tx.receivedAck(100, 0)
		tx.Free()
		if v := tx.Admit(c.length); v != Sequence {
			t.Errorf("%s: after an LLR_ACK %v", c.name, v)
		}
	}
}

func TestWindowWaitsForSlotsThatWereNotGivenBack(t *testing.T) {
	p := profile()
	p.MaxOutstandingFrames = 4
	tx := advanced(t, p)
	push(t, tx, 4, 0)
	tx.receivedAck(103, 0)
	if v := tx.Admit(100); v != Wait {
		t.Fatalf("%v, though four slots wait to be freed", v)
	}
	tx.Free()
	if v := tx.Admit(100); v != Sequence {
		t.Fatalf("%v", v)
	}
}

func TestProfileCanChangeAtAnyTime(t *testing.T) {
	p := profile()
	p.MaxOutstandingFrames = 4
	tx := advanced(t, p)
	for i := range uint32(50) { // the ring has gone round
		tx.Push(i, 100, false, 0)
		tx.receivedAck(100+i, 0)
		tx.Free()
	}
	push(t, tx, 4, 0)
	tx.receivedAck(151, 0) // two slots wait to be given back
	p.MaxOutstandingFrames = 100
	tx.SetProfile(p)
	for slot := range uint32(10) {
		if v := tx.Admit(100); v != Sequence {
			t.Fatalf("%v in a larger window", v)
		}
		tx.Push(4+slot, 100, false, 0)
	}
	p.MaxOutstandingFrames, p.MaxReplayTimer = 2, time.Second
	tx.SetProfile(p)
	if v := tx.Admit(100); v != Wait {
		t.Errorf("%v in a smaller window", v)
	}
	if d := tx.deadline(); d != wire.Time(time.Second) {
		t.Errorf("deadline %d", d)
	}
	tx.receivedAck(162, 0)
	wantSlots(t, "freed", freed(tx), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
	if v := tx.Admit(100); v != Sequence {
		t.Errorf("%v below the smaller window", v)
	}
}

func TestPushWithoutRoomPanics(t *testing.T) {
	p := profile()
	p.MaxOutstandingFrames = 2
	tx := advanced(t, p)
	push(t, tx, 2, 0)
	defer func() {
		if recover() == nil {
			t.Error("a frame replaced another in the buffer")
		}
	}()
	tx.Push(2, 100, false, 0)
}

package llr

import (
	"testing"
	"time"

	"uelink/internal/snapshot/snapshottest"
	"uelink/wire"
)

// fill sends frames of length octets until the window is full, and returns how many.
func fill(t *testing.T, l *Link, length int, now wire.Time) (frames int) {
	t.Helper()
	for l.Tx.Admit(length) == Sequence {
		l.Tx.Push(uint32(frames), length, false, now)
		if frames++; frames > MaxOutstandingFrames {
			t.Fatal("the window is never full")
		}
	}
	return frames
}

// A loop of 1 ms at 10 Gb/s has 14,880 frames of 60 octets, or 820 of 1500.
func TestRoomIsWantedForTheFramesOfALoop(t *testing.T) {
	for _, c := range []struct {
		name   string
		loop   time.Duration
		length int
		want   int
	}{
		{"frames of the smallest size", time.Millisecond, 60, 32768},
		{"of 512 octets", time.Millisecond, 512, 8192},
		{"of 1500 octets, for which there is room", time.Millisecond, 1500, 0},
		{"no more than the most", time.Second, 60, AutoReplaySlotsMost},
		{"a short loop", 20 * time.Microsecond, 60, 0},
	} {
		l := handshaken(auto(), c.loop)
		l.Tx.limits.octets = 1 << 40
		if n := l.Tx.RoomWanted(); n != 0 {
			t.Errorf("%s: %d wanted by an empty window", c.name, n)
		}
		fill(t, l, c.length, wire.Time(c.loop))
		if n := l.Tx.RoomWanted(); n != c.want {
			t.Errorf("%s: %d wanted, want %d", c.name, n, c.want)
		}
		if n := l.Tx.RoomWanted(); n != 0 {
			t.Errorf("%s: %d wanted, and no frame has waited since the last call", c.name, n)
		}
	}
}

func TestRoomIsUsedAtOnceAndKept(t *testing.T) {
	l := handshaken(auto(), 4*time.Millisecond)
	l.Tx.limits.octets = 1 << 40
	if n := fill(t, l, 100, 4_000_000); n != AutoReplaySlots {
		t.Fatalf("%d frames in the window", n)
	}
	l.Tx.SetRoom(8192)
	wantLimits(t, l, 8192, 16_100*time.Microsecond)
	if n := fill(t, l, 100, 4_000_000); n != 8192-AutoReplaySlots {
		t.Errorf("%d frames more", n)
	}
	l.Tx.SetRoom(4096)
	l.SetProfile(auto())
	wantLimits(t, l, 8192, 16_100*time.Microsecond)
	l.Tx.SetRoom(2 * MaxOutstandingFrames)
	if n, _ := l.Tx.Limits(); n > MaxOutstandingFrames {
		t.Errorf("%d frames in force", n)
	}
}

// The room is no reason to exceed the window that follows from the loop time, or from the profile.
func TestRoomAloneIsNoWindow(t *testing.T) {
	l := handshaken(auto(), 5*time.Microsecond)
	l.Tx.SetRoom(8192)
	wantLimits(t, l, 183, 120*time.Microsecond)
	p := auto()
	p.MaxOutstandingFrames = 16
	l = handshaken(p, time.Millisecond)
	l.Tx.SetRoom(8192)
	wantLimits(t, l, 16, 4100*time.Microsecond)
	fill(t, l, 100, 1_000_000)
	if n := l.Tx.RoomWanted(); n != 0 {
		t.Errorf("%d wanted by a window of the profile", n)
	}
}

// A partner that keeps fewer frames in selective replay bounds the window, so more room would be in vain.
func TestRoomBeyondWhatThePartnerKeepsIsNotWanted(t *testing.T) {
	for _, c := range []struct {
		log  uint8
		want int
	}{{11, 0}, {12, 4096}, {18, 32768}} {
		p := auto()
		p.Replay = Auto
		l := handshaken(p, time.Millisecond)
		l.partnerKeeps(c.log)
		l.Tx.sel.start(&l.Tx.profile, &l.Tx.window)
		l.Tx.limits.octets = 1 << 40
		fill(t, l, 60, 1_000_000)
		if n := l.Tx.RoomWanted(); n != c.want {
			t.Errorf("the partner keeps 2^%d frames: room for %d is wanted, want %d", c.log, n, c.want)
		}
	}
}

// However large the window is, a partner that acknowledges nothing fills it.
func TestPartnerThatStandsStillIsNoReasonForRoom(t *testing.T) {
	for name, stop := range map[string]func(l *Link, now wire.Time){
		"it says that it is busy": func(l *Link, now wire.Time) { l.Tx.partnerBusy(true, now) },
		"replays bring no progress": func(l *Link, now wire.Time) {
			l.Poll(now.Add(20*time.Millisecond), true, nil)
			for l.Tx.Replaying() {
				l.Tx.Replay()
			}
		},
	} {
		l := handshaken(auto(), 4*time.Millisecond)
		l.Tx.limits.octets = 1 << 40
		fill(t, l, 100, 4_000_000)
		l.Tx.RoomWanted()
		stop(l, 4_000_000)
		l.Tx.Admit(100)
		if n := l.Tx.RoomWanted(); n != 0 {
			t.Errorf("%s: %d wanted", name, n)
		}
	}
}

// Room survives in a successor, also in an older one, which has no field for it.
func TestRoomIsSavedWithTheFrames(t *testing.T) {
	l := handshaken(auto(), 4*time.Millisecond)
	l.Tx.SetRoom(8192)
	fresh := NewLink(auto(), 0, testNonce)
	if err := snapshottest.Renew(l, fresh); err != nil {
		t.Fatal(err)
	}
	wantLimits(t, fresh, 8192, 16_100*time.Microsecond)
	fresh.SetProfile(auto())
	wantLimits(t, fresh, 8192, 16_100*time.Microsecond)
}

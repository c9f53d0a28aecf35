package store

import (
	"fmt"
	"math"
	"testing"
	"time"

	"uelink/lab/simulated"
	"uelink/llr"
	"uelink/sai"
	"uelink/wire"
)

// plain changes no option of a world.
func plain(*simulated.Options) {}

// mute drops the control frames that arrive at an end: no acknowledgement comes.
func mute(f []byte) bool { return wire.EtherType(f) != wire.EtherTypeControl }

// stream returns n frames of 1000 octets with FCS from A to B at 10 Gb/s.
func (w *world) stream(n uint64) *simulated.Stream {
	return &simulated.Stream{ID: 1, From: w.A, To: w.B, Frames: n, Size: 1000, Interval: 800}
}

// unanswered returns a world in which A has sent n frames under an LLR profile and hears no acknowledgement.
func unanswered(t *testing.T, n uint64, profile ...sai.Set) (*world, sai.OID) {
	t.Helper()
	w := newWorld(t, plain)
	of := w.a.enable(profile...)
	w.b.enable()
	w.runs()
	w.A.SetScript(mute)
	s := w.stream(n)
	w.Begin(s)
	w.Run(time.Duration(n+1)*time.Microsecond, s)
	return w, of
}

func forever() []sai.Set {
	return []sai.Set{attr(llrCount, number(255)), attr(llrTimer, number(1<<31))}
}

// TestOutstandingLimitsAct: no more frames and octets are sent than may be outstanding.
func TestOutstandingLimitsAct(t *testing.T) {
	for _, c := range []struct {
		frames, octets int64
		want           uint64
	}{{4, 1 << 20, 4}, {9, 1 << 20, 9}, {100, 3000, 3}, {100, 5000, 5}} {
		w, _ := unanswered(t, 30,
			append(forever(), attr(llrFrames, number(c.frames)), attr(llrBytes, number(c.octets)))...)
		if n := w.a.stat(w.a.link, "LLR_TX_OK"); n != c.want {
			t.Errorf("OUTSTANDING_FRAMES_MAX %d, OUTSTANDING_BYTES_MAX %d: %d frames were sent, want %d", c.frames,
				c.octets, n,
				c.want)
		}
	}
}

// within demands that a time on the virtual clock is that of an attribute: until looks after the frames were sent, and
// once a millisecond while nothing is due.
func within(t *testing.T, what string, is, want time.Duration) {
	t.Helper()
	if is < want-10*time.Microsecond || is > want+time.Millisecond {
		t.Errorf("%s after %v, want %v", what, is, want)
	}
}

// TestReplayTimerActs: the first replay comes after REPLAY_TIMER_MAX, also after a change of the running profile.
func TestReplayTimerActs(t *testing.T) {
	for _, timer := range []time.Duration{3 * time.Millisecond, 40 * time.Millisecond} {
		w, profile := unanswered(t, 1, attr(llrCount, number(255)), attr(llrTimer, number(int64(timer))))
		replayed := func(n uint64) func() bool {
			return func() bool { return w.a.stat(w.a.link, "LLR_TX_REPLAY") >= n }
		}
		within(t, "a replay", w.until("a replay", replayed(1)), timer)
		within(t, "the next one", w.until("a replay", replayed(2)), timer)
		w.a.set(profile, llrTimer, number(int64(timer/2)))
		within(t, "one by half the timer", w.until("a replay", replayed(3)), timer/2)
	}
}

// TestReplayTimerFloorActs: a timer for hardware is 8 loop times in force, unless the client wants exact timers.
func TestReplayTimerFloorActs(t *testing.T) {
	w := newWorld(t, plain)
	profile := w.a.make(sai.TypeLLRProfile, append(mandatory(), attr(llrTimer, number(100)))...)
	w.a.enable()
	w.a.set(w.a.link, portLLRProfile, sai.Value{OID: profile})
	w.b.enable()
	w.runs()
	w.Carry(w.stream(50))
	is := w.A.Link().LLR
	if is.MaxReplayTimer < 8*time.Duration(is.LoopTime.Min) || w.a.get(profile, llrTimer).Number != 100 {
		t.Errorf("the replay timer is %v, the loop %+v", is.MaxReplayTimer, is.LoopTime)
	}
	exact := w.a.enable(attr(llrTimer, number(100)))
	if is := w.A.Link().LLR; is.MaxReplayTimer != 100 || is.Profile != exact.String() {
		t.Errorf("an exact timer is %v in force", is.MaxReplayTimer)
	}
}

// TestReplayCountActs: after REPLAY_COUNT_MAX replays without progress comes FLUSH, whose frames are given up.
func TestReplayCountActs(t *testing.T) {
	for _, count := range []int64{1, 3, 20} {
		w, _ := unanswered(t, 2, attr(llrCount, number(count)), attr(llrTimer, number(1_000_000)))
		w.until("FLUSH", w.flushes)
		if n := w.a.stat(w.a.link, "LLR_TX_REPLAY"); n != uint64(count) {
			t.Errorf("REPLAY_COUNT_MAX %d: FLUSH after %d replays", count, n)
		}
		if n := w.a.get(w.a.link, 0xb4).Number; n != portErrorFlush {
			t.Errorf("SAI_PORT_ATTR_ERROR_STATUS is %d", n)
		}
	}
}

// TestDataAgeActs: a frame that waits for its acknowledgement for DATA_AGE_TIMEOUT is a FLUSH; 0 is never.
func TestDataAgeActs(t *testing.T) {
	w, _ := unanswered(t, 1, append(forever(), attr(llrDataAge, number(5_000_000)))...)
	within(t, "FLUSH", w.until("FLUSH", w.flushes), 5*time.Millisecond)
	if why := w.A.Link().LLR.FlushReason; why != llr.FlushReasons()[2] {
		t.Errorf("FLUSH because: %s", why)
	}
	old, profile := unanswered(t, 1, forever()...)
	old.Run(time.Second)
	if old.flushes() {
		t.Error("FLUSH without a DATA_AGE_TIMEOUT")
	}
	old.a.set(profile, llrDataAge, number(2_000_000_000))
	within(t, "FLUSH", old.until("FLUSH", old.flushes), time.Second)
}

// TestPCSLostActs: a carrier that is away for PCS_LOST_TIMEOUT is a FLUSH, in which frames are discarded; 0 is never,
// and frames go on with the carrier.
func TestPCSLostActs(t *testing.T) {
	for _, timeout := range []time.Duration{7 * time.Millisecond, 300 * time.Millisecond} {
		w := newWorld(t, plain)
		profile := w.a.enable(attr(llrPCSLost, number(int64(timeout))))
		w.b.enable()
		w.a.set(profile, llrFlush, number(int64(llr.Discard)))
		w.runs()
		w.carried(w.stream(20))
		w.SetUp(w.A, false)
		within(t, "FLUSH", w.until("FLUSH", w.flushes), timeout)
		if why := w.A.Link().LLR.FlushReason; why != llr.FlushReasons()[1] {
			t.Errorf("FLUSH because: %s", why)
		}
		w.SetUp(w.A, true)
		s := w.stream(20)
		if w.Carry(s); s.Sent != 20 || s.Delivered != 0 {
			t.Errorf("in FLUSH %d of %d frames arrived", s.Delivered, s.Sent)
		}
		w.a.set(profile, llrPCSLost, number(0))
		w.a.set(profile, llrReInit, truth(true))
		w.runs()
		w.SetUp(w.A, false)
		w.Run(2 * timeout)
		if w.flushes() {
			t.Error("FLUSH without a PCS_LOST_TIMEOUT")
		}
		w.SetUp(w.A, true)
		w.carried(w.stream(20))
	}
}

// TestReInitOnFlushActs: FLUSH leads to INIT, and LLR runs again, by RE_INIT_ON_FLUSH alone.
func TestReInitOnFlushActs(t *testing.T) {
	w, profile := unanswered(t, 1, attr(llrTimer, number(1_000_000)))
	w.until("FLUSH", w.flushes)
	w.A.SetScript(nil)
	w.Run(time.Second)
	if is := w.a.get(w.a.link, portLLRTx).Number; is != 4 {
		t.Errorf("FLUSH was left for %d", is)
	}
	w.a.set(profile, llrReInit, truth(true))
	w.runs()
}

// TestCtlOSSpacingActs: under load an LLR_ACK is sent after CTLOS_TARGET_SPACING octets.
func TestCtlOSSpacingActs(t *testing.T) {
	const frames, octets = 4000, 996
	for _, spacing := range []int64{400, 4000, 16384} {
		w := newWorld(t, plain)
		w.a.enable()
		profile := w.b.enable()
		w.runs()
		w.b.set(profile, llrSpacing, number(spacing))
		before := w.b.stat(w.b.link, "LLR_TX_ACK_CTL_OS")
		s := w.stream(frames)
		w.Carry(s)
		acks := w.b.stat(w.b.link, "LLR_TX_ACK_CTL_OS") - before
		each := max(1.25, float64((spacing+octets-1)/octets)) // frames from one LLR_ACK to the next; a round has 1.25
		if want := frames / each; s.Delivered != frames || math.Abs(float64(acks)-want) > want/10 {
			t.Errorf("CTLOS_TARGET_SPACING %d: %d LLR_ACK for %d frames, want about %.0f", spacing, acks, s.Delivered,
				want)
		}
	}
}

// TestEveryStatusIsSeen: the transmitter is OFF, in INIT, ADVANCE, REPLAY and FLUSH, the receiver is OFF, in SEND_ACKS,
// SEND_NACK and NACK_SENT, each as the attributes say. SEND_NACK lasts from the frame behind a gap to the end of the
// same round, in which the LLR_NACK leaves: the frames of a second link are received in between.
func TestEveryStatusIsSeen(t *testing.T) {
	w := newWorld(t, func(o *simulated.Options) { o.Senders = 2 })
	seen := map[string]bool{}
	look := func() {
		seen[fmt.Sprint("tx ", w.a.get(w.a.link, portLLRTx).Number)] = true
		seen[fmt.Sprint("rx ", w.b.get(w.b.link, portLLRRx).Number)] = true
	}
	watched := func(limit time.Duration, list ...*simulated.Stream) {
		for range limit / time.Microsecond {
			look()
			w.Run(time.Microsecond, list...)
		}
	}
	look()
	profile := w.a.enable(attr(llrCount, number(255)), attr(llrTimer, number(1_000_000)))
	look()
	w.b.enable()
	w.runs()
	there, beside := w.stream(200), w.stream(200)
	beside.ID, beside.From = 2, w.Senders[1]
	n := 0
	w.B.SetScript(func(f []byte) bool {
		look()
		data := wire.EtherType(f) == wire.EtherTypeData
		if data {
			n++
		}
		return !data || n%50 != 0
	})
	w.Begin(there, beside)
	watched(300*time.Microsecond, there, beside)
	w.A.SetScript(mute)
	more := w.stream(20)
	w.Begin(more)
	watched(3*time.Millisecond, more)
	w.a.set(profile, llrCount, number(1))
	watched(3 * time.Millisecond)
	for _, status := range []string{"tx 0", "tx 1", "tx 2", "tx 3", "tx 4", "rx 0", "rx 1", "rx 2", "rx 3"} {
		if !seen[status] {
			t.Errorf("status %s was never seen: %v", status, seen)
		}
	}
}

// TestInterfaceStatisticsMove: octets, damaged frames, and frames dropped before they are sent are counted.
func TestInterfaceStatisticsMove(t *testing.T) {
	w := newWorld(t, plain)
	profile := w.a.enable(attr(llrInit, number(0)))
	w.b.enable()
	w.runs()
	n := 0
	w.B.SetScript(func(f []byte) bool {
		if wire.EtherType(f) == wire.EtherTypeData {
			if n++; n == 5 {
				f[len(f)-20] ^= 1
			}
		}
		return true
	})
	s := w.stream(10)
	w.Carry(s)
	if n := w.b.stat(w.b.link, "IF_IN_ERRORS"); n != 1 || s.Delivered != 10 {
		t.Errorf("IF_IN_ERRORS is %d, and %d of 10 frames were delivered", n, s.Delivered)
	}
	for what, n := range map[string]uint64{
		"received by the edge of A": w.a.stat(w.a.edge, "IF_IN_OCTETS"), "sent by A": w.a.stat(w.a.link, "IF_OUT_OCTETS"),
		"received by B": w.b.stat(w.b.link, "IF_IN_OCTETS"), "sent by the edge of B": w.b.stat(w.b.edge, "IF_OUT_OCTETS"),
	} {
		if n < 10*996 {
			t.Errorf("%d octets were %s", n, what)
		}
	}
	w.b.set(w.b.link, portLLRLocal, truth(false)) // B answers no LLR_INIT
	w.a.set(w.a.link, portLLRRemote, truth(false))
	w.until("OFF", func() bool { return w.a.get(w.a.link, portLLRTx).Number == 0 })
	w.a.set(w.a.link, portLLRRemote, truth(true))
	w.Carry(w.stream(7))
	dropped, discarded := w.a.stat(w.a.link, "IF_OUT_DISCARDS"), w.a.stat(w.a.link, "LLR_TX_DISCARD")
	if dropped != 7 || discarded != 7 {
		t.Errorf("of 7 frames in INIT, whose action is %d: %d dropped, %d discarded", w.a.get(profile, llrInit).Number,
			dropped, discarded)
	}
}

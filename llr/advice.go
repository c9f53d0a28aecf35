package llr

import (
	"math"
	"time"
)

// What a window and a replay timer that follow the loop time are while that is not known: the
// defaults of the configuration.
const (
	startFrames = 512
	startTimer  = 2_000_000 // ns
)

// AutoReplaySlots is how many frames a window takes at most that follows the loop time.
const AutoReplaySlots = 2048

// Bounds and margins of what is advised.
const (
	leastFrames  = 64                    // a batch of a software forwarder
	minimumWire  = 84 * 8                // bits that the smallest frame takes on a wire, with preamble and gap
	minimumFrame = 60                    // its octets as they are carried, without FCS
	loopMargin   = 2                     // loop times that the window has room for
	timerMargin  = 4                     // times the P99 of the loop time that the replay timer lasts
	speedUnknown = 10_000_000_000        // bits a second of a port that does not tell
	adviseEvery  = 256                   // loop times between two looks at the advice
	timerStep    = 10 * time.Microsecond // the replay timer is advised in these
	timerMost    = 10 * time.Second      // and is never longer
)

// Advice is what follows from the loop time for a profile.
type Advice struct {
	// MaxOutstandingFrames is how many frames of the smallest size the port sends at its speed
	// in two of the shortest loop times, and until CTLOS_TARGET_SPACING brings an LLR_ACK. The
	// shortest: under load frames wait in rings, and a window that went by that would grow.
	MaxOutstandingFrames int
	// MaxReplayTimer is four times the P99 of the loop time, and the time that an LLR_ACK is
	// held back, so that hardly a frame is sent again that has arrived.
	MaxReplayTimer time.Duration
	// LoopOctets is how many octets the port sends at its speed in two of the shortest loop times, as
	// they count on a wire: what has to be under way at least for the full rate.
	LoopOctets int
}

// SetSpeed says how many bits a second the port sends; 0 is not known, and counts as 10 Gb/s.
func (t *Tx) SetSpeed(bitsPerSecond int64) {
	t.speed = bitsPerSecond
	t.adapt()
}

// Advice is what the loop time says of the profile; ok is false while that is not known.
func (t *Tx) Advice() (a Advice, ok bool) {
	l, ok := t.LoopTime()
	if !ok {
		return Advice{}, false
	}
	bits := t.loopBits(l)
	return Advice{
		MaxOutstandingFrames: t.adviseFrames(bits), MaxReplayTimer: adviseTimer(l), LoopOctets: int(math.Round(bits / 8)),
	}, true
}

// loopBits is how much is under way at the full rate, with a margin.
func (t *Tx) loopBits(l LoopTime) float64 {
	speed := t.speed
	if speed <= 0 {
		speed = speedUnknown
	}
	return float64(loopMargin*l.Min) / 1e9 * float64(speed)
}

func (t *Tx) adviseFrames(bits float64) int {
	frames := bits/minimumWire + float64(t.profile.CtlOSSpacingBytes/minimumFrame) + 1
	return int(max(leastFrames, min(frames, MaxOutstandingFrames)))
}

func adviseTimer(l LoopTime) time.Duration {
	timer := time.Duration(timerMargin*min(l.P99, int64(timerMost)) + ackDelayMax)
	return min((timer+timerStep-1)/timerStep*timerStep, timerMost)
}

// adapt puts the window and the replay timer into force: those of the profile, or what is
// advised where it leaves them open.
func (t *Tx) adapt() {
	p := &t.profile
	t.maxFrames, t.timeout = uint32(p.ReplaySlots()), int64(p.MaxReplayTimer)
	if p.MaxOutstandingFrames != 0 && p.MaxReplayTimer != 0 {
		return
	}
	a, known := t.Advice()
	if !known {
		a = Advice{MaxOutstandingFrames: startFrames, MaxReplayTimer: startTimer}
	}
	if p.MaxOutstandingFrames == 0 {
		t.maxFrames = min(t.maxFrames, uint32(a.MaxOutstandingFrames))
	}
	if p.MaxReplayTimer == 0 {
		t.timeout = int64(a.MaxReplayTimer)
	}
}

// Limits are OUTSTANDING_FRAMES_MAX and REPLAY_TIMER_MAX as they are in force.
func (t *Tx) Limits() (frames int, timer time.Duration) {
	return int(t.maxFrames), time.Duration(t.timeout)
}

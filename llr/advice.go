package llr

import (
	"math"
	"math/bits"
	"time"
)

// Window and replay timer until the first loop time is measured, where the profile leaves them to the loop time. They
// equal the defaults of the configuration.
const (
	startFrames = 512
	startTimer  = 2 * time.Millisecond
)

// Frames for which the replay buffer has room under a window that follows the loop time: at first, and at most. The
// most is what a port of 100 Gb/s sends in twice a loop time of 2 ms, in frames of 1500 octets.
const (
	AutoReplaySlots     = 2048
	AutoReplaySlotsMost = 32768
)

// Bounds and margins of the advice.
const (
	leastFrames  = 64                    // the smallest advised window, in frames: a batch of a software forwarder
	wireExtra    = 24                    // octets that a frame takes on a wire beyond its length: preamble, FCS and gap
	minimumFrame = 60                    // octets of the smallest Ethernet frame, without FCS
	loopMargin   = 2                     // the window covers this many loop times
	timerMargin  = 4                     // the replay timer lasts this many times the P99 of the loop time
	timerFloor   = 8                     // a replay timer for hardware lasts at least this many times the P99
	speedUnknown = 10_000_000_000        // bits a second that count for a port of unknown speed
	adviseEvery  = 256                   // loop times measured between two updates of the advice
	timerStep    = 10 * time.Microsecond // granularity of the advised replay timer
	timerMost    = 10 * time.Second      // longest advised replay timer
)

// Advice is the part of a profile that follows from the loop time.
type Advice struct {
	// MaxOutstandingFrames is the number of smallest frames that the port sends at its speed in twice the shortest loop
	// time plus the time until CTLOS_TARGET_SPACING causes an LLR_ACK. The shortest loop time is taken because under load
	// frames wait in rings: a window computed from the longer times would grow, and make these times longer still.
	MaxOutstandingFrames int
	// MaxReplayTimer is four times the P99 of the loop time plus the longest delay of an LLR_ACK, so that hardly any
	// frame is sent again after it has arrived.
	MaxReplayTimer time.Duration
	// LoopOctets is how many octets, as counted on a wire, the port sends at its speed in two of the shortest loop
	// times: the least that must be outstanding for the full rate.
	LoopOctets int
}

// SetSpeed sets the speed of the port in bits a second; 0 is unknown and counts as 10 Gb/s.
func (t *Tx) SetSpeed(bitsPerSecond int64) {
	t.port.speed = bitsPerSecond
	t.adapt()
}

// LoopTime returns the round-trip time of the link; ok is false while no frame was measured, nor a handshake with a
// single LLR_INIT.
func (t *Tx) LoopTime() (l LoopTime, ok bool) {
	if !t.loop.measured() {
		return LoopTime{}, false
	}
	return t.loop.summary(), true
}

// Advice returns the values of window and replay timer that suit the measured loop time; ok is false while no loop
// time is known.
func (t *Tx) Advice() (a Advice, ok bool) {
	l, ok := t.LoopTime()
	if !ok {
		return Advice{}, false
	}
	return t.advise(l), true
}

// advise returns the advice (window, replay timer, octets of a loop) that follows from the loop time l, the speed of
// the port and the length of the smallest frame. Under a replay timer shorter than the shortest loop time only the
// shortest counts.
func (t *Tx) advise(l LoopTime) Advice {
	if t.profile.MaxReplayTimer != 0 && t.limits.timeout < time.Duration(l.Min) {
		// The timer is shorter than a loop time, so each frame is sent again, and these replays lengthen the other loop
		// times.
		l.P99 = l.Min
	}
	outstanding := t.loopBits(l)
	return Advice{
		MaxOutstandingFrames: t.adviseFrames(outstanding, minimumFrame), MaxReplayTimer: adviseTimer(l),
		LoopOctets: int(math.Round(outstanding / 8)),
	}
}

// loopBits returns how many bits the port sends at its full speed in loopMargin times the shortest loop time of l.
func (t *Tx) loopBits(l LoopTime) float64 {
	speed := t.port.speed
	if speed <= 0 {
		speed = speedUnknown
	}
	return float64(loopMargin*l.Min) / 1e9 * float64(speed)
}

// adviseFrames returns the advised window: the number of frames of length octets each that have outstanding bits on a
// wire, and those that arrive before CTLOS_TARGET_SPACING causes an LLR_ACK; at least leastFrames.
func (t *Tx) adviseFrames(outstanding float64, length int) int {
	frames := outstanding/float64(8*(length+wireExtra)) + float64(t.profile.CtlOSSpacingBytes/length) + 1
	return int(max(leastFrames, min(frames, MaxOutstandingFrames)))
}

// adviseTimer returns the advised replay timer for the loop time l: timerMargin times the P99 and the longest delay of
// an LLR_ACK, rounded up to timerStep.
func adviseTimer(l LoopTime) time.Duration {
	timer := timerMargin*min(time.Duration(l.P99), timerMost) + ackDelayMax
	return min((timer+timerStep-1)/timerStep*timerStep, timerMost)
}

// adapt sets the window and the replay timer in force (t.limits): the values of the profile, or the advised ones where
// the profile leaves them 0. While no loop time is known startFrames and startTimer are advised. A replay timer of the
// profile is raised by raiseTimer.
func (t *Tx) adapt() {
	p := &t.profile
	t.limits.frames, t.limits.timeout = uint32(p.ReplaySlots()), p.MaxReplayTimer
	if p.MaxOutstandingFrames != 0 && p.MaxReplayTimer != 0 {
		t.raiseTimer()
		return
	}
	a := Advice{MaxOutstandingFrames: startFrames, MaxReplayTimer: startTimer}
	if t.loop.hasTime() {
		a = t.advise(t.loop.summary())
	}
	if p.MaxOutstandingFrames == 0 {
		t.limits.frames = uint32(min(t.window.room(), a.MaxOutstandingFrames))
	}
	if p.MaxReplayTimer == 0 {
		t.limits.timeout = a.MaxReplayTimer
		return
	}
	t.raiseTimer()
}

// raiseTimer raises the replay timer in force, if the profile marks it as one for hardware (TimerFloor), to timerFloor
// times the P99 of the loop time, or to startTimer while no loop time is known.
func (t *Tx) raiseTimer() {
	if !t.profile.TimerFloor {
		return
	}
	floor := time.Duration(startTimer)
	if l, ok := t.LoopTime(); ok {
		floor = timerFloor * min(time.Duration(l.P99), timerMost)
	}
	t.limits.timeout = max(t.limits.timeout, floor)
}

// Limits returns the largest number of outstanding frames and the replay timer in force: OUTSTANDING_FRAMES_MAX, in
// selective replay no more than the partner keeps, and REPLAY_TIMER_MAX.
func (t *Tx) Limits() (frames int, timer time.Duration) {
	return int(min(t.limits.frames, t.sel.most)), t.limits.timeout
}

// replayGain is the factor by which the share of new frames (Goodput) must be larger with selective replay than with
// go-back-N before selective replay is advised.
const replayGain = 1.1

// Goodput returns which share of the frames sent are new, not replayed: as measured with go-back-N, and as expected of
// selective replay. The first follows from the recent losses and the frames outstanding at each loss, which go-back-N
// sends again; the second assumes that only the lost frame is sent again. ok is false while fewer than burstLosses
// losses were seen, and under selective replay, which does not measure losses.
func (t *Tx) Goodput() (goBackN, selective float64, ok bool) {
	r := &t.replay
	if t.sel.on || r.burst.former == 0 {
		return 0, 0, false
	}
	apart := float64(max(r.apart, r.acked)) + 1
	return apart / (apart + float64(r.behind) + 1), apart / (apart + 1), true
}

// AdviseReplay returns the kind of replay that suits the recent losses: Selective where it pays, else the profile's
// kind.
func (t *Tx) AdviseReplay() ReplayKind {
	if goBackN, selective, ok := t.Goodput(); ok && t.profile.Replay == GoBackN && selective > replayGain*goBackN {
		return Selective
	}
	return t.profile.Replay
}

// A window that follows the loop time is limited by the room of the replay buffer, too. The owner of the slots decides
// how much memory the room may cost: the transmitter says how much it wants, and is told how much there is.

// windowRoom are the measurements by which RoomWanted and LongestAcked judge the window.
type windowRoom struct {
	crowd   int64  // average octets of an outstanding frame when the window was last full; 0: it was not full since the last RoomWanted
	crossed uint32 // octets of the longest frame acknowledged since the last LongestAcked
}

// SetRoom gives the replay buffer room for at least n frames, at most MaxOutstandingFrames: the caller has as many
// slots. A window that follows the loop time may use all of the room, at once; other windows do not change. Room is
// never taken back. SetRoom allocates.
func (t *Tx) SetRoom(n int) {
	t.grow(min(n, MaxOutstandingFrames))
	t.adapt()
}

// RoomWanted returns the number of frames, a power of two up to AutoReplaySlotsMost, for which the replay buffer should
// have room, or 0 if the present room is enough. More room is wanted if the window follows the loop time, a frame has
// waited since the last call because the window was full, and frames as long as those in the window need more room to
// fill a loop time. A partner that stands still does not count, and no more room is wanted than the number of frames
// that a partner keeps in selective replay.
func (t *Tx) RoomWanted() (frames int) {
	length := int(t.room.crowd)
	t.room.crowd = 0
	l, ok := t.LoopTime()
	if !ok || length == 0 || t.profile.MaxOutstandingFrames != 0 {
		return 0
	}
	wanted := min(t.adviseFrames(t.loopBits(l), length), AutoReplaySlotsMost, int(t.sel.most))
	if wanted <= t.window.room() {
		return 0
	}
	return 1 << bits.Len(uint(wanted-1))
}

// noteCrowd records the average length of the outstanding frames, for RoomWanted, if as many are outstanding as the
// window allows. It records nothing while the partner is busy, or a replay has brought no progress: then the window is
// full whatever its size.
func (t *Tx) noteCrowd() {
	n := t.window.outstanding()
	if t.state == TxAdvance && n >= t.limits.frames && t.now >= t.busy && t.replay.row == 0 {
		t.room.crowd = max(minimumFrame, t.window.octets/int64(n))
	}
}

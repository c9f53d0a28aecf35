package goodput

import (
	"fmt"
	"math"
	"time"

	"uelink/llr"
	"uelink/wire"
)

// Octets that a wire has beside a frame without FCS: preamble, FCS and gap; and the shim with the FCS image.
const (
	framing = 24
	shim    = 14
)

// cell is a place of the map: a wire, and the settings of its two ends.
type cell struct {
	rate    float64       // of the wire, bits a second
	loop    time.Duration // both ways over the wire, without frames in front
	loss    float64       // share of frames lost, each way
	burst   float64       // mean frames lost in a row; 0 = losses are independent
	reorder float64       // share of frames overtaken by one to three others
	octets  int           // of each frame, with FCS
	profile string        // default, auto, or selective: of window, replay timer and kind of replay
	queue   int           // frames that the sender's TX queue holds
	window  int           // most outstanding frames; 0 = by the profile
	load    float64       // offered share of the rate; 0 = as much as the link takes
	group   int           // frames offered together, before a pause; 0 = no pauses
	pause   time.Duration // from the first frame of a group to that of the next
	frames  int           // to carry
	seed    uint64
}

// String names the cell in messages.
func (c cell) String() string {
	return fmt.Sprintf("%g Gbit/s, loop %v, loss %g, burst %g, reorder %g, %d octets, profile %s, queue %d, seed %d",
		c.rate/1e9, c.loop, c.loss, c.burst, c.reorder, c.octets, c.profile, c.queue, c.seed)
}

// carried returns the octets of a frame as LLR counts them: without FCS.
func (c cell) carried() int { return c.octets - wire.FCSLen }

// serial returns the time of so many octets on the wire, in nanoseconds.
func (c cell) serial(octets int) float64 { return float64(octets) * 8e9 / c.rate }

// frameTime returns the time of a data frame of the link on the wire, in nanoseconds.
func (c cell) frameTime() float64 { return c.serial(c.carried() + shim + framing) }

// loopFrames returns the data frames that are sent in a loop time, and one: a lost frame, and those behind it, which
// go-back-N sends again.
func (c cell) loopFrames() float64 { return 1 + float64(c.loop.Nanoseconds())/c.frameTime() }

// ceiling returns the share of the rate that remains beside the shim.
func (c cell) ceiling() float64 {
	return float64(c.carried()+framing) / float64(c.carried()+shim+framing)
}

// theory returns the share of the rate that go-back-N carries if each loss costs exactly one loop: of frames p are
// lost, and each of the others costs one frame and, p times, the N frames of a loop.
func (c cell) theory() float64 {
	n, p := c.loopFrames(), c.loss
	if c.burst > 1 {
		p /= c.burst
	}
	return c.ceiling() * (1 - c.loss) / (1 - p + p*n)
}

// least returns the goodput that the profile auto must have: 0.9 of the theory where that is above 0.3. At losses of
// more than 1e-2, two more frames for each loss count: one that waits in the TX queue, and one by whose number the
// receiver sees the loss.
func (c cell) least() float64 {
	switch {
	case c.theory() <= 0.3:
		return 0
	case c.loss > 1e-2:
		return 0.88 * c.theory()
	}
	return 0.9 * c.theory()
}

// selectiveLoops is the window of selective replay in loops: a lost frame holds the window for two loops, and one that
// is lost again for three.
const selectiveLoops = 4

// selective returns the same cell with selective replay. The figures without the end of the run need fewer frames.
func (c cell) selective() cell {
	c.profile = "selective"
	c.frames = min(c.frames, max(50_000, min(200_000, int(12*c.loopFrames()))))
	return c
}

// leastSelective returns the goodput that selective replay must have, of a plain wire's.
func (c cell) leastSelective() float64 {
	if c.loss > 1e-2 {
		return 0.9 * (1 - c.loss)
	}
	return 0.95 * (1 - c.loss)
}

// settings returns the LLR profile of both ends: blocking, because the map counts what arrives.
func (c cell) settings() llr.Profile {
	p := llr.Profile{MaxOutstandingFrames: 512, MaxOutstandingBytes: 8 << 20, MaxReplayTimer: 2 * time.Millisecond,
		MaxReplayCount: llr.NoReplayLimit, InitAction: llr.Block, FlushAction: llr.Block, ReInitOnFlush: true,
		CtlOSSpacingBytes: 2048}
	switch c.profile {
	case "auto":
		p.MaxOutstandingFrames, p.MaxReplayTimer, p.MaxOutstandingBytes = 0, 0, 64<<20
	case "selective":
		p.MaxOutstandingFrames = min(llr.SelectiveFramesMax, selectiveLoops*int(c.loopFrames())+256)
		p.MaxOutstandingBytes = int64(p.MaxOutstandingFrames * c.octets)
		p.MaxReplayTimer, p.Replay = 0, llr.Auto
	}
	if c.window > 0 {
		p.MaxOutstandingFrames, p.MaxOutstandingBytes = c.window, int64(c.window*c.octets)
	}
	return p
}

// amount returns the frames that a cell has to carry so that its figure holds: some loops, and some losses.
func amount(c cell, least int) int {
	losses := 0
	if c.loss > 0 {
		losses = int(20 / c.loss)
	}
	return max(least, min(200_000, losses), min(200_000, int(20*math.Ceil(c.loopFrames()))))
}

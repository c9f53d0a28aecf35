package goodput

import (
	"testing"
	"time"

	"uelink/llr"
	"uelink/wire"
)

// With the largest window of each kind of replay, nearly full of frames, the sequence numbers wrap while the wire loses
// and reorders frames. (That each frame arrives once and in order is checked by the model.)
func TestNumbersWrapUnderTheLargestWindow(t *testing.T) {
	const frames = wire.SeqMask + 1 + llr.MaxOutstandingFrames
	for _, c := range []cell{
		{profile: "auto", window: llr.MaxOutstandingFrames, loop: 4 * time.Millisecond, loss: 1e-6, reorder: 1e-6},
		{profile: "selective", window: llr.SelectiveFramesMax, loop: 2 * time.Millisecond, loss: 1e-3, reorder: 1e-3},
	} {
		c.rate, c.octets, c.queue, c.seed, c.frames = 100e9, 64, 64, 1, frames
		f := figure(t, c)
		if f.delivered != frames || f.most < c.window*9/10 || f.sender.TxReplay == 0 ||
			c.profile == "selective" && f.saved < c.window*9/10 {
			t.Errorf("%v: %d of %d frames delivered, %d outstanding at most, %d kept, %d replays", c, f.delivered, frames,
				f.most, f.saved, f.sender.TxReplay)
		}
	}
}

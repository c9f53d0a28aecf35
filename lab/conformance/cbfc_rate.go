package conformance

import (
	"uelink/dataplane/fault"
	"uelink/lab/simulated"
)

// fullRateOfCredits runs CBFC-12 and records the results: frames of the smallest and the largest size at full
// rate, over 500 m of cable. The credit limit is the limit that the ends advise for the loop time.
func fullRateOfCredits(t *trial) {
	far := func(limit int) func(*simulated.Options) {
		return func(o *simulated.Options) {
			credited(o, 2, 1<<1, limit, chunkCredits)
			o.Wire = fault.Config{RateBPS: lineRate, Delay: cableDelay}
			o.Speed = lineRate / 1e6
		}
	}
	for _, c := range []struct {
		size   int
		frames uint64
	}{{64, 50_000}, {9216, 3_000}} {
		t.size = c.size
		// Two ends with a limit of the case's own measure the loop time; two further ends run with the advised limit.
		measured := t.bench(far(stallLimit)).A.Link().LLR
		limit := measured.RecommendedCreditLimit
		t.flag("A has measured the loop time (from a frame to the acknowledgement)", true, measured.LoopTime != nil)
		b := t.bench(far(limit))
		s := t.onVC(b, b.A, 1, c.frames)
		s.Interval = wireBits(c.size) / lineRate * 1e9
		b.Carry(s)
		t.near("frames a second", "Mpps", lineRate/wireBits(c.size)/1e6, s.FramesPerSecond()/1e6)
		t.exact("frames of A that waited for credits", 0, vcOf(b.A, 1).Counters.BlockedFrames)
		t.whole(s)
		t.lossless(b)
		t.atRest(b)
	}
}

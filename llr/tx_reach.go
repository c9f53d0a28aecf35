package llr

import (
	"time"

	"uelink/internal/snapshot"
	"uelink/wire"
)

// Go-Back-N sends every frame again that was outstanding behind a lost frame. So where frames are often lost or
// reordered, few may be outstanding (reach): at most reachTimes times the number lately acknowledged between two
// losses, but at least reachLeast, and no more than enough. Each acknowledged frame makes room for one more.
//
// Enough is the number of frames that keeps the partner busy. A partner on a wire with a queue acknowledges few frames
// within the least loop time, however many are outstanding: more only wait in the queue, and are all sent again. A
// partner that waits for its CPU acknowledges at once all that has come meanwhile. So enough is reachMore and
// reachBursts/2 times the most frames lately acknowledged within the least loop time. Where losses are so rare that a
// replay costs little, enough is also the apartShare-th part of the frames between two losses.
const (
	reachTimes  = 4
	reachLeast  = 8
	reachBursts = 3
	reachMore   = 16
	apartShare  = 16
	postShare   = 32 // see Tx.PostLimit
	burstLosses = 16 // a burst is forgotten after 16 to 32 losses: see burst
)

// limitReach reduces the number of frames that may be outstanding, after a loss.
func (r *replay) limitReach() {
	r.reach = max(reachLeast, min(r.reach, reachTimes*r.apart, r.enough()))
}

// extendReach makes room for n more outstanding frames, up to enough of them.
func (r *replay) extendReach(n uint32) { r.reach = max(r.reach, min(r.reach+n, r.enough())) }

// enough returns how many outstanding frames keep the partner busy; before the first loss there is no limit.
func (r *replay) enough() uint32 {
	if r.apart == 0 {
		return MaxOutstandingFrames
	}
	return min(MaxOutstandingFrames, max(reachBursts*r.burst.longest()/2+reachMore, max(r.apart, r.acked)/apartShare))
}

// burst counts frames that were acknowledged within the least loop time.
type burst struct {
	began  wire.Time // when the burst under way began
	frames uint32    // frames acknowledged in the burst under way
	most   uint32    // frames of the longest burst since the last burstLosses losses were counted
	former uint32    // frames of the longest burst during the burstLosses losses before those
	losses uint32    // losses counted since former was set
}

// add counts n frames that are acknowledged at time now; least is the least loop time.
func (b *burst) add(n uint32, least time.Duration, now wire.Time) {
	if b.frames == 0 || now.Sub(b.began) >= least {
		b.began, b.frames = now, 0
	}
	b.frames = min(b.frames+n, MaxOutstandingFrames)
	b.most = max(b.most, b.frames)
}

// recordLoss counts a loss, and forgets old bursts.
func (b *burst) recordLoss() {
	if b.losses++; b.losses >= burstLosses {
		b.former, b.most, b.losses = b.most, 0, 0
	}
}

// longest returns the number of frames of the longest recent burst.
func (b *burst) longest() uint32 { return max(b.most, b.former) }

// passState saves to snapshot s, or restores from it, the recent bursts.
func (b *burst) passState(s *snapshot.State) {
	snapshot.Number(s, "began", &b.began)
	snapshot.Number(s, "frames", &b.frames)
	snapshot.Number(s, "most", &b.most)
	snapshot.Number(s, "former", &b.former)
	snapshot.Number(s, "losses", &b.losses)
	s.Check(max(b.frames, b.most, b.former) <= MaxOutstandingFrames, "a burst of %d frames", max(b.frames, b.longest()))
}

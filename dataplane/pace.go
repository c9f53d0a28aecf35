package dataplane

import "math"

// Go-back-N sends everything again that has left since a lost frame. So where the
// wire loses frames few of them are to be under way, and where it does not many,
// for that makes large batches. The cost of a loss grows with the batch, the cost
// of a batch is shared by its frames: their sum is least when a batch is about the
// square root of the frames between two losses.
const (
	paceLeast = 8             // new frames in a round, however many are lost
	paceFar   = batch * batch // frames between losses that are not paced for
)

// pace is how many new frames leave in one round, up to a batch.
type pace struct {
	limit int
	apart int // new frames between losses, smoothed, or since the last one if that is more
	run   int // new frames since the last loss
}

func newPace() pace { return pace{limit: batch, apart: paceFar} }

// lost notes that frames are sent again: for one loss, until new ones leave.
func (p *pace) lost() {
	if p.run == 0 {
		return
	}
	p.apart += (p.run - p.apart) / 4
	p.run = 0
	p.adapt()
}

// sent notes that so many new frames have left.
func (p *pace) sent(n int) {
	p.run = min(p.run+n, paceFar)
	if p.run > p.apart {
		p.apart = p.run
		p.adapt()
	}
}

func (p *pace) adapt() { p.limit = max(paceLeast, int(math.Sqrt(float64(p.apart)))) }

// slowed is whether losses keep batches small.
func (p *pace) slowed() bool { return p.limit < batch }

package path

import "math"

// Go-back-N replays every frame sent since a lost frame. So on a wire that loses frames, few frames shall be in flight;
// on a good wire many, because large batches cost less. The cost of a loss grows with the batch, the cost of a batch is
// shared by its frames: the sum is least when a batch is about the square root of the number of frames between two
// losses. Selective replay sends lost frames alone, so there a loss is no reason for smaller batches.
const (
	paceLeast = 8             // least limit of new frames in a round, however many frames are lost
	paceFar   = batch * batch // least number of frames between two losses for which batches are not limited
)

// pace limits the number of new frames sent in one round by the losses of the wire.
type pace struct {
	limit int // most new frames in a round, a batch at most
	apart int // smoothed number of new frames between losses, at least run
	run   int // new frames since the last loss

	// Of the present round.
	fresh    int  // new frames sent
	replayed int  // replays sent
	queued   bool // enough frames wait in the TX ring: no frame is posted
	atOnce   int  // most completions that lately came together, falling by an eighth with each smaller number
}

func newPace() pace { return pace{limit: batch, apart: paceFar} }

// limitRound begins a round after n completions. It sets queued, by which the round posts no frame, if as many frames
// of earlier rounds wait in the TX ring (posted) as LLR allows (limit). The ring must not run empty before the next
// completions are seen, which come in batches: by an interrupt of a NIC, or with the rounds of a veth's other end. So
// twice a batch may wait in any case.
func (p *pace) limitRound(n, posted, limit int) {
	if n > 0 {
		p.atOnce = max(n, p.atOnce-(p.atOnce+7)/8)
	}
	p.queued = posted >= max(limit, 2*p.atOnce)
}

// lost records that frames were replayed, and lowers the number of new frames sent per round. Several replays before
// the next new frames count as one loss.
func (p *pace) lost() {
	if p.run == 0 {
		return
	}
	p.apart += (p.run - p.apart) / 4
	p.run = 0
	p.adapt()
}

// sent records that n new frames have left, and raises the number of new frames in a round if the last loss was
// long ago.
func (p *pace) sent(n int) {
	p.run = min(p.run+n, paceFar)
	if p.run > p.apart {
		p.apart = p.run
		p.adapt()
	}
}

func (p *pace) adapt() { p.limit = max(paceLeast, int(math.Sqrt(float64(p.apart)))) }

// slowed reports whether losses limit the number of new frames in a round to less than a batch.
func (p *pace) slowed() bool { return p.limit < batch }

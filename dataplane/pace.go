package dataplane

// Go-back-N sends everything again that has left since a lost frame. So where the
// wire loses frames few of them are to be under way, and where it does not many,
// for that makes large batches.
const (
	paceLeast = 8   // new frames in a round after a loss
	paceRun   = 256 // frames without a loss, after which it is twice as many
)

// pace is how many new frames leave in one round, up to a batch.
type pace struct {
	limit int
	run   int // frames since the limit was last changed
}

// lost notes that frames are sent again.
func (p *pace) lost() { *p = pace{limit: paceLeast} }

// sent notes that so many new frames have left.
func (p *pace) sent(n int) {
	if p.run += n; p.run >= paceRun {
		*p = pace{limit: min(2*p.limit, batch)}
	}
}

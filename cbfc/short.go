package cbfc

import "fmt"

// Short is why a limit is too low for a channel: the longest frame never gets through. The zero value says that it
// is not.
type Short struct {
	Limit  int // credits that the partner grants the channel
	Cost   int // credits of the longest frame
	Octets int // of that frame, without FCS
}

// String is LimitTooLow in words, with the numbers.
func (s Short) String() string {
	return fmt.Sprintf("the partner's limit of %d credits is less than the %d that a frame of %d octets costs", s.Limit,
		s.Cost, s.Octets)
}

// Why is why a channel is not lossless, in words; empty if nothing failed.
func (v *VCState) Why() string { return why(v.Failure, v.Short) }

// Why is that of a channel, 0 to VCs-1.
func (p *Port) Why(vc uint8) string {
	c := &p.Tx.vc[vc&(VCs-1)].channel
	return why(c.failure, c.short)
}

func why(f Failure, s Short) string {
	if f == LimitTooLow && s != (Short{}) {
		return s.String()
	}
	return f.String()
}

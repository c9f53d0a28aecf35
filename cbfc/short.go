package cbfc

import "fmt"

// Short says why a limit is too low for a channel: the longest frame never gets through. The zero value means no such
// failure.
type Short struct {
	Limit  int // credits that the partner grants the channel
	Cost   int // credits of the longest frame
	Octets int // octets of the longest frame, without FCS
}

// String returns the failure LimitTooLow in words, with the limit, the cost and the frame length.
func (s Short) String() string {
	return fmt.Sprintf("the partner's limit of %d credits is less than the %d that a frame of %d octets costs", s.Limit,
		s.Cost, s.Octets)
}

// DescribeFailure returns why a channel is not lossless, in words; empty without a failure.
func (v *VCState) DescribeFailure() string { return describeFailure(v.Failure, v.Short) }

// DescribeFailure returns why channel vc, 0 to VCs-1, is not lossless, in words; empty without a failure.
func (p *Port) DescribeFailure(vc uint8) string {
	c := &p.Tx.vc[vc&(VCs-1)].channel
	return describeFailure(c.failure, c.short)
}

// describeFailure returns a failure in words, for LimitTooLow with the numbers of s.
func describeFailure(f Failure, s Short) string {
	if f == LimitTooLow && s != (Short{}) {
		return s.String()
	}
	return f.String()
}

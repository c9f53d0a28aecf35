package cbfc

import (
	"strings"
	"testing"
)

// A limit that the longest frame has outgrown makes the channel best effort, with the numbers, and frames of
// every length leave. When the partner grants more it is lossless again.
func TestLimitThatTheLongestFrameOutgrows(t *testing.T) {
	p := started(t, settingsOf(1|1<<3, 30)) // of 64 octets each
	p.a.env.Largest = 9018
	p.exchange()
	for _, vc := range []uint8{0, 3} {
		p.phase(vc, BestEffort)
		p.failure(vc, LimitTooLow)
		if _, gate := p.a.Tx.Gate(vc, 9018); gate != Open {
			t.Errorf("VC %d: gate %d: the channel has stopped", vc, gate)
		}
		if p.b.Rx.Store(vc, 60) != 0 {
			t.Errorf("VC %d: the receiver counts credits", vc)
		}
	}
	const text = "the partner's limit of 30 credits is less than the 141 that a frame of 9018 octets costs"
	if s := p.a.State(p.now).VCs[0]; s.DescribeFailure() != text || p.a.DescribeFailure(0) != text || s.Retry == 0 {
		t.Errorf("%q, %q, tried again in %d ns", s.DescribeFailure(), p.a.DescribeFailure(0), s.Retry)
	}
	more := p.b.Rx.settings
	more.Limit[0] = 141
	p.b.Configure(more, p.now)
	p.pass(retryFirst)
	p.phase(0, Lossless)
	p.failure(0, NoFailure)
	p.phase(3, BestEffort)
	if reason := p.a.DescribeFailure(0); reason != "" {
		t.Errorf("it is lossless: %q", reason)
	}
}

// A channel whose limit holds the longest frame goes on when that is longer, or shorter.
func TestLimitThatHoldsALongerFrame(t *testing.T) {
	p := started(t, settingsOf(1, 141))
	for _, octets := range []int{9018, 60, 9018} {
		p.a.env.Largest = octets
		if p.exchange(); len(p.a.sent) > 0 {
			t.Errorf("%d octets: it said %+v", octets, p.a.sent)
		}
		p.phase(0, Lossless)
	}
}

// Reasons other than the limit have no numbers.
func TestWhyInWords(t *testing.T) {
	v := VCState{Failure: NoAnswer, Short: Short{Limit: 3, Cost: 5, Octets: 9018}}
	if v.DescribeFailure() != NoAnswer.String() {
		t.Errorf("%q", v.DescribeFailure())
	}
	v = VCState{Failure: LimitTooLow}
	if !strings.Contains(v.DescribeFailure(), "limit") {
		t.Errorf("%q", v.DescribeFailure())
	}
}

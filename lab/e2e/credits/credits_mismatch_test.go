package credits

import (
	"testing"

	"uelink/lab/e2e/bed"
)

// Where the two ends do not agree on credits, the end that wants them reports why there are none, and frames are sent
// best effort.
func TestEndsThatDoNotAgreeOnCreditsSayWhy(t *testing.T) {
	t.Parallel()
	const one = "cbfc: {mode: static, vcs: [{index: 0, lossless: true}]}"
	for _, c := range []struct {
		name   string
		b      string
		reason string
	}{
		{"no CBFC at B", "", "the partner does not speak CBFC"},
		{"credit size", "cbfc: {mode: static, credit_size: 512, vcs: [{index: 0, lossless: true}]}",
			"the partner uses another credit size or packet overhead"},
		{"overhead", "cbfc: {mode: static, packet_overhead: 20, vcs: [{index: 0, lossless: true}]}",
			"the partner uses another credit size or packet overhead"},
		{"another channel", "cbfc: {mode: static, vcs: [{index: 1, lossless: true}]}",
			"the partner grants this channel no credits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := bed.Direct(t)
			p := bed.Pair{
				A: bed.NewDaemon(t, top.A, "A", bed.Settings{Profile: bed.Lossless.Profile, Link: one}),
				B: bed.NewDaemon(t, top.B, "B", bed.Settings{Profile: bed.Lossless.Profile, Link: c.b}),
			}
			p.A.Start()
			reported := p.A.Watch()
			p.B.Start()
			p.Advance()
			reported.Await("cbfc_vc", c.reason)
			if v := p.A.VC(0); v.Phase != "best_effort" || v.Failure != c.reason || v.SenderEnable {
				t.Errorf("%+v", v)
			}
			between := top.Between()
			between.Frames = 2000
			bed.Untouched(t, between)
			if v := p.A.VC(0); v.CreditsConsumed > 0 {
				t.Errorf("best effort was charged: %+v", v)
			}
		})
	}
}

package e2e

import "testing"

// Where the two ends do not agree on credits, the end that wants them reports why there are none, and frames are sent
// best effort.
func TestEndsThatDoNotAgreeOnCreditsSayWhy(t *testing.T) {
	t.Parallel()
	const one = "cbfc: {mode: static, vcs: [{index: 0, lossless: true}]}"
	for _, c := range []struct {
		name string
		b    string
		why  string
	}{
		{"no CBFC at B", "", "the partner does not speak CBFC"},
		{"credit size", "cbfc: {mode: static, credit_size: 512, vcs: [{index: 0, lossless: true}]}",
			"the partner uses another credit size or packet overhead"},
		{"overhead", "cbfc: {mode: static, packet_overhead: 20, vcs: [{index: 0, lossless: true}]}",
			"the partner uses another credit size or packet overhead"},
		{"another channel", "cbfc: {mode: static, vcs: [{index: 1, lossless: true}]}", "the partner grants it no credits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := direct(t)
			p := pair{
				newDaemon(t, top.A, "A", settings{profile: lossless.profile, link: one}),
				newDaemon(t, top.B, "B", settings{profile: lossless.profile, link: c.b}),
			}
			p.a.start()
			told := p.a.watch()
			p.b.start()
			p.advance()
			told.shows("cbfc_vc", c.why)
			if v := p.a.vc(0); v.Phase != "best_effort" || v.Failure != c.why || v.SenderEnable {
				t.Errorf("%+v", v)
			}
			between := top.between()
			between.Frames = 2000
			untouched(t, between)
			if v := p.a.vc(0); v.CreditsConsumed > 0 {
				t.Errorf("best effort was charged: %+v", v)
			}
		})
	}
}

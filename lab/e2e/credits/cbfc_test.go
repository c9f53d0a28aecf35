package credits

import (
	"fmt"
	"testing"

	"uelink/lab/e2e/bed"
)

// agreedCredits is a link of two lossless channels. LLDP agrees on its LLR and CBFC.
var agreedCredits = bed.Settings{
	LLR: "mode: dynamic",
	Link: "lldp: {tx_interval: 60s}, " +
		"cbfc: {mode: dynamic, vcs: [{index: 0, lossless: true}, {index: 1, lossless: true, limit: 64}]}",
}

// phases waits until the two channels are in these phases.
func phases(d *bed.Daemon, zero, one string) {
	d.T.Helper()
	bed.Eventually(d.T, fmt.Sprintf("%s: VC 0 %s, VC 1 %s", d.Name, zero, one), func() string {
		c := d.Credits()
		if len(c.VCs) == 2 && c.VCs[0].Phase == zero && c.VCs[1].Phase == one {
			return ""
		}
		return fmt.Sprintf("%+v", c)
	})
}

// LLDP agrees on lossless channels; frames on them cost credits, which return. A command takes a channel out of
// credits and back; a killed partner gets its credits again; a partner that withdraws its offer has none.
func TestCreditsAgreedByLLDP(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	p := top.Daemons(agreedCredits)
	for _, d := range []*bed.Daemon{p.A, p.B} {
		phases(d, "lossless", "lossless")
	}
	c := top.Between()
	c.Frames = 2000
	bed.Untouched(t, c)
	bed.Eventually(t, "all credits come back", func() string {
		for _, d := range []*bed.Daemon{p.A, p.B} {
			if v := d.Credits().VCs[0]; !v.AtRest || v.CreditsConsumed == 0 || v.CreditsConsumed != v.CreditsFreed ||
				v.Counters.Repaired+v.Counters.Overruns > 0 {
				return fmt.Sprintf("%s: %+v", d.Name, v)
			}
		}
		return ""
	})
	n := p.A.Credits().Negotiation
	if n == nil || !n.Agreed || n.AgreedVCs != 2 || n.PartnerPool != 512+64 || n.PartnerCreditSize != 2048 {
		t.Errorf("%+v", n)
	}

	p.A.Tool("cbfc", "vc", "disable", "link0", "1").Succeeds()
	phases(p.A, "lossless", "best_effort")
	phases(p.B, "lossless", "lossless")
	p.A.Tool("cbfc", "vc", "enable", "link0", "1").Succeeds()
	phases(p.A, "lossless", "lossless")

	watch := p.A.Watch()
	p.B.Kill()
	p.B.Start()
	watch.Await("partner_start", "has restarted")
	phases(p.A, "lossless", "lossless")
	phases(p.B, "lossless", "lossless")
	bed.Untouched(t, c)

	without := agreedCredits
	without.Link = "lldp: {tx_interval: 60s}"
	p.B.Reload(without.Text(p.B.Socket))
	phases(p.A, "best_effort", "best_effort")
	bed.Eventually(t, "CBFC is off", func() string {
		if c := p.A.Credits(); c.On || c.Note != "LLDP: CBFC is not agreed" {
			return fmt.Sprintf("%+v", c)
		}
		return ""
	})
	bed.Untouched(t, c)
}

package e2e

import (
	"fmt"
	"testing"

	"uelink/control"
)

// agreedCredits is a link of two lossless channels. LLDP agrees on its LLR and CBFC.
var agreedCredits = settings{
	llr: "mode: dynamic",
	link: "lldp: {tx_interval: 60s}, " +
		"cbfc: {mode: dynamic, vcs: [{index: 0, lossless: true}, {index: 1, lossless: true, limit: 64}]}",
}

// credits returns CBFC of the link as `uelink cbfc vc` prints it.
func (d *daemon) credits() control.CBFCInterface {
	d.t.Helper()
	c, err := d.client.CBFCOf(d.t.Context(), "link0")
	must(d.t, err)
	return c
}

// phases waits until the two channels are in these phases.
func (d *daemon) phases(zero, one string) {
	d.t.Helper()
	eventually(d.t, fmt.Sprintf("%s: VC 0 %s, VC 1 %s", d.name, zero, one), func() string {
		c := d.credits()
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
	top := direct(t)
	p := top.daemons(agreedCredits)
	for _, d := range []*daemon{p.a, p.b} {
		d.phases("lossless", "lossless")
	}
	c := top.between()
	c.Frames = 2000
	untouched(t, c)
	eventually(t, "all credits come back", func() string {
		for _, d := range []*daemon{p.a, p.b} {
			if v := d.credits().VCs[0]; !v.AtRest || v.CreditsConsumed == 0 || v.CreditsConsumed != v.CreditsFreed ||
				v.Counters.Repaired+v.Counters.Overruns > 0 {
				return fmt.Sprintf("%s: %+v", d.name, v)
			}
		}
		return ""
	})
	n := p.a.credits().Negotiation
	if n == nil || !n.Agreed || n.AgreedVCs != 2 || n.PartnerPool != 512+64 || n.PartnerCreditSize != 2048 {
		t.Errorf("%+v", n)
	}

	p.a.tool("cbfc", "vc", "disable", "link0", "1").succeeds()
	p.a.phases("lossless", "best_effort")
	p.b.phases("lossless", "lossless")
	p.a.tool("cbfc", "vc", "enable", "link0", "1").succeeds()
	p.a.phases("lossless", "lossless")

	watch := p.a.watch()
	p.b.kill()
	p.b.start()
	watch.shows("partner_start", "started anew")
	p.a.phases("lossless", "lossless")
	p.b.phases("lossless", "lossless")
	untouched(t, c)

	without := agreedCredits
	without.link = "lldp: {tx_interval: 60s}"
	p.b.reload(without.text(p.b.socket))
	p.a.phases("best_effort", "best_effort")
	eventually(t, "CBFC is off", func() string {
		if c := p.a.credits(); c.On || c.Note != "LLDP: CBFC is not agreed" {
			return fmt.Sprintf("%+v", c)
		}
		return ""
	})
	untouched(t, c)
}

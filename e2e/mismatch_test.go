package e2e

import "testing"

// Where two ends do not fit, and nothing crosses, both say why.
func TestEndsThatDoNotFitSayWhy(t *testing.T) {
	t.Parallel()
	const block = "init_action: block"
	for _, c := range []struct {
		name     string
		b        settings
		atA, atB string
	}{
		{"LLR off at B", settings{profile: block, llr: `mode: "off"`},
			"partner does not accept LLR from this port", "partner asks for LLR and this port does not accept it"},
		{"EtherType of data", settings{profile: block, link: "ethertypes: {data: 0x9101, control: 0x88B6}"},
			"partner sends data under EtherType 0x9101, this port under 0x88b5", "partner sends data under EtherType 0x88b5, this port under 0x9101"},
		{"EtherTypes swapped", settings{profile: block, link: "ethertypes: {data: 0x88B6, control: 0x88B5}"},
			"partner sends under EtherType 0x88b5", "partner sends under EtherType 0x88b6"},
		{"FCS image", settings{profile: block, link: "fcs: false"},
			"partner sends no FCS image and this port demands one", "this port sends no FCS image and the partner demands one"},
		{"dialect", settings{profile: block, link: "dialect: ue1"},
			"partner speaks dialect ue1, this port seed", "partner speaks dialect seed, this port ue1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := direct(t)
			p := pair{newDaemon(t, top.A, "A", settings{profile: block}), newDaemon(t, top.B, "B", c.b)}
			p.a.start()
			a := p.a.watch()
			p.b.start()
			p.a.note(c.atA)
			p.b.note(c.atB)
			a.shows("partner", c.atA)
		})
	}
}

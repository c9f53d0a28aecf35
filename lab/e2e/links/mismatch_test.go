package links

import (
	"testing"

	"uelink/lab/e2e/bed"
)

// Where two ends do not fit, and nothing crosses, both say why.
func TestEndsThatDoNotFitSayWhy(t *testing.T) {
	t.Parallel()
	const block = "init_action: block"
	for _, c := range []struct {
		name     string
		b        bed.Settings
		atA, atB string
	}{
		{"LLR off at B", bed.Settings{Profile: block, LLR: `mode: "off"`},
			"partner does not accept LLR from this port", "partner asks for LLR and this port does not accept it"},
		{"EtherType of data", bed.Settings{Profile: block, Link: "ethertypes: {data: 0x9101, control: 0x88B6}"},
			"partner sends data under EtherType 0x9101, this port under 0x88b5", "partner sends data under EtherType 0x88b5, this port under 0x9101"},
		{"EtherTypes swapped", bed.Settings{Profile: block, Link: "ethertypes: {data: 0x88B6, control: 0x88B5}"},
			"partner sends under EtherType 0x88b5", "partner sends under EtherType 0x88b6"},
		{"FCS image", bed.Settings{Profile: block, Link: "fcs: false"},
			"partner sends no FCS image and this port demands one", "this port sends no FCS image and the partner demands one"},
		{"dialect", bed.Settings{Profile: block, Link: "dialect: ue1"},
			"partner speaks dialect ue1, this port seed", "partner speaks dialect seed, this port ue1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := bed.Direct(t)
			p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", bed.Settings{Profile: block}), B: bed.NewDaemon(t, top.B, "B", c.b)}
			p.A.Start()
			a := p.A.Watch()
			p.B.Start()
			note(p.A, c.atA)
			note(p.B, c.atB)
			a.Await("partner", c.atA)
		})
	}
}

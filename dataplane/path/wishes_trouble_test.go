package path

import (
	"testing"

	"uelink/dataplane/model"
	"uelink/llr"
)

// A thing that one end wants and does not get gives the other end the command, and it alone.
func TestWishesOfOneEndAreTheCommandOfTheOther(t *testing.T) {
	inOneGoroutine(t)
	for reason, c := range map[string]struct {
		wants   func(s *model.PortSettings, p *llr.Profile)
		command string
	}{
		"vcs_here": {
			wants:   func(s *model.PortSettings, _ *llr.Profile) { s.VCs = 4 },
			command: "uelink config set ports.link0.vcs 4 && uelink reload",
		},
		"replay_here": {
			wants:   func(_ *model.PortSettings, p *llr.Profile) { p.Replay = llr.Selective },
			command: "uelink config set llr_profiles.default.replay selective && uelink reload",
		},
	} {
		p := up(t, defaults())
		for e, change := range map[*end]func(*model.PortSettings, *llr.Profile){p.a: c.wants, p.b: nil} {
			s, profile := e.l.Port.settings, e.l.LLR.Tx.Profile()
			if s.Name = "link0"; change != nil {
				change(&s, &profile)
			}
			e.l.buffered.setRoom(llr.SelectiveFramesMax)
			e.l.configure(s, profile, 0, p.now)
		}
		p.pass(6e9)
		a, b := p.a.l.Port.State(p.now), p.b.l.Port.State(p.now)
		if b.PartnerProblemReason != reason || b.PartnerProblemCommand != c.command || a.PartnerProblemCommand != "" {
			t.Errorf("%s: b %q %q, a %q %q", reason, b.PartnerProblemReason, b.PartnerProblemCommand, a.PartnerProblemReason,
				a.PartnerProblemCommand)
		}
	}
}

package path

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"uelink/cbfc"
	"uelink/dataplane/bridge"
	"uelink/dataplane/negotiation"
	"uelink/dataplane/partner"
	"uelink/dataplane/pfc"
	"uelink/dataplane/sched"
	"uelink/internal/snapshot"
	"uelink/llr"
)

// renewal replaces the machines of ports by new ones with the same state, by chance: nothing may change.
type renewal struct{ r *rand.Rand }

// renew replaces the machines of a domain in one round of often.
func (n renewal) renew(d *Domain, often int) error {
	if n.r == nil || n.r.IntN(often) > 0 {
		return nil
	}
	for _, p := range d.ports {
		if p == nil {
			continue
		}
		if err := p.renew(); err != nil {
			return fmt.Errorf("port %s: %w", p.settings.Name, err)
		}
	}
	if d.Bridge == nil {
		return nil
	}
	saved := snapshot.Save("bridge", d.Bridge)
	d.Bridge = bridge.New(bridge.Settings{}, n.r.Uint64(), 0)
	return snapshot.Restore("bridge", saved, d.Bridge)
}

// renew replaces the machines of a port.
func (p *Port) renew() error {
	saved := snapshot.Save("port", p)
	p.sched, p.pause.pauser, p.pause.paused = sched.New(sched.Settings{}), &pfc.Pauser{}, &pfc.Paused{}
	if l := p.Link; l != nil {
		l.LLR, l.cbfc = llr.NewLink(llr.Profile{}, 0, [2]byte{}), cbfc.NewPort(cbfc.Settings{})
		l.Partner, l.modes = partner.New(0), negotiation.Machine{}
	}
	if err := snapshot.Restore("port", saved, p); err != nil {
		return err
	}
	if again := snapshot.Save("port", p); !bytes.Equal(saved, again) {
		return fmt.Errorf("saved:\n%s\nrestored:\n%s", saved, again)
	}
	return nil
}

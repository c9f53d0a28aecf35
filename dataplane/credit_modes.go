package dataplane

import (
	"errors"
	"fmt"
	"slices"

	"uelink/cbfc"
)

// ErrNoCBFC says that CBFC is off where it is needed.
var ErrNoCBFC = errors.New("CBFC is off")

// ErrNoVC says that a link has no such virtual channel.
var ErrNoVC = errors.New("no such virtual channel")

// NegotiatedCBFC is what LLDP has agreed of CBFC, and what the partner says of itself.
type NegotiatedCBFC struct {
	On       bool
	VCs      int       // the first of the virtual channels are used
	Lossless uint32    // bit n: VC n is lossless at both ends
	Pool     int       // credits that the partner grants in all; 0: it has not said
	Size     cbfc.Size // in which the partner counts; zero: it has not said
}

// creditModes is what decides, beside the settings, which channels of a link are under credits.
type creditModes struct {
	on       bool   // CBFC is on, as it was switched last
	switched uint32 // channels that a command has switched since the settings were read
	lossless uint32 // and which of them are to be lossless
	leaves   int64  // channels leave their credits until then before CBFC goes off, ns; 0: it does not go off
}

// creditSettings is CBFC as it is to be now. In mode dynamic it is the settings as far as LLDP has
// agreed them. When that is withdrawn CBFC stays on, and grants nothing, while channels leave their
// credits.
func (l *link) creditSettings() cbfc.Settings {
	s := l.settings.CBFC
	m := &l.credit
	s.Lossless = s.Lossless&^m.switched | m.lossless&m.switched
	if !l.settings.CBFCDynamic {
		return s
	}
	agreed := uint32(0)
	if a := &l.agreed.CBFC; a.On {
		agreed = a.Lossless & (1<<a.VCs - 1)
	}
	s.On = s.On && (l.agreed.CBFC.On || m.leaves != 0)
	s.Lossless &= agreed
	for vc := range s.Limit {
		if agreed>>vc&1 == 0 {
			s.Limit[vc] = 0
		}
	}
	return s
}

// followCredits switches CBFC as it is to be.
func (l *link) followCredits(now int64) {
	s := l.creditSettings()
	l.credit.on = s.On
	l.cbfc.Configure(s, now)
	l.boundQueues(s.Lossless)
	l.shut = 0
}

// boundQueues gives each channel the bound of its queue, but none to one that is to be lossless, for that drops
// nothing.
func (l *link) boundQueues(lossless uint32) {
	for vc := range l.settings.QueueOctets {
		l.queues[vc].bound = l.settings.QueueOctets[vc]
		if lossless>>vc&1 != 0 {
			l.queues[vc].bound = 0
		}
	}
}

// agreeCredits takes that LLDP has agreed something else than before.
func (l *link) agreeCredits(now int64) {
	if !l.settings.CBFCDynamic {
		return
	}
	l.credit.leaves = 0
	if l.credit.on && !l.agreed.CBFC.On {
		l.credit.leaves = max(now+l.drain, 1)
	}
	l.followCredits(now)
}

// retireCredits switches CBFC off when no channel has credits any more, or the time for that is over.
func (l *link) retireCredits(now int64) {
	left := l.cbfc.Tx.Counted()|l.cbfc.Moving() == 0 && l.cbfc.Rx.Off()
	if l.credit.leaves == 0 || !left && now < l.credit.leaves {
		return
	}
	l.credit.leaves = 0
	l.followCredits(now)
}

// configureCredits takes new settings, which end what commands have switched.
func (l *link) configureCredits(now int64) {
	l.credit.switched, l.credit.lossless = 0, 0
	l.followCredits(now)
}

// setVC has what is sent on a channel be lossless, or not, whatever the settings say.
func (l *link) setVC(vc int, lossless bool, now int64) error {
	switch {
	case !l.settings.CBFC.On:
		return ErrNoCBFC
	case vc < 0 || vc >= l.vcs():
		return fmt.Errorf("VC %d: %w: the port has %d, 0 to %d", vc, ErrNoVC, l.vcs(), l.vcs()-1)
	}
	bit := uint32(1) << vc
	l.credit.switched |= bit
	l.credit.lossless &^= bit
	if lossless {
		l.credit.lossless |= bit
	}
	l.followCredits(now)
	return nil
}

// creditsState is a snapshot of the credits. Channels that are configured to be lossless are in it
// also while CBFC is off.
func (l *link) creditsState(now int64) cbfc.State {
	s := l.cbfc.State(now)
	for vc := range cbfc.VCs {
		there := slices.ContainsFunc(s.VCs, func(v cbfc.VCState) bool { return v.VC == vc })
		if l.settings.CBFC.Lossless>>vc&1 == 1 && !there {
			s.VCs = append(s.VCs, cbfc.VCState{VC: vc})
		}
	}
	slices.SortFunc(s.VCs, func(a, b cbfc.VCState) int { return a.VC - b.VC })
	return s
}

// SetVC has what a link port sends on a virtual channel be lossless, or best effort, until the next
// reload: in mode dynamic, as far as LLDP has agreed it.
func (d *Dataplane) SetVC(port string, vc int, lossless bool) error {
	var refused error
	if err := d.onLink(port, func(l *link, now int64) { refused = l.setVC(vc, lossless, now) }); err != nil {
		return err
	}
	if refused != nil {
		return fmt.Errorf("%s: %w", port, refused)
	}
	return nil
}

// CreditState is what there is to show of a link's CBFC besides its credits.
type CreditState struct {
	Settings cbfc.Settings // as they hold now
	Dynamic  bool          // they follow what LLDP has agreed
	Agreed   NegotiatedCBFC
	Leaving  bool   // it was withdrawn, and channels leave their credits
	Differ   uint32 // bit n: the two ends seem to count the credits of VC n differently
}

// creditState is a snapshot.
func (l *link) creditState() *CreditState {
	return &CreditState{
		Settings: l.creditSettings(), Dynamic: l.settings.CBFCDynamic, Agreed: l.agreed.CBFC, Leaving: l.credit.leaves != 0,
		Differ: l.creditsTold.differ(),
	}
}

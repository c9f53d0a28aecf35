package path

import (
	"errors"
	"fmt"
	"slices"

	"uelink/cbfc"
	"uelink/dataplane/model"
	"uelink/wire"
)

// ErrNoCBFC is returned by an operation that needs CBFC while CBFC is off.
var ErrNoCBFC = errors.New("CBFC is off")

// ErrNoVC is returned for a virtual channel that the link does not have.
var ErrNoVC = errors.New("no such virtual channel")

// creditModes holds, beside the settings, the state that decides which channels of a link use credits.
type creditModes struct {
	on       bool      // CBFC is on, by the settings last put into force
	switched uint32    // channels switched by a command since the settings were read
	lossless uint32    // those of the switched channels that shall be lossless
	asked    uint32    // channels for which the partner has asked this end for credits
	leaves   wire.Time // time at which CBFC goes off even if channels still use credits; 0: CBFC stays on
}

// creditSettings returns the CBFC settings that shall be in force now: those of the configuration, with the channels
// that a command has switched (SetVC). In mode dynamic they are within the limits agreed by LLDP. When LLDP's agreement
// is withdrawn CBFC stays on, and grants nothing, until all channels have stopped using credits or a time limit (field
// leaves) has passed.
// Clauses: UE-LINK/overview.12.
func (l *Link) creditSettings() cbfc.Settings {
	s := l.Port.settings.CBFC
	m := &l.credit
	s.Lossless = s.Lossless&^m.switched | m.lossless&m.switched
	if !l.Port.settings.CBFCDynamic {
		return s
	}
	agreed := uint32(0)
	if a := &l.modes.agreed.CBFC; a.On {
		agreed = a.Lossless & (1<<a.VCs - 1)
	}
	s.On = s.On && (l.modes.agreed.CBFC.On || m.leaves != 0)
	s.Lossless &= agreed
	for vc := range s.Limit {
		if agreed>>vc&1 == 0 {
			s.Limit[vc] = 0
		}
	}
	return s
}

// followCredits puts the result of creditSettings into force.
func (l *Link) followCredits(now wire.Time) {
	s := l.creditSettings()
	l.credit.on = s.On
	l.cbfc.Configure(s, now)
	l.boundQueues(s.Lossless)
	l.Port.egress.shut = 0
}

// boundQueues sets how many octets may wait in the queue of each channel. A channel in the bitmap lossless has no
// bound, because it drops nothing.
func (l *Link) boundQueues(lossless uint32) {
	for vc := range l.Port.settings.QueueOctets {
		l.Port.egress.queues[vc].bound = l.Port.settings.QueueOctets[vc]
		if lossless>>vc&1 != 0 {
			l.Port.egress.queues[vc].bound = 0
		}
	}
}

// agreeCredits applies a changed agreement of LLDP to CBFC in mode dynamic. If the agreement is withdrawn while CBFC is
// on, CBFC goes off after modes.drain at the latest.
func (l *Link) agreeCredits(now wire.Time) {
	if !l.Port.settings.CBFCDynamic {
		return
	}
	l.credit.leaves = 0
	if l.credit.on && !l.modes.agreed.CBFC.On {
		l.credit.leaves = max(now.Add(l.modes.drain), 1)
	}
	l.followCredits(now)
}

// retireCredits switches CBFC off when no channel has credits any more, or when the time limit has passed.
func (l *Link) retireCredits(now wire.Time) {
	left := l.cbfc.Tx.Counted()|l.cbfc.Moving() == 0 && l.cbfc.Rx.Off()
	if l.credit.leaves == 0 || !left && now < l.credit.leaves {
		return
	}
	l.credit.leaves = 0
	l.followCredits(now)
}

// configureCredits applies new CBFC settings, and cancels the switches of channels made by commands (SetVC).
func (l *Link) configureCredits(now wire.Time) {
	l.credit.switched, l.credit.lossless = 0, 0
	l.followCredits(now)
}

// SetVC makes a channel of this sender lossless or best effort, whatever the settings say, until other settings are
// applied. Errors: ErrNoCBFC, ErrNoVC.
func (l *Link) SetVC(vc int, lossless bool, now wire.Time) error {
	switch {
	case !l.Port.settings.CBFC.On:
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

// creditsState returns a snapshot of the credit counts of all channels. Channels configured as lossless are
// included while CBFC is off, too.
func (l *Link) creditsState(now wire.Time) cbfc.State {
	s := l.cbfc.State(now)
	for vc := range cbfc.VCs {
		listed := slices.ContainsFunc(s.VCs, func(v cbfc.VCState) bool { return v.VC == vc })
		if l.Port.settings.CBFC.Lossless>>vc&1 == 1 && !listed {
			s.VCs = append(s.VCs, cbfc.VCState{VC: vc})
		}
	}
	slices.SortFunc(s.VCs, func(a, b cbfc.VCState) int { return a.VC - b.VC })
	return s
}

// creditState returns a snapshot of the CBFC settings in force, LLDP's agreement, and the channels whose credits
// the two ends count differently.
func (l *Link) creditState() *model.CreditState {
	return &model.CreditState{
		Settings: l.creditSettings(), Dynamic: l.Port.settings.CBFCDynamic, Agreed: l.modes.agreed.CBFC,
		Leaving: l.credit.leaves != 0,
		Differ:  l.creditReports.differ(),
	}
}

package path

import (
	"time"

	"uelink/dataplane/model"
	"uelink/dataplane/negotiation"
	"uelink/llr"
	"uelink/wire"
)

// Negotiated is the result of LLDP with the partner of a link in mode dynamic.
type Negotiated struct {
	Local   bool   // LLR_MODE_LOCAL may be on
	Remote  bool   // LLR_MODE_REMOTE may be on
	Partner string // state of the partner in a word, to be shown to people
	CBFC    model.NegotiatedCBFC
}

// modes is which directions of LLR are on, by settings, commands and the agreement of both ends over LLDP.
type modes struct {
	machine     negotiation.Machine
	agreed      Negotiated        // the last result of LLDP in force
	transmitter negotiation.State // state that LLR's transmitter was last switched to
	receiver    negotiation.State // state that LLR's receiver was last switched to
	postponed   *Negotiated       // result of LLDP to apply when the partner's absence is over; nil: none
	drain       time.Duration     // longest time for a direction to retire after it was switched off
}

// Agree applies the result of LLDP to the link. While the partner is away, Agree postpones a result that switches
// LLR off or changes CBFC, because LLR delivers the frames of the meantime when the partner is back.
func (l *Link) Agree(n Negotiated, now wire.Time) {
	l.modes.postponed = nil
	if l.Partner.Away(now) && l.modes.losesLLR(n) {
		l.modes.postponed = &n
		return
	}
	before := l.modes.agreed.CBFC
	l.modes.agreed = n
	if n.CBFC != before {
		l.agreeCredits(now)
	}
	l.modes.machine.ReceivedAgreement(negotiation.Both{Local: n.Local, Remote: n.Remote}, now)
	l.follow(now)
}

// AllowLocal applies a command that sets LLR_MODE_LOCAL; in mode dynamic the command sets this end's willingness.
func (l *Link) AllowLocal(on bool, now wire.Time) {
	l.modes.machine.SetLocal(on, now)
	l.follow(now)
}

// AllowRemote applies a command that sets LLR_MODE_REMOTE; in mode dynamic the command sets this end's willingness.
func (l *Link) AllowRemote(on bool, now wire.Time) {
	l.modes.machine.SetRemote(on, now)
	l.follow(now)
}

// configureModes applies the mode and the directions of LLR in the settings.
// Clauses: SAI-LLR/workflow.2.
func (l *Link) configureModes(now wire.Time) {
	s := l.Port.settings.LLR
	willing := negotiation.Both{Local: s.Local, Remote: s.Remote}
	if s.Mode == model.LLROff {
		willing = negotiation.Both{}
	}
	l.modes.machine.Configure(s.Mode == model.LLRDynamic, willing, l.modes.drain, now)
	l.follow(now)
}

// unsequenced records that a frame without LLR arrived: the partner's transmitter is off. A receiver that waits for
// such a frame before it goes off may go off then.
func (l *Link) unsequenced() {
	if l.modes.receiver == negotiation.Retiring {
		l.modes.machine.ReceivedUnsequenced(l.LLR.Rx.AwaitsFirstFrame())
		l.followReceiver()
	}
}

// retire switches off each direction of LLR that was to go off and has delivered its frames, or is out of time; and so
// CBFC (retireCredits).
func (l *Link) retire(now wire.Time) {
	l.retireCredits(now)
	if l.modes.transmitter != negotiation.Retiring && l.modes.receiver != negotiation.Retiring {
		return
	}
	outstanding, _ := l.LLR.Tx.Outstanding()
	c := l.LLR.Counters()
	l.modes.machine.Poll(negotiation.Progress{Outstanding: outstanding, Received: c.RxOK + c.TxInitEchoCtlOS}, now)
	l.follow(now)
}

// follow switches LLR's transmitter and receiver on or off as the negotiation has decided.
// Clauses: UE-LINK/overview.11.
func (l *Link) follow(now wire.Time) {
	before := l.remote()
	l.modes.transmitter = l.modes.machine.Transmitter()
	if on := l.remote(); on != before {
		l.LLR.Tx.SetMode(on, now)
		l.Free()
	}
	l.followReceiver()
}

// followReceiver switches LLR's receiver on or off as the negotiation has decided. When the receiver goes off, frames
// kept behind a gap are freed. Once the receiver is being retired, the partner may send frames without a shim.
func (l *Link) followReceiver() {
	before, active := l.modes.receiver, l.local()
	l.modes.receiver = l.modes.machine.Receiver()
	if on := l.local(); on != active {
		l.LLR.Rx.SetMode(on)
		l.freeKept()
	}
	if l.modes.receiver == negotiation.Retiring && before != l.modes.receiver {
		l.Partner.AllowUnshimmed()
	}
}

// local reports whether LLR_MODE_LOCAL is set: LLR's receiver is on.
func (l *Link) local() bool { return l.modes.receiver != negotiation.Off }

// remote reports whether LLR_MODE_REMOTE is set: LLR's transmitter is on.
func (l *Link) remote() bool { return l.modes.transmitter != negotiation.Off }

// negotiation returns the state of the LLR negotiation by LLDP; nil outside mode dynamic.
func (l *Link) negotiation() *model.LLRNegotiation {
	if !l.modes.machine.Dynamic() {
		return nil
	}
	willing := l.modes.machine.Willing()
	n := &model.LLRNegotiation{
		Partner: l.modes.agreed.Partner, WillingLocal: willing.Local, WillingRemote: willing.Remote,
		AgreedLocal: l.modes.agreed.Local, AgreedRemote: l.modes.agreed.Remote,
		Retiring: l.modes.transmitter == negotiation.Retiring || l.modes.receiver == negotiation.Retiring,
	}
	if n.Partner == "" {
		n.Partner = "none"
	}
	return n
}

// awaitsPartner reports whether a silent partner is a problem: not while LLR is off and frames leave unchanged.
func (l *Link) awaitsPartner() bool {
	return l.LLR.Tx.State() != llr.TxOff || l.local() || l.addressing.shimOnly || l.Port.settings.Addressed()
}

// SetShimOnly sets whether frames without a shim on this wire belong to the host. If so, the link sends none,
// because the host at the other end would take them for its own.
func (l *Link) SetShimOnly(on bool) {
	l.addressing.shimOnly = on
	l.Partner.AlwaysSendStation(on)
}

// losesLLR reports whether a new agreement of LLDP switches LLR off, or changes CBFC.
func (m *modes) losesLLR(n Negotiated) bool {
	return m.agreed.Local && !n.Local || m.agreed.Remote && !n.Remote || m.agreed.CBFC != n.CBFC
}

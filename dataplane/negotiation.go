package dataplane

import (
	"uelink/llr"
	"uelink/wire"
)

// Negotiated is what LLDP has agreed with the partner of a link in mode dynamic.
type Negotiated struct {
	Local   bool   // LLR_MODE_LOCAL may be on
	Remote  bool   // LLR_MODE_REMOTE may be on
	Partner string // what is known of the partner, in a word, to be shown
}

// retireQuiet is how long the receiver of a link whose LLR is no longer agreed
// stays on after the last sequenced frame, unless the partner shows earlier by an
// unsequenced one that its transmitter is off: longer than the partner's agent is
// told again and again.
const retireQuiet = 5e9 // ns

// dynamic is the LLR modes of a link on their way. In mode dynamic a direction is on
// while it is agreed and this end is willing. Before it goes off it retires, in every
// mode: the transmitter takes no new frame and waits until what is outstanding has been
// delivered, the receiver goes on until the partner's transmitter has done the same. So
// no frame is lost.
//
//	      agreed                 not agreed             delivered, or too late
//	off ──────────► on ─────────────────────► retiring ────────────────────────► off
//	                ▲                            │
//	                └────────── agreed ──────────┘
type dynamic struct {
	willingLocal, willingRemote bool
	agreed                      Negotiated

	txRetiring, rxRetiring bool
	txSince                int64  // when the transmitter began to retire
	rxBegan                int64  // when the receiver began to
	rxSince                int64  // when it began to, or got a sequenced frame
	rxSeen                 uint64 // sequenced frames that had come then
}

// negotiates tells whether LLDP decides about LLR.
func (l *link) negotiates() bool { return l.settings.LLR.Mode == LLRDynamic }

// agree takes what LLDP has agreed.
func (l *link) agree(n Negotiated, now int64) {
	l.dynamic.agreed = n
	if l.negotiates() {
		l.follow(now)
	}
}

// follow switches both directions on, or has them retire.
func (l *link) follow(now int64) {
	d := &l.dynamic
	switch want := d.willingRemote && d.agreed.Remote; {
	case want:
		d.txRetiring = false
		if !l.remote {
			l.setRemote(true, now)
		}
	default:
		l.retireRemote(now)
	}
	switch want := d.willingLocal && d.agreed.Local; {
	case want:
		d.rxRetiring = false
		if !l.local {
			l.setLocal(true)
		}
	default:
		l.retireLocal(now)
	}
}

// switchRemote is LLR_MODE_REMOTE where nothing is negotiated.
func (l *link) switchRemote(on bool, now int64) {
	if on {
		l.dynamic.txRetiring = false
		l.setRemote(true, now)
		return
	}
	l.retireRemote(now)
}

// switchLocal is LLR_MODE_LOCAL where nothing is negotiated.
func (l *link) switchLocal(on bool, now int64) {
	if on {
		l.dynamic.rxRetiring = false
		l.setLocal(true)
		return
	}
	l.retireLocal(now)
}

// retireRemote has the transmitter retire, if it is on.
func (l *link) retireRemote(now int64) {
	if d := &l.dynamic; l.remote && !d.txRetiring {
		d.txRetiring, d.txSince = true, now
	}
}

// retireLocal has the receiver retire, if it is on.
func (l *link) retireLocal(now int64) {
	if d := &l.dynamic; l.local && !d.rxRetiring {
		d.rxRetiring, d.rxSince, d.rxBegan, d.rxSeen = true, now, now, l.llr.Counters().RxOK
		l.partner.Unshimmed()
	}
}

// retire ends what has retired. Where LLR is negotiated the partner's transmitter does so
// too; else its receiver is waited for no longer than drain_timeout.
func (l *link) retire(now int64) {
	d := &l.dynamic
	if outstanding, _ := l.llr.Tx.Outstanding(); d.txRetiring && (outstanding == 0 || now-d.txSince > l.drain) {
		d.txRetiring = false
		l.setRemote(false, now)
	}
	if !d.rxRetiring {
		return
	}
	if seen := l.llr.Counters().RxOK; seen != d.rxSeen {
		d.rxSeen, d.rxSince = seen, now
	}
	if now-d.rxSince > retireQuiet || !l.negotiates() && now-d.rxBegan > l.drain {
		l.retired()
	}
}

// unsequenced notes that the partner sends frames without LLR.
func (l *link) unsequenced() {
	if l.dynamic.rxRetiring {
		l.retired()
	}
}

func (l *link) retired() {
	l.dynamic.rxRetiring = false
	l.setLocal(false)
}

// takesNative tells whether a frame without a shim may be the partner's: one of before
// it had heard of this end, or one while LLR is off, or on its way off, in both
// directions. What looks like a shim or a control frame with a damaged EtherType is none,
// but on a wire on which there can be neither.
func (l *link) takesNative(f []byte) bool {
	off := !l.local && !l.remote
	if off && !l.partner.Known() {
		return true
	}
	return (off || l.dynamic.rxRetiring || !l.partner.Shims()) &&
		!wire.LooksLikeShim(f, l.settings.Dialect) && !wire.LooksLikeControl(f)
}

// negotiation is what there is to show of it; nil in the other modes.
func (l *link) negotiation() *LLRNegotiation {
	if !l.negotiates() {
		return nil
	}
	d := l.dynamic
	n := &LLRNegotiation{Partner: d.agreed.Partner, WillingLocal: d.willingLocal, WillingRemote: d.willingRemote,
		AgreedLocal: d.agreed.Local, AgreedRemote: d.agreed.Remote, Retiring: d.txRetiring || d.rxRetiring}
	if n.Partner == "" {
		n.Partner = "none"
	}
	return n
}

// awaitsPartner tells whether a partner that is silent is a problem: not where LLR is
// off.
func (l *link) awaitsPartner() bool { return l.llr.Tx.State() != llr.TxOff || l.local }

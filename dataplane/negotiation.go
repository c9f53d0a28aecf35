package dataplane

import "uelink/llr"

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

// dynamic is the LLR modes of a link that negotiates them. A direction is on
// while it is agreed and this end is willing. Before it goes off it retires: the
// transmitter takes no new frame and waits until what is outstanding has been
// delivered, the receiver goes on until the partner's transmitter has done the
// same. So no frame is lost.
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
	rxSince                int64  // when the receiver began to, or got a sequenced frame
	rxSeen                 uint64 // sequenced frames that had come then
}

// negotiates tells whether LLDP decides about LLR.
func (l *link) negotiates() bool { return l.settings.LLR.Mode == "dynamic" }

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
	case l.remote && !d.txRetiring:
		d.txRetiring, d.txSince = true, now
	}
	switch want := d.willingLocal && d.agreed.Local; {
	case want:
		d.rxRetiring = false
		if !l.local {
			l.setLocal(true)
		}
	case l.local && !d.rxRetiring:
		d.rxRetiring, d.rxSince, d.rxSeen = true, now, l.llr.Counters().RxOK
		l.partner.shims = false
	}
}

// retire ends what has retired.
func (l *link) retire(now int64) {
	d := &l.dynamic
	if outstanding, _ := l.llr.Tx.Outstanding(); d.txRetiring && (outstanding == 0 || now-d.txSince > partnerTimeout) {
		d.txRetiring = false
		l.setRemote(false, now)
	}
	if !d.rxRetiring {
		return
	}
	if seen := l.llr.Counters().RxOK; seen != d.rxSeen {
		d.rxSeen, d.rxSince = seen, now
	}
	if now-d.rxSince > retireQuiet {
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

// shimmed notes a data frame with a shim: from now on a frame without one is a
// damaged one.
func (l *link) shimmed() {
	l.partner.shims = l.local && !l.dynamic.rxRetiring
}

// takesNative tells whether a frame without a shim may be the partner's. One that
// negotiates sends such frames until it has heard of this end, and again after LLR
// has been given up.
func (l *link) takesNative() bool {
	return !l.partner.known || l.negotiates() && !l.partner.shims
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

// awaitsPartner tells whether a partner that is silent is a problem: not where no
// LLR has been agreed with one.
func (l *link) awaitsPartner() bool {
	return !l.negotiates() || l.llr.Tx.State() != llr.TxOff || l.local
}

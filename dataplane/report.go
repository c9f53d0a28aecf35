package dataplane

import (
	"fmt"
	"net"

	"uelink/llr"
)

// reported is the state of a link as its last events told it. REPLAY counts as
// ADVANCE and a NACK as SEND_ACKS: they come and go with every lost frame.
type reported struct {
	tx      llr.TxState
	rxOff   bool
	known   bool
	problem problem
	flushes uint64
}

// report tells the hub what has changed since it was called last.
func (x *xconnect) report(h *hub) {
	l := x.link
	is := reported{
		tx: l.llr.Tx.State(), rxOff: l.llr.Rx.State() == llr.RxOff,
		known: l.partner.known, problem: l.partner.problem,
		flushes: l.llr.Counters().TxFlush,
	}
	if is.tx == llr.TxReplay {
		is.tx = llr.TxAdvance
	}
	if is != x.last {
		x.reportChange(h, is)
		x.last = is
	}
}

func (x *xconnect) reportChange(h *hub, is reported) {
	l, was, name := x.link, x.last, x.link.settings.Name
	if is.flushes > was.flushes {
		h.emit(name, EventLLRTxStatus, "FLUSH: "+l.llr.Tx.FlushReason())
	}
	if is.tx != was.tx && is.tx != llr.TxFlush {
		h.emit(name, EventLLRTxStatus, is.tx.String())
	}
	if is.rxOff != was.rxOff {
		h.emit(name, EventLLRRxStatus, l.llr.Rx.State().String())
	}
	if is.known != was.known {
		text := "forgotten: no control frame for 3 s"
		if is.known {
			text = "known: " + net.HardwareAddr(l.partner.mac[:]).String()
		}
		h.emit(name, EventPartner, text)
	}
	if is.problem != was.problem && is.problem != noProblem {
		h.emit(name, EventPartner, l.problemText())
	}
}

// problemText says what is wrong with the partner and what to do.
func (l *link) problemText() string {
	s := l.settings
	switch l.partner.problem {
	case problemDialect:
		return fmt.Sprintf("partner speaks dialect %s, this port %s: set the same dialect at both ends", s.Dialect.Other(), s.Dialect)
	case problemEtherType:
		return fmt.Sprintf("partner sends under EtherType %#04x, this port expects data %#04x and control %#04x: set the same ethertypes at both ends",
			l.partner.etherType, s.EtherTypeData, s.EtherTypeControl)
	case problemNoFCS:
		return "partner sends no FCS image and this port demands one: set fcs alike at both ends"
	case problemSilent:
		return "partner is silent: is uelinkd running there with LLR on?"
	}
	return ""
}

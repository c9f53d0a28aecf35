package dataplane

import (
	"net"

	"uelink/dataplane/partner"
	"uelink/llr"
)

// reported is the state of a link as its last events told it. REPLAY counts as
// ADVANCE and a NACK as SEND_ACKS: they come and go with every lost frame.
type reported struct {
	tx      llr.TxState
	rxOff   bool
	known   bool
	problem partner.Problem
	flushes uint64
	reinits uint64
	stalled bool
	still   bool
	busy    bool
}

// report tells the hub what has changed since it was called last.
func (x *xconnect) report(h *hub) {
	l := x.link
	is := reported{
		tx: l.llr.Tx.State(), rxOff: l.llr.Rx.State() == llr.RxOff,
		known: l.partner.Known(), problem: l.partner.Problem(), flushes: l.flushes,
	}
	is.reinits, _ = l.llr.Tx.Reinits()
	_, replays := l.llr.Tx.Stalled()
	is.stalled, is.still, is.busy = replays > 0, x.edgeStill.refusing, l.partner.Busy()
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
	if is.stalled && !was.stalled {
		h.emit(name, EventLLRStalled, l.stalledText())
	}
	if is.still != was.still {
		text := "takes frames again"
		if is.still {
			text = "takes no frames: does its host, or what is behind it, stand still? The partner is told to wait"
		}
		h.emit(x.edge.settings.Name, EventStandstill, text)
	}
	if is.busy != was.busy {
		text := "takes frames again"
		if is.busy {
			text = "takes no frames now: its edge stands still, and frames for it wait here"
		}
		h.emit(name, EventPartner, text)
	}
	if is.flushes > was.flushes {
		h.emit(name, EventLLRTxStatus, "FLUSH: "+l.flushText())
	}
	if is.reinits > was.reinits {
		_, why := l.llr.Tx.Reinits()
		h.emit(name, EventLLRTxStatus, "initialised again: "+why)
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
			mac := l.partner.MAC()
			text = "known: " + net.HardwareAddr(mac[:]).String()
		}
		h.emit(name, EventPartner, text)
	}
	if is.problem != was.problem && is.problem != partner.None {
		h.emit(name, EventPartner, l.problemText())
	}
}

// problemText says what is wrong with the partner and what to do.
func (l *link) problemText() string { return l.partner.Text(l.self, l.settings.EtherTypeControl) }

package path

import (
	"uelink/dataplane/qos"
	"uelink/llr"
	"uelink/wire"
)

// serve does the sending of a link that comes before any new frame of the round: it runs LLR's timers, sends due
// control frames, and posts replays. It returns the number of replayed frames.
func (l *Link) serve(now wire.Time) (replays int) {
	// Modes and refusal are brought up to date before review, whose STATION tells them to the partner.
	l.retire(now)
	if l.pushback.refusing {
		l.resume()
	}
	l.review(now)
	if !l.Port.Ready() {
		l.LLR.Expire(now)
		l.Free()
		return 0
	}
	// Control frames first: they free slots of the partner and grant credits, for which the other direction waits.
	l.sendControl(now)
	l.sendCounts(now)
	l.pace.limitRound(l.Port.tx.completions, l.Port.Slots.Posted, l.LLR.Tx.PostLimit())
	l.pace.replayed = l.replay()
	return l.pace.replayed
}

// resume lets the link accept data frames again, after a refusal for want of room, if there is room enough.
func (l *Link) resume() {
	if !l.pushback.resume(l.Port.sources) {
		l.Port.blocked = true // check again soon
		return
	}
	l.LLR.Rx.RoomAvailable()
}

// served ends the link's part of a round, and records the number of new frames sent as progress without a loss.
func (l *Link) served(wire.Time) {
	l.pace.sent(l.pace.fresh)
	l.pace.fresh, l.pace.replayed = 0, 0
}

// deadline returns when the link must be served next even if no frame comes.
func (l *Link) deadline(now wire.Time) wire.Time {
	deadline := l.LLR.Deadline()
	if !l.Port.Ready() {
		return deadline
	}
	deadline = min(deadline, l.Partner.Deadline(), l.modes.machine.Deadline(), l.cbfc.Deadline())
	if l.modes.postponed != nil {
		deadline = min(deadline, l.absence.postponedTo)
	}
	if at := l.Heard.Add(quiet); at > now && (l.LLR.Rx.OwesAck() || l.cbfc.Rx.OwesUpdate()) {
		deadline = min(deadline, at)
	}
	return deadline
}

// sendControl runs LLR's timers, posts all pending control messages as one control frame, and then posts probes of the
// wire's longest frame. Without room to send, only the timers run.
// Clauses: UE-LINK/ack.8, SAI-LLR/rx.3.
func (l *Link) sendControl(now wire.Time) {
	if l.Port.txRoom() == 0 {
		l.LLR.Expire(now)
		l.Free()
		l.Port.blocked = true
		return
	}
	list := l.LLR.Poll(now, now.Sub(l.Heard) >= quiet, l.control[:0])
	l.Free() // a timer of Poll may have flushed frames, whose slots the messages below can use
	list = l.Partner.AppendStation(l.self, list, l.LLR.StationRequested(), now)
	list = l.appendCredits(list, now)
	if len(list) > 0 {
		l.postControl(list, 0)
	}
	for l.Port.txRoom() > controlReserve {
		octets, ok := l.Partner.Probe(now)
		if !ok {
			return
		}
		l.postControl(l.Partner.AppendLastStation(l.control[:0]), octets)
	}
}

// postControl posts a control frame with the control ordered sets of list, padded to at least octets.
func (l *Link) postControl(list []wire.CtlOS, octets int) {
	slot, chunk := l.Port.slot()
	n := wire.PutControlTo(chunk, l.addressing.controlTo, l.Port.iface.mac, l.Port.settings.EtherTypeControl, list)
	l.Port.Slots.state[slot].len = uint32(wire.PadControl(chunk, n, octets))
	l.Port.Counters.TxControl++
	l.Partner.SentControl()
	l.Port.post(slot)
}

// replay posts the frames that LLR must send again, at most one batch, each checked (checkOldest) and with the present
// outer addresses. It returns the number of posted frames. A go-back-N replay counts as a loss for the pace.
func (l *Link) replay() (n int) {
	if l.LLR.Tx.Replaying() && l.LLR.Tx.State() == llr.TxReplay && l.LLR.Tx.Replays() == llr.GoBackN {
		l.pace.lost()
	}
	for ; l.LLR.Tx.Replaying(); n++ {
		if n == batch || l.pace.queued || l.Port.postRoom() <= controlReserve {
			l.Port.blocked = true
			return n
		}
		l.checkOldest()
		slot, ok := l.LLR.Tx.Replay()
		if !ok {
			return n
		}
		l.readdress(slot)
		l.Port.post(slot)
	}
	return n
}

// checkOldest poisons the frame to be replayed next if the partner lacks it and its copy has changed since it was first
// sent, by a fault of the memory or by somebody who writes where he should not. Its replays would arrive with a bad FCS
// image, however often; a poisoned frame is accepted and dropped, and the frames behind it go on. A frame that is still
// posted, or has no FCS image, is not checked.
// Clauses: SAI-LLR/counter.4.
func (l *Link) checkOldest() {
	slot, seq, length, ok := l.LLR.Tx.Oldest()
	if !ok || l.Port.Slots.state[slot].posted > 0 {
		return
	}
	f := l.slotFrame(slot)
	p, image := l.sentWith(slot, seq, int(length))
	if !image || wire.CheckFCS(f) != wire.FCSBad {
		return
	}
	if p.Addressed {
		copy(f, l.addressing.outer[:])
	}
	wire.Poison(f, l.Port.settings.EtherTypeData, l.Port.settings.Dialect, p)
	l.LLR.Tx.Poison()
	l.Port.Counters.TxDropChanged++
}

// sentWith returns the preamble image with which the frame in a slot, which has a sequence number and carries length
// octets, was first sent; image is false if it was sent without an FCS image. Since the octets of the slot may have
// changed, the image is made again from the length and the VC that the slot's state has.
func (l *Link) sentWith(slot, seq uint32, length int) (p wire.Preamble, image bool) {
	st := &l.Port.Slots.state[slot]
	if q, fault := wire.ParseData(l.slotFrame(slot), l.Port.settings.Dialect); fault == wire.NoFault && q.Seq == seq &&
		!q.FCS {
		return q, false
	}
	p = wire.Preamble{Seq: seq, Sequenced: true, FCS: true, To: wire.To{VC: st.vc}}
	if st.vc == qos.Classes {
		p.To = wire.To{Partner: true}
	}
	for _, p.Addressed = range [...]bool{false, true} {
		if p.DataLen(length) == int(st.len) {
			return p, true
		}
	}
	return p, false
}

// slotFrame returns the data frame in a slot that LLR holds.
func (l *Link) slotFrame(slot uint32) []byte {
	addr := l.Port.Slots.addr(slot)
	return l.Port.sources[0].area[addr : addr+uint64(l.Port.Slots.state[slot].len)]
}

// readdress writes the present outer addresses of the two ends into the frame in a slot, which is about to be
// replayed. A frame still posted in a TX ring stays unchanged.
func (l *Link) readdress(slot uint32) {
	st := &l.Port.Slots.state[slot]
	if !l.addressing.shim.Addressed || st.posted > 0 {
		return
	}
	f := l.slotFrame(slot)
	if wire.Addresses(f) == l.addressing.outer {
		return
	}
	if p, fault := wire.ParseData(f, l.Port.settings.Dialect); fault == wire.NoFault && p.Addressed {
		wire.Readdress(f, &l.addressing.outer, p.FCS)
	}
}

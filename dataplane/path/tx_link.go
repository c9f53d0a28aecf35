package path

import (
	"uelink/cbfc"
	"uelink/dataplane/negotiation"
	"uelink/dataplane/qos"
	"uelink/llr"
	"uelink/wire"
)

// serve does the sending of a link that comes before any new frame of the round: it runs LLR's timers, sends due
// control frames, and posts replays. It returns the number of replayed frames.
func (l *Link) serve(now wire.Time) (replays int) {
	l.retire(now)
	l.resume()
	l.review(now)
	if !l.Ready() {
		l.LLR.Expire(now)
		l.Free()
		return 0
	}
	l.sendControl(now)
	l.sendCounts(now)
	l.queued = l.ringIsFull()
	l.replayed = l.replay()
	return l.replayed
}

// ringIsFull reports whether as many frames of earlier rounds wait in the TX ring as LLR allows. The ring must not run
// empty before the next completions are seen, which come in batches: by an interrupt of a NIC, or with the rounds of a
// veth's other end. So twice a batch may wait in any case.
func (l *Link) ringIsFull() bool {
	if n := l.completions; n > 0 {
		l.atOnce = max(n, l.atOnce-(l.atOnce+7)/8)
	}
	return l.Slots.Posted >= max(l.LLR.Tx.PostLimit(), 2*l.atOnce)
}

// served ends the link's part of a round, and records the number of new frames sent as progress without a loss.
func (l *Link) served(wire.Time) {
	l.pace.sent(l.fresh)
	l.fresh, l.replayed = 0, 0
}

// deadline returns when the link must be served next even if no frame comes.
func (l *Link) deadline(now wire.Time) wire.Time {
	deadline := l.LLR.Deadline()
	if !l.Ready() {
		return deadline
	}
	deadline = min(deadline, l.Partner.Deadline(), l.modes.Deadline(), l.cbfc.Deadline())
	if l.postponed != nil {
		deadline = min(deadline, l.postponedTo)
	}
	if at := l.Heard.Add(quiet); at > now && (l.LLR.Rx.OwesAck() || l.cbfc.Rx.OwesUpdate()) {
		deadline = min(deadline, at)
	}
	return deadline
}

// replay posts the frames that LLR must send again, at most one batch. It returns the number of posted frames.
func (l *Link) replay() (n int) {
	if l.LLR.Tx.Replaying() && l.LLR.Tx.State() == llr.TxReplay && l.LLR.Tx.Replays() == llr.GoBackN {
		l.pace.lost()
	}
	for ; l.LLR.Tx.Replaying(); n++ {
		if n == batch || l.queued || l.postRoom() <= controlReserve {
			l.blocked = true
			return n
		}
		l.checkOldest()
		slot, ok := l.LLR.Tx.Replay()
		if !ok {
			return n
		}
		l.readdress(slot)
		l.post(slot)
	}
	return n
}

// checkOldest poisons the frame to be replayed next if the partner lacks it and its copy has changed since it was first
// sent, by a fault of the memory or by somebody who writes where he should not. Its replays would arrive with a bad FCS
// image, however often; a poisoned frame is accepted and dropped, and the frames behind it go on. A frame that is still
// posted, or has no FCS image, is not checked.
func (l *Link) checkOldest() {
	slot, seq, length, ok := l.LLR.Tx.Oldest()
	if !ok || l.Slots.state[slot].posted > 0 {
		return
	}
	f := l.held(slot)
	p, image := l.sentWith(slot, seq, int(length))
	if !image || wire.CheckFCS(f) != wire.FCSBad {
		return
	}
	if p.Addressed {
		copy(f, l.outer[:])
	}
	wire.Poison(f, l.settings.EtherTypeData, l.settings.Dialect, p)
	l.LLR.Tx.Poison()
	l.Counters.TxDropChanged++
}

// sentWith returns the preamble image with which the frame in a slot, which has a sequence number and carries length
// octets, was first sent; image is false if it was sent without an FCS image.
func (l *Link) sentWith(slot, seq uint32, length int) (p wire.Preamble, image bool) {
	st := &l.Slots.state[slot]
	if q, fault := wire.ParseData(l.held(slot), l.settings.Dialect); fault == wire.NoFault && q.Seq == seq && !q.FCS {
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

// held returns the data frame in a slot that LLR holds.
func (l *Link) held(slot uint32) []byte {
	addr := l.Slots.addr(slot)
	return l.sources[0].area[addr : addr+uint64(l.Slots.state[slot].len)]
}

// send sends a frame by the link, on a virtual channel, and returns whether the frame was sent, must wait or was
// dropped. While the link is down, frames that LLR would carry or hold back wait; frames that would leave bare are
// dropped.
func (l *Link) send(carried []byte, vc uint8, from *Port, now wire.Time) outcome {
	ready := l.Ready()
	if ready && (l.queued || l.fresh+l.replayed >= l.pace.limit || l.txRoom() <= controlReserve) {
		l.blocked = true
		return waits
	}
	if l.introduces && l.hesitates(vc) {
		return starved
	}
	if int(vc) >= l.channels {
		vc = 0
	}
	credits, gate := l.cbfc.Tx.Gate(vc, len(carried))
	switch {
	case gate == cbfc.TooLong:
		l.cbfc.Count.TooLong++
		return dropped
	case gate == cbfc.Shut:
		return starved
	}
	verdict := l.verdict(carried, vc, from)
	switch {
	case verdict == llr.Drop:
		return dropped
	case verdict == llr.Wait, verdict == llr.Sequence && !ready, l.Suspended:
		return waits
	case !ready:
		l.Counters.TxDropDown++
		return dropped
	}
	o := sent
	if verdict == llr.Bare {
		o = l.sendBare(carried, wire.Preamble{To: wire.To{VC: vc}}, from)
	} else {
		l.sequence(carried, wire.Preamble{To: wire.To{VC: vc}}, vc, now)
	}
	if o == sent {
		l.cbfc.Tx.Charge(vc, credits, now)
	}
	return o
}

// hesitates reports whether a frame of a virtual channel must wait until the partner has announced its capabilities. A
// frame moved to VC 0 would overtake frames of the channel that the partner still holds. A lossless channel has no
// credits yet. On an addressed link the outer addresses are still unknown.
func (l *Link) hesitates(vc uint8) bool {
	s := &l.settings.CBFC
	return int(vc) >= l.channels || s.On && s.Lossless>>vc&1 != 0 || l.settings.Addressed()
}

// verdict returns, by addresses, length and LLR, whether a frame is sent with a sequence number, sent bare, kept
// waiting or dropped. A drop has been counted. Bridges on the way may filter frames to reserved group addresses.
// Such frames are not sequenced on a transparent link, because every replay would be lost, too.
func (l *Link) verdict(carried []byte, vc uint8, from *Port) llr.Verdict {
	switch {
	case l.shim.DataLen(len(carried)) > l.Carries:
		from.Counters.RxOversized++
		return llr.Drop
	case l.away:
		return llr.Wait
	case !l.shim.Addressed && wire.Reserved(carried), l.settings.NoLLR>>vc&1 != 0:
		return llr.Bare
	case l.transmitter == negotiation.Retiring:
		return llr.Wait
	}
	return l.LLR.Tx.Admit(len(carried))
}

// sequence sends a frame that LLR admits with its next sequence number, keeps it for a replay, and counts it in
// unacked[account].
func (l *Link) sequence(carried []byte, p wire.Preamble, account uint8, now wire.Time) {
	slot, chunk := l.slot()
	p.Seq, p.Sequenced, p.FCS = l.LLR.Tx.Push(slot, len(carried), false, now), true, l.settings.FCS
	st := &l.Slots.state[slot]
	st.len = l.put(chunk, carried, p)
	st.held, st.vc = true, account
	l.unacked[account]++
	l.fresh++
	l.post(slot)
}

// sendBare sends a frame without a sequence number: in a shim to a known or a lost partner, else without a shim. An
// addressed link drops the frame while the partner is unknown or has not sent STATION yet.
func (l *Link) sendBare(carried []byte, p wire.Preamble, from *Port) outcome {
	shim := l.Partner.Present() || l.Partner.Lost() && l.awaitsPartner()
	switch {
	case l.settings.Addressed() && (!shim || l.Partner.Introducing()):
		l.Counters.TxDropNoPartner++
		return dropped
	case shim:
	case l.ownEtherType(wire.TrueType(carried)):
		from.Counters.RxOwnEtherType++
		return dropped
	case l.shimOnly:
		l.Counters.TxDropNoPartner++
		return dropped
	}
	slot, chunk := l.slot()
	st := &l.Slots.state[slot]
	if shim {
		p.FCS = l.settings.FCS
		st.len = l.put(chunk, carried, p)
		l.Counters.TxBare++
	} else {
		st.len = uint32(copy(chunk, carried))
		l.Counters.TxNative++
	}
	l.fresh++
	l.post(slot)
	return sent
}

// ownEtherType reports whether t is the EtherType of the link's data or control frames.
func (l *Link) ownEtherType(t uint16) bool {
	return t == l.settings.EtherTypeData || t == l.settings.EtherTypeControl
}

// sendControl runs LLR's timers, posts all pending control messages as one control frame, and then posts probes of the
// wire's longest frame. Without room to send, only the timers run.
func (l *Link) sendControl(now wire.Time) {
	if l.txRoom() == 0 {
		l.LLR.Expire(now)
		l.Free()
		l.blocked = true
		return
	}
	list := l.LLR.Poll(now, now.Sub(l.Heard) >= quiet, l.control[:0])
	l.Free()
	list = l.Partner.AppendStation(l.self, list, l.LLR.StationRequested(), now)
	list = l.appendCredits(list, now)
	if len(list) > 0 {
		l.postControl(list, 0)
	}
	for l.txRoom() > controlReserve {
		octets, ok := l.Partner.Probe(now)
		if !ok {
			return
		}
		l.postControl(l.Partner.AppendLastStation(l.control[:0]), octets)
	}
}

// postControl posts a control frame with the control ordered sets of list, padded to at least octets.
func (l *Link) postControl(list []wire.CtlOS, octets int) {
	slot, chunk := l.slot()
	n := wire.PutControlTo(chunk, l.controlTo, l.mac, l.settings.EtherTypeControl, list)
	l.Slots.state[slot].len = uint32(wire.PadControl(chunk, n, octets))
	l.Counters.TxControl++
	l.Partner.SentControl()
	l.Port.post(slot)
}

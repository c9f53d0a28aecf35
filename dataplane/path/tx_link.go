package path

import (
	"uelink/cbfc"
	"uelink/dataplane/negotiation"
	"uelink/dataplane/qos"
	"uelink/llr"
	"uelink/wire"
)

// send sends a frame by the link, on a virtual channel, and returns whether the frame was sent, must wait or was
// dropped. While the link is down, frames that LLR would carry or hold back wait; frames that would leave bare are
// dropped.
// Clauses: UE-LINK/overview.7,8, UE-LINK/cf.14.
func (l *Link) send(carried []byte, vc uint8, from *Port, now wire.Time) outcome {
	ready := l.Port.Ready()
	if ready && (l.pace.queued || l.pace.fresh+l.pace.replayed >= l.pace.limit || l.Port.txRoom() <= controlReserve) {
		l.Port.blocked = true
		return waits
	}
	if l.absence.introduces && l.hesitates(vc) {
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
	case verdict == llr.Wait, verdict == llr.Sequence && !ready, l.Port.Suspended:
		return waits
	case !ready:
		l.Port.Counters.TxDropDown++
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
	s := &l.Port.settings.CBFC
	return int(vc) >= l.channels || s.On && s.Lossless>>vc&1 != 0 || l.Port.settings.Addressed()
}

// verdict returns, by addresses, length and LLR, whether a frame is sent with a sequence number, sent bare, kept
// waiting or dropped. A drop has been counted. Bridges on the way may filter frames to reserved group addresses.
// Such frames are not sequenced on a transparent link, because every replay would be lost, too.
func (l *Link) verdict(carried []byte, vc uint8, from *Port) llr.Verdict {
	switch {
	case l.addressing.shim.DataLen(len(carried)) > l.Lengths.Carries:
		from.Counters.RxOversized++
		return llr.Drop
	case l.absence.away:
		return llr.Wait
	case !l.addressing.shim.Addressed && wire.Reserved(carried), l.Port.settings.NoLLR>>vc&1 != 0:
		return llr.Bare
	case l.modes.transmitter == negotiation.Retiring:
		return llr.Wait
	}
	return l.LLR.Tx.Admit(len(carried))
}

// sequence sends a frame that LLR admits with its next sequence number, keeps it for a replay, and counts it in
// unacked[account]: account is its VC, or qos.Classes for a frame to the partner itself.
// Clauses: UE-LINK/preamble.5, SAI-LLR/tx.1.
func (l *Link) sequence(carried []byte, p wire.Preamble, account uint8, now wire.Time) {
	slot, chunk := l.Port.slot()
	p.Seq, p.Sequenced, p.FCS = l.LLR.Tx.Push(slot, len(carried), false, now), true, l.Port.settings.FCS
	st := &l.Port.Slots.state[slot]
	st.len = l.put(chunk, carried, p)
	st.unacked, st.vc = true, account
	l.account.unacked[account]++
	l.pace.fresh++
	l.Port.post(slot)
}

// sendBare sends a frame without a sequence number: in a shim to a known or a lost partner, else without a shim, and
// then only if it has no EtherType of the link and such frames do not belong to the host (shimOnly). An addressed link
// drops the frame while the partner is unknown or has not sent STATION yet.
// Clauses: SAI-LLR/action.3.
func (l *Link) sendBare(carried []byte, p wire.Preamble, from *Port) outcome {
	shim := l.Partner.Present() || l.Partner.Lost() && l.awaitsPartner()
	switch {
	case l.Port.settings.Addressed() && (!shim || l.Partner.Introducing()):
		l.Port.Counters.TxDropNoPartner++
		return dropped
	case shim:
	case l.ownEtherType(wire.TrueType(carried)):
		from.Counters.RxOwnEtherType++
		return dropped
	case l.addressing.shimOnly:
		l.Port.Counters.TxDropNoPartner++
		return dropped
	}
	slot, chunk := l.Port.slot()
	st := &l.Port.Slots.state[slot]
	if shim {
		p.FCS = l.Port.settings.FCS
		st.len = l.put(chunk, carried, p)
		l.Port.Counters.TxBare++
	} else {
		st.len = uint32(copy(chunk, carried))
		l.Port.Counters.TxNative++
	}
	l.pace.fresh++
	l.Port.post(slot)
	return sent
}

// ownEtherType reports whether t is the EtherType of the link's data or control frames.
func (l *Link) ownEtherType(t uint16) bool {
	return t == l.Port.settings.EtherTypeData || t == l.Port.settings.EtherTypeControl
}

// put writes a data frame into a chunk, with a shim by p around the carried frame, and returns the length of the
// data frame.
func (l *Link) put(chunk, carried []byte, p wire.Preamble) uint32 {
	s := &l.Port.settings
	if l.addressing.shim.Addressed {
		return uint32(wire.PutAddressed(chunk, carried, &l.addressing.outer, s.EtherTypeData, s.Dialect, p, false))
	}
	return uint32(wire.PutData(chunk, carried, s.EtherTypeData, s.Dialect, p, false))
}

// sendToPartner sends a frame for the partner itself, not for a host behind, ahead of waiting frames. It reports
// whether the frame was sent: false without TX room, or while LLR admits no frame.
// Clauses: UE-LINK/cc.8.
func (l *Link) sendToPartner(f []byte, now wire.Time) bool {
	if l.Port.txRoom() <= controlReserve {
		l.Port.blocked = true
		return false
	}
	switch l.verdict(f, 0, &l.Port) {
	case llr.Sequence:
		l.sequence(f, wire.Preamble{To: wire.To{Partner: true}}, qos.Classes, now)
	case llr.Bare:
		l.sendBare(f, wire.Preamble{To: wire.To{Partner: true}}, &l.Port)
	default:
		return false
	}
	return true
}

package llr

import "uelink/wire"

// receivedInit handles an LLR_INIT (UE-LINK §2.3: "Station B receives, sets next_rx_seq = init_seq. Station B sends
// LLR_INIT_ECHO echoing init_seq and init_data"), and returns whether it was believed. LLR_MODE_LOCAL must be on.
// vouched, acked: see partner.receivedInit.
// Clauses: UE-LINK/overview.3, UE-LINK/init.7, UE-LINK/echo.3.
func (r *Rx) receivedInit(c wire.CtlOS, vouched bool, acked uint32, now wire.Time) standing {
	s := r.partner.receivedInit(c, vouched, r.first, r.next, acked, now)
	switch s {
	case initStale:
		r.count.RxInitStale++
		r.asks = true
		return s
	case initRepeated:
		r.queueEcho(c)
		return s
	case initRestarted:
		r.count.PartnerRestart++
	case initAccepted:
	}
	r.next, r.first, r.live, r.overflowed = c.Seq, c.Seq, true, false
	r.forward.next, r.forward.acked = r.next, r.next
	r.startReplay()
	r.enter(RxSendAcks)
	r.queueEcho(c)
	return s
}

// queueEcho queues an LLR_INIT_ECHO that answers the LLR_INIT c; a full queue drops the oldest.
// Clauses: UE-LINK/init.8, UE-LINK/echo.2.
func (r *Rx) queueEcho(c wire.CtlOS) {
	if r.echo.waiting == echoesMax {
		copy(r.echo.list[:], r.echo.list[1:])
		r.echo.waiting--
	}
	c.Type = wire.LLRInitEcho
	r.echo.list[r.echo.waiting] = c
	r.echo.waiting++
}

// poll appends the receiver's control ordered sets that are due: the LLR_INIT_ECHOs queued, then one LLR_NACK, first
// sent or repeated, or one LLR_ACK. idle means that nothing was received for a while.
// Clauses: UE-LINK/overview.2, UE-LINK/machines.3, SAI-LLR/overview.4, SAI-LLR/go-back-n.4.
func (r *Rx) poll(now wire.Time, idle bool, out []wire.CtlOS) []wire.CtlOS {
	r.now = now
	out = append(out, r.echo.list[:r.echo.waiting]...)
	r.count.TxInitEchoCtlOS += uint64(r.echo.waiting)
	r.echo.waiting = 0
	if r.nack.awaited && r.state != RxNackSent {
		r.nack.answered(now)
	}
	switch {
	case r.state == RxSendNack:
		// SAI-LLR: "The LLR_NACK includes the sequence number of the most recent
		// successfully received LLR frame."
		r.count.TxNackCtlOS++
		r.enter(RxNackSent)
		r.Forwarded()
		r.nack.begin(now)
		return r.appendAck(wire.LLRNack, r.next, out)
	case r.repeatsNack() && r.nack.repeat(now):
		r.count.TxNackRepeated++
		r.clearOwed()
		return r.appendAck(wire.LLRNack, r.ackable(), out)
	case r.ackDue(now, idle):
		r.count.TxAckCtlOS++
		r.clearOwed()
		upTo := r.ackable()
		r.owed = upTo != r.next
		return r.appendAck(wire.LLRAck, upTo, out)
	}
	return out
}

// ackable returns the upper bound of an LLR_ACK: the sequence number after the last frame that may be acknowledged.
// With KeepFrames that is the last forwarded frame, otherwise the last accepted frame.
func (r *Rx) ackable() uint32 {
	if r.forward.keeps {
		return r.forward.next
	}
	return r.next
}

// waitsForCaller reports whether an owed LLR_ACK must wait because it would repeat the last LLR_ACK: with KeepFrames,
// while the caller has forwarded no further frame and no duplicate frame asks for a repetition.
func (r *Rx) waitsForCaller() bool {
	return r.forward.keeps && r.forward.next == r.forward.acked && !r.forward.repeat
}

// appendAck appends to out an LLR_ACK or LLR_NACK, as t says, that acknowledges every frame before sequence number
// upTo. In front of it, for a partner that understands STATION, it appends the count of duplicate frames; behind it, in
// selective replay, what is missing.
// Clauses: UE-LINK/ack.9, SAI-LLR/rx.2, SAI-LLR/go-back-n.5.
func (r *Rx) appendAck(t wire.CtlOSType, upTo uint32, out []wire.CtlOS) []wire.CtlOS {
	r.forward.acked = upTo
	if r.partner.started || r.nack.numbered {
		out = append(out, wire.Received{Twice: r.arrivals.twice, Nack: r.nack.number, Again: r.nack.late}.Item())
	}
	out = append(out, wire.CtlOS{Type: t, Seq: r.space.add(upTo, -1)})
	if r.reorder.on {
		out = r.appendGaps(out)
	}
	return out
}

// ackDue reports whether an LLR_ACK must be sent now: CTLOS_TARGET_SPACING octets have passed, the link is idle, or
// the LLR_ACK was delayed for ackDelayMax. It is false while no LLR_ACK is owed, or the caller has forwarded no new
// frame. The first call that finds an LLR_ACK owed begins the delay.
// Clauses: UE-LINK/ack.5,8, SAI-LLR/rx.1,4.
func (r *Rx) ackDue(now wire.Time, idle bool) bool {
	if !r.owed || r.waitsForCaller() {
		return false
	}
	if !r.delay.on {
		r.delay.on, r.delay.since = true, now
	}
	return idle || r.octets >= r.spacing || now >= after(r.delay.since, ackDelayMax)
}

// deadline returns when poll must run even if nothing arrives. That is the earlier of the next repetition of an
// LLR_NACK and of the end of the delay of an owed LLR_ACK. It is the time of the last poll, which means at once, if an
// echo, an LLR_NACK or an LLR_ACK waits that poll has not seen. Else it is wire.Never.
func (r *Rx) deadline() wire.Time {
	switch {
	case r.echo.waiting > 0 || r.state == RxSendNack:
		return r.now
	case r.repeatsNack():
		return min(r.nack.due, r.ackDeadline())
	}
	return r.ackDeadline()
}

// ackDeadline returns when poll must run for an owed LLR_ACK: at the end of its delay, or at the time of the last poll,
// which means at once. It is wire.Never if no LLR_ACK is owed, or one waits for the caller.
func (r *Rx) ackDeadline() wire.Time {
	switch {
	case !r.owed || r.waitsForCaller():
		return wire.Never
	case r.delay.on && r.octets < r.spacing:
		return after(r.delay.since, ackDelayMax)
	}
	return r.now
}

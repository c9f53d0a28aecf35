package hippi

import (
	"uelink/wire"
	"uelink/wire/micropacket"
)

// Status is the errors of a Message or Admin micropacket that has arrived (HIPPI-6400 §5.3.3, 5.4.3).
type Status struct {
	ECRC       bool // ERROR was 1: damaged before this link (9.1.3), or an Admin micropacket without TAIL (9.2.1)
	MissingEnd bool // the end of the Message is missing (9.2.3, 9.2.4)
	Overrun    bool // the payload was longer than M_len says, and is cut off (9.2.5)
	Underrun   bool // the payload was shorter than M_len says (9.2.5)
	Reset      bool // a Link Reset, Initialize or shutdown cut the Message
}

// Good reports whether the Message has arrived without any error.
func (s Status) Good() bool { return s == Status{} }

// Indication is the parameters of 64_TRANSFER.Indicate (5.3.3).
// Clauses: HIPPI-6400/service.5.
type Indication struct {
	D, S   micropacket.ULA
	SNAP   uint64
	Status Status
	Length int64  // M_len - 8, at least 0
	Data   []byte // the payload that has arrived, at most Length octets, in the memory of Accept
}

// arrival is the Message of a virtual channel on its way to the next layer.
type arrival struct {
	phase  arrivalPhase
	admin  bool                      // an Admin micropacket, not a Message
	single [micropacket.DataLen]byte // octets of the Admin micropacket
	head   micropacket.Head          // header of the Message
	status Status                    // errors so far
	chunk  []byte                    // memory of Accept for the payload
	at     int64                     // octets of payload in chunk; octets beyond the length of the Message are cut off
}

// arrivalPhase is the phase of an arrival.
type arrivalPhase uint8

// The phases of an arrival, in their order.
const (
	arrivalNone      arrivalPhase = iota // nothing arrives
	arrivalWaiting                       // the Header waits in the VC buffer for memory
	arrivalFilling                       // the payload goes into the memory of Accept
	arrivalSkipping                      // the Message was refused: its payload is discarded up to its end
	arrivalDone                          // complete, or cut off: to be indicated
	arrivalIndicated                     // indicated: the Response of the next layer is awaited (5.2)
)

// length returns the length of the Message's payload in octets: M_len without the 8 octets of the LLC/SNAP header.
func (a *arrival) length() int64 { return max(0, int64(a.head.MLen)-micropacket.SNAPLen) }

// reset cuts off the arriving Message at a reset of link l. A Message without memory, or refused, is forgotten. The
// memory that a Message was filling comes back to the caller by an indication.
func (a *arrival) reset(l *Link) {
	switch a.phase {
	case arrivalNone, arrivalDone, arrivalIndicated:
	case arrivalWaiting, arrivalSkipping:
		a.phase = arrivalNone
	case arrivalFilling:
		a.status.Reset = true
		l.finish(a)
	}
}

// Awaiting returns the virtual channels, as a bitmap, whose arriving Message waits for memory, or has arrived and waits
// for its indication.
func (l *Link) Awaiting() (vcs uint8) {
	for vc := range l.arrival {
		if p := l.arrival[vc].phase; p == arrivalWaiting || p == arrivalDone {
			vcs |= 1 << vc
		}
	}
	return vcs
}

// Arriving returns the header of a Message of a virtual channel that waits in the VC buffer until Accept gives it
// memory; ok is false if none waits. Its micropackets keep their credits meanwhile. The payload has M_len - 8 octets.
func (l *Link) Arriving(vc uint8) (h micropacket.Head, ok bool) {
	a := &l.arrival[vc&3]
	return a.head, a.phase == arrivalWaiting
}

// Accept gives the Message that Arriving has returned memory for its payload: from now on its micropackets are copied
// to chunk at once, and their credits go back to the partner. The memory comes back with the indication of the
// Message. ok is false if no Message waits, or chunk is shorter than the payload.
func (l *Link) Accept(vc uint8, chunk []byte, now wire.Time) (ok bool) {
	a := &l.arrival[vc&3]
	if a.phase != arrivalWaiting || a.length() > int64(len(chunk)) {
		return false
	}
	a.phase, a.chunk = arrivalFilling, chunk
	l.begun(vc&3, now)
	return true
}

// AcceptFrame reserves a chunk for the Ethernet frame of the Message that Arriving has returned: its payload goes
// behind the place of the frame's header. ok is false if the chunk is too short, or no Message waits.
func (l *Link) AcceptFrame(vc uint8, chunk []byte, now wire.Time) (ok bool) {
	return len(chunk) >= wire.HeaderLen && l.Accept(vc, chunk[wire.HeaderLen:], now)
}

// Refuse discards the Message that Arriving has returned, up to its end. No indication follows.
func (l *Link) Refuse(vc uint8, now wire.Time) {
	a := &l.arrival[vc&3]
	if a.phase != arrivalWaiting {
		return
	}
	l.Counters.RxRefused++
	a.phase = arrivalSkipping
	l.begun(vc&3, now)
}

// begun handles an arriving Message that was accepted or refused: it moves the payload in the Header, and the
// micropackets behind it, from the VC buffer to the memory of the Message, or discards them.
func (l *Link) begun(vc uint8, now wire.Time) {
	a, b := &l.arrival[vc], &l.dst.vc[vc]
	m := b.front()
	l.appendTo(a, micropacket.Payload(&m.Data)[:], m.Control)
	b.pop()
	l.emptied(b, now)
	l.deliver(vc, now)
}

// deliver moves micropackets from a VC buffer to the memory of the arriving Message, until the buffer is empty, the
// Message is complete, or the next Message has no memory yet. It does nothing at an intermediate device (Take).
func (l *Link) deliver(vc uint8, now wire.Time) {
	if l.profile.Intermediate {
		return
	}
	a, b := &l.arrival[vc], &l.dst.vc[vc]
	for a.phase < arrivalDone && a.phase != arrivalWaiting {
		m := b.front()
		switch {
		case m == nil:
			if !b.cutShort() {
				return
			}
			l.cut(a)
		case a.phase == arrivalNone:
			l.arrive(a, b, m)
		default:
			l.appendTo(a, m.Data[:], m.Control)
			b.pop()
		}
		l.emptied(b, now)
	}
}

// arrive begins to receive what micropacket m at the front of VC buffer b begins: a Message, whose Header stays in the
// buffer until there is memory, or an Admin micropacket, which needs none and is complete at once.
func (l *Link) arrive(a *arrival, b *vcBuffer, m *micropacket.Micropacket) {
	*a = arrival{}
	if m.Control.Type() == micropacket.Header {
		a.phase, a.head = arrivalWaiting, micropacket.ParseHead(&m.Data)
		return
	}
	a.admin, a.single = true, m.Data
	a.status.ECRC = m.Control.Error()
	b.pop()
	l.finish(a)
}

// cut ends an arriving Message whose last micropackets are missing: with the error MissingEnd, or, if it was refused,
// without an indication.
func (l *Link) cut(a *arrival) {
	if a.phase == arrivalSkipping {
		a.phase = arrivalNone
	}
	if a.phase == arrivalFilling {
		a.status.MissingEnd = true
		l.checkEnd(a)
	}
}

// appendTo appends the payload of a micropacket with control field c to an arriving Message, at most up to the length
// in M_len (9.2.5), notes its errors, and ends the Message at TAIL. The payload of a refused Message is discarded.
// Clauses: HIPPI-6400/destination.10.
func (l *Link) appendTo(a *arrival, payload []byte, c micropacket.Control) {
	if a.phase == arrivalSkipping {
		if c.Tail() {
			a.phase = arrivalNone
		}
		return
	}
	a.status.ECRC = a.status.ECRC || c.Error()
	room := a.length() - a.at
	a.at += int64(copy(a.chunk[a.at:], payload[:min(int64(len(payload)), room)]))
	switch {
	case c.Tail():
		l.checkEnd(a)
	case a.at == a.length() && !a.status.Overrun:
		a.status.Overrun = true
		l.Events.OverrunError.add()
	}
}

// checkEnd ends a Message. If payload is missing it sets the error Underrun and logs it (9.2.5).
// Clauses: HIPPI-6400/destination.10.
func (l *Link) checkEnd(a *arrival) {
	if a.at < a.length() {
		a.status.Underrun = true
		l.Events.UnderrunError.add()
	}
	l.finish(a)
}

// finish makes an arrived Message ready for its indication to the caller, and counts it.
func (l *Link) finish(a *arrival) {
	a.phase = arrivalDone
	if a.status.Good() {
		l.Counters.RxMessages++
	} else {
		l.Counters.RxMessageError++
	}
}

// TransferIndicate returns a Message that has arrived on a virtual channel (the standard's 64_TRANSFER.Indicate); ok
// is false if there is none. The next Message is returned only after TransferResponse.
func (l *Link) TransferIndicate(vc uint8) (i Indication, ok bool) {
	a := &l.arrival[vc&3]
	if a.phase != arrivalDone || a.admin {
		return Indication{}, false
	}
	a.phase = arrivalIndicated
	return Indication{D: a.head.D, S: a.head.S, SNAP: a.head.SNAP, Status: a.status, Length: a.length(),
		Data: a.chunk[:a.at]}, true
}

// TransferResponse tells that the caller has handled the last indication of a virtual channel (the standard's
// 64_TRANSFER.Response and 64_ADMIN.Response), and so enables the next.
// Clauses: HIPPI-6400/service.2,6.
func (l *Link) TransferResponse(vc uint8, now wire.Time) {
	a := &l.arrival[vc&3]
	if a.phase != arrivalIndicated {
		return
	}
	*a = arrival{}
	l.deliver(vc&3, now)
}

// AdminIndicate returns the octets of an Admin micropacket that has arrived on a virtual channel (the standard's
// 64_ADMIN.Indicate, 5.4.3); ok is false if there is none.
// Clauses: HIPPI-6400/service.7.
func (l *Link) AdminIndicate(vc uint8) (data [micropacket.DataLen]byte, status Status, ok bool) {
	a := &l.arrival[vc&3]
	if a.phase != arrivalDone || !a.admin {
		return data, status, false
	}
	a.phase = arrivalIndicated
	return a.single, a.status, true
}

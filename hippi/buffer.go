package hippi

import (
	"uelink/wire"
	"uelink/wire/micropacket"
)

// vcBuffer is a VC buffer of the Destination, and the state of the virtual channel whose micropackets arrive in the
// buffer.
// Clauses: HIPPI-6400/overview.2.
type vcBuffer struct {
	slots []slot // a ring
	head  uint8  // the oldest
	n     uint8  // filled slots

	owed     uint8 // free places that were not granted to the partner yet (HIPPI-6400 §6.5)
	open     bool  // a Message is in progress: the last micropacket had TAIL 0
	skipping bool  // a Message without a start is being discarded (9.2.2)
	cut      bool  // a fabricated end stands in front of the slots (9.2.4)

	summing bool      // the ECRC of the next Data micropacket continues the register ecrc
	ecrc    uint16    // ECRC register after the last micropacket of the Message received last
	stall   wire.Time // when the Stall timeout of the Message in progress expires; Never: it does not run
}

// slot is a place of a VC buffer. A fabricated end uses no credit: it is a mark in front of a slot, and takes no slot.
type slot struct {
	m   micropacket.Micropacket // the stored micropacket
	cut bool                    // a fabricated end stands in front of m (9.2.3)
}

// reset empties the VC buffer, so that all its places must be granted to the partner again, and returns the number of
// Messages and Admin micropackets lost.
func (b *vcBuffer) reset() (lost uint64) {
	for i := range int(b.n) {
		if t := b.slots[(int(b.head)+i)%len(b.slots)].m.Control.Type(); t == micropacket.Header || t == micropacket.Admin {
			lost++
		}
	}
	*b = vcBuffer{slots: b.slots, owed: uint8(len(b.slots)), stall: wire.Never}
	return lost
}

// full reports whether the partner has no credit left for this VC buffer: every place is filled, or free and not
// granted yet. A micropacket that arrives then was sent without credit.
// Clauses: HIPPI-6400/shutdown.1.
func (b *vcBuffer) full() bool { return int(b.n)+int(b.owed) >= len(b.slots) }

// empty reports whether the VC buffer holds no micropacket, and no fabricated end of a Message.
func (b *vcBuffer) empty() bool { return b.n == 0 && !b.cut }

// store appends a micropacket to the VC buffer, which must not be full. cut is true if the Message before it lacks
// its end: then a fabricated end goes in front.
func (b *vcBuffer) store(m *micropacket.Micropacket, cut bool) {
	at := int(b.head) + int(b.n)
	if at >= len(b.slots) {
		at -= len(b.slots)
	}
	s := &b.slots[at]
	s.m, s.cut = *m, cut
	b.n++
}

// front returns the oldest micropacket of the VC buffer; nil if the buffer is empty, or a fabricated end of a Message
// comes first.
func (b *vcBuffer) front() *micropacket.Micropacket {
	if b.n == 0 || b.cut || b.slots[b.head].cut {
		return nil
	}
	return &b.slots[b.head].m
}

// cutShort removes a fabricated end of a Message at the front of the VC buffer, and reports whether there was one: the
// mark of the buffer comes before that of the oldest slot.
// Clauses: HIPPI-6400/destination.8.
func (b *vcBuffer) cutShort() bool {
	if b.cut {
		b.cut = false
		return true
	}
	if b.n > 0 && b.slots[b.head].cut {
		b.slots[b.head].cut = false
		return true
	}
	return false
}

// pop removes the oldest micropacket from the VC buffer. Its place is free, and a credit for it is owed to the
// partner.
func (b *vcBuffer) pop() {
	if b.head++; int(b.head) == len(b.slots) {
		b.head = 0
	}
	b.n--
	b.owed++
}

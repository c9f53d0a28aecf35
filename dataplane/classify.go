package dataplane

import "uelink/wire"

// class is how a frame of an edge host crosses the link, as its addresses and its type
// say.
type class uint8

const (
	ordinary    class = iota // as LLR says
	unsequenced              // never sequenced: what stands on the way may keep it
	notCarried               // not at all: it is for the other end of its own link
)

// classify looks at a frame of at least wire.HeaderLen octets. A PAUSE or an LLDPDU that
// crossed would be taken for the neighbour's; other frames to reserved group addresses may
// cross, but a bridge on the way would eat each replay, too.
func classify(f []byte) class {
	t := wire.TrueType(f)
	switch {
	case t == wire.EtherTypeLLDP || t == wire.EtherTypeMACControl:
		return notCarried
	case !wire.Reserved(f):
		return ordinary
	case wire.MACControl(f):
		return notCarried
	}
	return unsequenced
}

// countNotCarried counts a frame of the host that is not carried, by what it is.
func (p *port) countNotCarried(f []byte) {
	if wire.MACControl(f) {
		p.counters.RxMACControl++
		return
	}
	p.counters.RxLLDP++
}

// longest is how long a link frame may be, in octets, that this end can send or take: the
// link's interface carries it, and the frame in it fits the edge.
func (x *xconnect) longest() int {
	if len(x.edge.devices) == 0 {
		return x.link.maxFrame
	}
	return min(x.link.maxFrame, wire.DataLen(x.edge.maxFrame, x.link.settings.FCS))
}

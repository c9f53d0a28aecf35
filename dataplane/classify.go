package dataplane

import "uelink/wire"

// notCarried tells whether a frame of an edge host, of at least wire.HeaderLen octets, goes
// no further: a PAUSE or an LLDPDU is for the other end of its own link, and elsewhere would
// be taken for the neighbour's.
func notCarried(f []byte) bool {
	t := wire.TrueType(f)
	return t == wire.EtherTypeLLDP || t == wire.EtherTypeMACControl || wire.Reserved(f) && wire.MACControl(f)
}

// countNotCarried counts a frame of the host that is not carried, by what it is.
func (p *port) countNotCarried(f []byte) {
	if wire.MACControl(f) {
		p.counters.RxMACControl++
		return
	}
	p.counters.RxLLDP++
}

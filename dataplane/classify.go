package dataplane

import "uelink/wire"

// notCarried reports whether a frame must not be forwarded: a PAUSE or an LLDPDU concerns the two ends of the wire it
// was sent on. A station beyond would take the frame for one sent by its own neighbour. f has at least wire.HeaderLen
// octets.
func notCarried(f []byte) bool {
	t := wire.TrueType(f)
	return t == wire.EtherTypeLLDP || t == wire.EtherTypeMACControl || wire.Reserved(f) && wire.MACControl(f)
}

// notCarried consumes a frame of the host that a link does not carry. PAUSE and PFC take effect where they are
// configured; all others are counted.
func (p *port) notCarried(f []byte, now int64) {
	if wire.MACControl(f) {
		if p.pause.on && wire.EtherType(f) == wire.EtherTypeMACControl {
			p.pause.receive(f, now)
			return
		}
		p.counters.RxMACControl++
		return
	}
	p.counters.RxLLDP++
}

// notCarried reports whether a frame carried in a shim must go no further, and counts it. No uelink sends such frames.
// A partner of another make might, and a delivered PAUSE would stop the host's transmitter.
func (l *link) notCarried(carried []byte) bool {
	switch {
	case !notCarried(carried):
		return false
	case wire.MACControl(carried):
		l.counters.RxMACControl++
	default:
		l.counters.RxLLDP++
	}
	return true
}

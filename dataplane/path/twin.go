package path

import "uelink/wire"

// twin counts frames to the host of an edge that come from the host's own address: another host has the same one, or a
// switch beyond the link sends frames back.
type twin struct {
	host   wire.MAC // zero: not known
	frames uint64
}

// look counts a frame that leaves for the host, if its source is the host's own address.
func (t *twin) look(f []byte) {
	if wire.MAC(f[wire.AddrLen:wire.AddressesLen]) == t.host {
		t.frames++
	}
}

// SetHost sets the address of the host behind an edge, zero if it is not known, and returns how many frames to the
// host have come from its own address. Only the worker may call it.
func (p *Port) SetHost(mac wire.MAC) (frames uint64) {
	p.twin.host = mac
	return p.twin.frames
}

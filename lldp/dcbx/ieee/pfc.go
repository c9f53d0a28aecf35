package ieee

import "bytes"

// pfcLen is the number of octets of the payload of a PFC TLV.
const pfcLen = 2

// PFC is the content of a PFC TLV.
type PFC struct {
	Willing bool  `json:"willing"`    // the sender adopts the priorities of its peer
	MBC     bool  `json:"mbc"`        // the sender obeys PFC on a link with MACsec (MACsec bypass capability)
	Cap     uint8 `json:"pfc_cap"`    // number of traffic classes of the sender that can have PFC at a time, 0 to 15
	Enable  uint8 `json:"pfc_enable"` // bit i is priority i
}

// append appends the payload of PFC Configuration to b.
// Clauses: 802.1Qaz/octets.1.
func (c PFC) append(b []byte) []byte {
	first := c.Cap & 0xf
	if c.Willing {
		first |= willingBit
	}
	if c.MBC {
		first |= 0x40
	}
	return append(b, first, c.Enable)
}

// decodePFC reads the payload of PFC Configuration.
// Clauses: 802.1Qaz/octets.2.
func decodePFC(b []byte) PFC {
	return PFC{Willing: b[0]&willingBit != 0, MBC: b[0]&0x40 != 0, Cap: b[0] & 0xf, Enable: b[1]}
}

// operational returns the priorities with PFC of an end with configuration c and address mac, beside a peer with
// configuration peer and address peerMAC. A willing end takes the priorities of a peer that is not willing. Of two
// willing ends, the end with the lower address takes the priorities of the other end.
// Clauses: 802.1Qaz/pfc.1.
func (c PFC) operational(mac MAC, peer PFC, peerMAC MAC) uint8 {
	if c.Willing && (!peer.Willing || bytes.Compare(mac[:], peerMAC[:]) < 0) {
		return peer.Enable
	}
	return c.Enable
}

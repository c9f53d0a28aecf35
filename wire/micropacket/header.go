package micropacket

import "encoding/binary"

// Places in the data octets of a Header micropacket (HIPPI-6400 §7, figure 14).
const (
	mLenAt    = 12 // DB12
	snapAt    = 16 // DB16
	payloadAt = 24 // DB24
)

// SNAPLen is the length of the LLC/SNAP header, which M_len counts (5.3.1, 7.2).
const SNAPLen = 8

// HeaderPayload is the number of octets of payload in a Header micropacket (7.3).
const HeaderPayload = DataLen - payloadAt

// snap is the LLC/SNAP header but its EtherType: DSAP AA, SSAP AA, Ctl 03, Org 00-00-00 (7.2).
const snap = 0xAAAA03_000000_0000

// ULA is a universal LAN MAC address (3.1.17).
type ULA = [6]byte

// Head is the MAC and LLC/SNAP header of a Message.
// Clauses: HIPPI-6400/message.2.
type Head struct {
	D, S ULA    // D_ULA, S_ULA (7.1)
	MLen uint32 // octets behind M_len without padding: the payload and SNAPLen
	SNAP uint64 // the LLC/SNAP header, DB16 in the highest octet
}

// SNAP returns the LLC/SNAP header of 8 octets with an EtherType, as a number (HIPPI-6400 §7.2).
// Clauses: HIPPI-6400/message.3.
func SNAP(etherType uint16) uint64 { return snap | uint64(etherType) }

// EtherType returns the EtherType of an LLC/SNAP header. ok is false if the other six octets are not those of 7.2.
func (h Head) EtherType() (etherType uint16, ok bool) {
	return uint16(h.SNAP), h.SNAP&^0xFFFF == snap
}

// Put writes h into the first 24 data octets of a Header micropacket.
func (h Head) Put(data *[DataLen]byte) {
	copy(data[:], h.D[:])
	copy(data[6:], h.S[:])
	binary.BigEndian.PutUint32(data[mLenAt:], h.MLen)
	binary.BigEndian.PutUint64(data[snapAt:], h.SNAP)
}

// ParseHead reads the first 24 data octets of a Header micropacket. Every value is a header.
func ParseHead(data *[DataLen]byte) Head {
	return Head{
		D: ULA(data[:6]), S: ULA(data[6:mLenAt]),
		MLen: binary.BigEndian.Uint32(data[mLenAt:]), SNAP: binary.BigEndian.Uint64(data[snapAt:]),
	}
}

// Payload returns the last 8 octets of a Header micropacket's data, which hold the beginning of the payload.
// Clauses: HIPPI-6400/message.4.
func Payload(data *[DataLen]byte) *[HeaderPayload]byte {
	return (*[HeaderPayload]byte)(data[payloadAt:])
}

// DataMicropackets returns the number of Data micropackets of a Message with n octets of payload.
func DataMicropackets(n int) int {
	return (max(0, n-HeaderPayload) + DataLen - 1) / DataLen
}

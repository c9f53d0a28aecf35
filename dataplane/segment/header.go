// Package segment cuts super-frames into frames, and joins frames into super-frames.
//
// A super-frame is many TCP segments or UDP datagrams of one flow with one set of headers, as a kernel hands them to a
// network interface with TSO or USO. A virtio_net_hdr in front says how to cut. Cutter does what the interface would do
// before a wire, and Joiner what an interface with LRO would do behind it, but so that the receiver sees no difference
// (RFC 9293 §3.9.2.3 leaves the sizes of segments open): it joins only what Cutter would cut in the same way again.
package segment

import "encoding/binary"

// HeaderLen is the length of struct virtio_net_hdr (linux/virtio_net.h) without num_buffers, octets.
const HeaderLen = 10

// Flags and types of a Header.
const (
	needsChecksum = 1 // the checksum at Start + Offset holds the sum of the pseudo header alone
	typeNone      = 0 // a single frame, not to be cut
	typeTCPv4     = 1
	typeTCPv6     = 4
	typeUDP       = 5    // VIRTIO_NET_HDR_GSO_UDP_L4: a datagram for each Size octets
	typeAccECN    = 0x10 // flag beside a type of TCP: CWR is a bit of accurate ECN (RFC 9768), which all segments keep
	typeECN       = 0x80 // flag beside a type of TCP: the first segment has CWR
)

// Header is struct virtio_net_hdr, which is in front of a super-frame. Its numbers are in the order of the CPU.
type Header struct {
	Flags, Type uint8
	Headers     uint16 // octets of all headers, as the sender says
	Size        uint16 // octets of payload of all segments but the last
	Start       uint16 // offset of the octets to be summed
	Offset      uint16 // offset of the checksum, from Start
}

// Parse reads the header from the first HeaderLen octets of b.
func (h *Header) Parse(b []byte) {
	_ = b[HeaderLen-1]
	h.Flags, h.Type, h.Headers = b[0], b[1], binary.NativeEndian.Uint16(b[2:])
	h.Size, h.Start = binary.NativeEndian.Uint16(b[4:]), binary.NativeEndian.Uint16(b[6:])
	h.Offset = binary.NativeEndian.Uint16(b[8:])
}

// Put writes the header to the first HeaderLen octets of b.
func (h Header) Put(b []byte) {
	_ = b[HeaderLen-1]
	b[0], b[1] = h.Flags, h.Type
	binary.NativeEndian.PutUint16(b[2:], h.Headers)
	binary.NativeEndian.PutUint16(b[4:], h.Size)
	binary.NativeEndian.PutUint16(b[6:], h.Start)
	binary.NativeEndian.PutUint16(b[8:], h.Offset)
}

// Tagged returns the header of the frame with a VLAN tag of 4 octets inserted in front of the EtherType.
func (h Header) Tagged() Header {
	if h.Flags&needsChecksum != 0 || h.Type != typeNone {
		h.Start += tagLen
	}
	return h
}

// EtherTypes, and numbers of protocols (IANA).
const (
	etherTypeIPv4  = 0x0800
	etherTypeIPv6  = 0x86DD
	etherTypeCVLAN = 0x8100 // IEEE 802.1Q tags
	etherTypeSVLAN = 0x88A8
	protocolTCP    = 6
	protocolUDP    = 17
)

// Lengths of headers, and offsets in them, octets.
const (
	ethernetLen = 14
	tagLen      = 4
	tagsMax     = 2
	ipv4Len     = 20
	ipv6Len     = 40
	tcpLen      = 20
	tcpSumAt    = 16
	udpLen      = 8
	udpSumAt    = 6
	sctpSumAt   = 8
)

// Flags of TCP (RFC 9293 §3.1), in octet 13 of its header.
const (
	flagFIN = 0x01
	flagSYN = 0x02
	flagRST = 0x04
	flagPSH = 0x08
	flagACK = 0x10
	flagURG = 0x20
	flagCWR = 0x80
)

// network returns where the header behind up to two VLAN tags begins, and its EtherType. ok is false if the frame ends
// before, or has more tags.
func network(f []byte) (at int, etherType uint16, ok bool) {
	at = ethernetLen
	for range tagsMax + 1 {
		if len(f) < at {
			return 0, 0, false
		}
		if etherType = binary.BigEndian.Uint16(f[at-2:]); etherType != etherTypeCVLAN && etherType != etherTypeSVLAN {
			return at, etherType, true
		}
		at += tagLen
	}
	return 0, 0, false
}

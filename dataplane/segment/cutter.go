package segment

import (
	"encoding/binary"
	"errors"
	"math/bits"

	"uelink/dataplane/checksum"
)

// ErrMalformed is the error of a super-frame that cannot be cut: its header contradicts the octets, or has an unknown
// type, or its frames are too long.
var ErrMalformed = errors.New("malformed super-frame")

// Cutter cuts a super-frame into frames, one at a time. The zero value has no frame.
//
//	super-frame   Ethernet, tags | IP | TCP or UDP | payload of 64 kB at most
//	frames        the same headers, with lengths, IPv4 identification, sequence number, flags and checksums of their
//	              own, each with Size octets of the payload, the last one with the rest
type Cutter struct {
	headers []byte // headers of the super-frame; nil for one frame that is not cut
	payload []byte // payload that is not cut yet
	uncut   Header // Header of a frame that is not cut
	ip, l4  int    // offsets of the IP header, and of the TCP or UDP header
	size    int
	v6, udp bool
	answers bool   // CWR is the answer to ECE (RFC 3168): only the first segment keeps CWR
	n       uint16 // frames cut so far
	id      uint16 // identification of IPv4
	seq     uint32 // sequence number of the next segment of TCP
	sum     uint64 // sum of addresses and protocol
}

// Begin starts with a super-frame, whose octets stay the cutter's until Next has returned all frames. longest is the
// most octets of a frame. A frame that is not to be cut is returned as it is, with its checksum finished. The error is
// ErrMalformed.
func (c *Cutter) Begin(super []byte, h Header, longest int) error {
	*c = Cutter{}
	if h.Type == typeNone {
		return c.beginOne(super, h, longest)
	}
	headers, err := c.parse(super, h)
	if err != nil || headers+min(c.size, len(super)-headers) > longest {
		*c = Cutter{}
		return ErrMalformed
	}
	c.headers, c.payload = super[:headers], super[headers:]
	return nil
}

// beginOne starts with a frame that is not to be cut.
func (c *Cutter) beginOne(f []byte, h Header, longest int) error {
	unfinished := h.Flags&needsChecksum != 0
	if len(f) > longest || unfinished && (int(h.Start)+int(h.Offset)+2 > len(f) || h.Start < ethernetLen) {
		return ErrMalformed
	}
	c.payload, c.uncut = f, h
	return nil
}

// parse reads the headers of a super-frame, keeps of them what each frame's headers need, and returns their length. The
// kernel's hdr_len is a guess for receivers that copy, so where the headers end follows from the octets alone.
func (c *Cutter) parse(super []byte, h Header) (headers int, err error) {
	ip, etherType, ok := network(super)
	c.ip, c.l4, c.size = ip, int(h.Start), int(h.Size)
	if !ok || c.size == 0 {
		return 0, ErrMalformed
	}
	least := ip + ipv4Len
	if c.v6 = etherType == etherTypeIPv6; c.v6 {
		least = ip + ipv6Len
	}
	if c.l4 < least || c.l4 >= len(super) {
		return 0, ErrMalformed
	}
	switch {
	case c.v6:
		c.sum = checksum.Sum(super[ip+8 : ip+ipv6Len])
	case etherType != etherTypeIPv4 || c.l4 != ip+4*int(super[ip]&15):
		return 0, ErrMalformed
	default:
		c.sum, c.id = checksum.Sum(super[ip+12:ip+ipv4Len]), binary.BigEndian.Uint16(super[ip+4:])
	}
	if headers, err = c.parseL4(super, h.Type); err != nil || headers >= len(super) {
		return 0, ErrMalformed
	}
	protocol := uint64(protocolTCP)
	if c.udp {
		protocol = protocolUDP
	}
	c.sum = folded(c.sum) + protocol<<8
	return headers, nil
}

// parseL4 reads the header of TCP or UDP, keeps of it what each frame's header needs, and returns where it ends. kind
// is the Type of the Header. A kernel that has accurate ECN, but no type for it (Linux 6.18), gives its super-frames
// neither type of ECN.
func (c *Cutter) parseL4(super []byte, kind uint8) (end int, err error) {
	l4 := super[c.l4:]
	c.answers = kind&(typeECN|typeAccECN) == typeECN
	switch kind &^= typeECN | typeAccECN; kind {
	case typeUDP:
		c.udp, end = true, c.l4+udpLen
	case typeTCPv4, typeTCPv6:
		if len(l4) < tcpLen || c.v6 != (kind == typeTCPv6) {
			return 0, ErrMalformed
		}
		header := 4 * int(l4[12]>>4)
		if header < tcpLen {
			return 0, ErrMalformed
		}
		c.seq, end = binary.BigEndian.Uint32(l4[4:]), c.l4+header
	default:
		return 0, ErrMalformed
	}
	return end, nil
}

// NextLen returns the length of the next frame in octets; 0: none is left.
func (c *Cutter) NextLen() int {
	if c.headers == nil {
		return len(c.payload)
	}
	if len(c.payload) == 0 {
		return 0
	}
	return len(c.headers) + min(c.size, len(c.payload))
}

// Next writes the next frame to into, which has NextLen octets.
func (c *Cutter) Next(into []byte) {
	if c.headers == nil {
		c.whole(into)
		return
	}
	n := len(c.headers)
	copy(into, c.headers)
	part := c.payload[:len(into)-n]
	c.payload = c.payload[len(part):]
	sum := checksum.CopySum(into[n:], part)
	c.fixIP(into)
	c.fixL4(into[c.l4:], n-c.l4, sum)
	c.n++
}

// whole writes a frame that is not cut, and finishes its checksum. The CRC of SCTP is left to who carries the frame.
func (c *Cutter) whole(into []byte) {
	copy(into, c.payload)
	c.payload = nil
	if h := c.uncut; h.Flags&needsChecksum != 0 && h.Offset != sctpSumAt {
		finish(into[h.Start:], int(h.Offset), checksum.Fold(checksum.Sum(into[h.Start:])))
	}
}

// finish writes the checksum for a folded sum. 0 would be no checksum for UDP, and is the same number as 0xFFFF.
func finish(l4 []byte, at int, sum uint16) {
	if sum = ^sum; sum == 0 {
		sum = 0xffff
	}
	binary.LittleEndian.PutUint16(l4[at:], sum)
}

// fixIP writes length, identification and checksum of a frame's IP header.
func (c *Cutter) fixIP(f []byte) {
	ip := f[c.ip:c.l4]
	if c.v6 {
		binary.BigEndian.PutUint16(ip[4:], uint16(len(f)-c.ip-ipv6Len))
		return
	}
	binary.BigEndian.PutUint16(ip[2:], uint16(len(f)-c.ip))
	binary.BigEndian.PutUint16(ip[4:], c.id+c.n)
	sumIPv4(ip)
}

// sumIPv4 writes the checksum of an IPv4 header.
func sumIPv4(ip []byte) {
	ip[10], ip[11] = 0, 0
	binary.LittleEndian.PutUint16(ip[10:], ^checksum.Fold(checksum.Sum(ip)))
}

// fixL4 writes sequence number, flags, length and checksum of a frame's TCP or UDP header of n octets, behind which
// its payload has the given sum.
func (c *Cutter) fixL4(l4 []byte, n int, payload uint64) {
	at := udpSumAt
	if c.udp {
		binary.BigEndian.PutUint16(l4[4:], uint16(len(l4)))
	} else {
		at = tcpSumAt
		binary.BigEndian.PutUint32(l4[4:], c.seq)
		c.seq += uint32(len(l4) - n)
		if len(c.payload) > 0 {
			l4[13] &^= flagFIN | flagPSH
		}
		if c.n > 0 && c.answers {
			l4[13] &^= flagCWR
		}
	}
	l4[at], l4[at+1] = 0, 0
	finish(l4, at, checksum.Fold(c.sum+lengthSum(len(l4))+folded(checksum.Sum(l4[:n]))+folded(payload)))
}

// lengthSum returns the part of the pseudo header's sum that is the length.
func lengthSum(length int) uint64 { return uint64(bits.ReverseBytes16(uint16(length))) }

// folded returns a folded sum, to which others can be added without a carry. Headers have an even length, so the octets
// of the payload are summed in the same order.
func folded(sum uint64) uint64 { return uint64(checksum.Fold(sum)) }

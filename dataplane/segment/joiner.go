package segment

import (
	"bytes"
	"encoding/binary"

	"uelink/dataplane/checksum"
)

// Bounds of a super-frame.
const (
	Most      = 64    // frames
	mostIP    = 65535 // octets of an IP packet
	MostBytes = mostIP + ethernetLen + tagsMax*tagLen
)

// HeadersMax is the longest headers of a frame that is joined, octets: two tags, IPv6, and TCP with all options.
const HeadersMax = ethernetLen + tagsMax*tagLen + ipv6Len + 60

// Joiner gathers consecutive frames of one flow. Frames that are not consecutive are not joined, so no flow gets ahead
// of another one. The zero value has no frame.
type Joiner struct {
	first  Frame
	last   uint8 // TCP flags of the last frame
	octets int   // octets of payload of all frames
	n      int   // number of frames
	ended  bool  // the last frame was shorter than the first, or has PSH or FIN: no frame may follow
}

// Len returns the number of frames.
func (j *Joiner) Len() int { return j.n }

// UDP reports whether the frames are datagrams of UDP.
func (j *Joiner) UDP() bool { return j.first.udp }

// Start makes f the first frame.
func (j *Joiner) Start(f *Frame) {
	*j = Joiner{first: *f, octets: f.payload(), n: 1, ended: f.ends()}
	if !f.udp {
		j.last = f.flags()
	}
}

// Reset removes all frames.
func (j *Joiner) Reset() { *j = Joiner{} }

// Add adds a frame behind the others, and reports whether it has. A frame that does not continue them is not added.
func (j *Joiner) Add(f *Frame) bool {
	if j.n == 0 || j.ended || j.n == Most || !j.sameFlow(f) || !j.continues(f) {
		return false
	}
	j.ended = f.payload() < j.first.payload() || f.ends()
	j.octets += f.payload()
	j.n++
	if !f.udp {
		j.last = f.flags()
	}
	return true
}

// sameFlow reports whether a frame has the headers of the first one, except the fields that differ between segments.
func (j *Joiner) sameFlow(f *Frame) bool {
	a, b := j.first.octets, f.octets
	if f.ip != j.first.ip || f.l4 != j.first.l4 || f.headers != j.first.headers || f.v6 != j.first.v6 ||
		f.udp != j.first.udp || !bytes.Equal(a[:f.ip], b[:f.ip]) {
		return false
	}
	ip, l4 := f.ip, f.l4
	if f.v6 { // compared: version, class with ECN, flow label; next header, hop limit, addresses
		if !bytes.Equal(a[ip:ip+4], b[ip:ip+4]) || !bytes.Equal(a[ip+6:l4], b[ip+6:l4]) {
			return false
		}
	} else if a[ip+1] != b[ip+1] || !bytes.Equal(a[ip+6:ip+10], b[ip+6:ip+10]) || !bytes.Equal(a[ip+12:l4], b[ip+12:l4]) {
		return false // compared: class with ECN; don't fragment, lifetime, protocol; addresses
	}
	if !bytes.Equal(a[l4:l4+4], b[l4:l4+4]) { // ports
		return false
	}
	return f.udp || bytes.Equal(a[l4+8:l4+13], b[l4+8:l4+13]) && // acknowledgement, data offset
		(a[l4+13]^b[l4+13])&^(flagPSH|flagFIN) == 0 &&
		bytes.Equal(a[l4+14:l4+16], b[l4+14:l4+16]) && // window
		bytes.Equal(a[l4+18:f.headers], b[l4+18:f.headers]) // urgent pointer, options with timestamps
}

// continues reports whether a frame is the next segment: by its length, its place in the stream and its identification.
func (j *Joiner) continues(f *Frame) bool {
	payload := f.payload()
	if payload > j.first.payload() || j.octets+payload+f.headers-f.ip > mostIP {
		return false
	}
	if !f.v6 {
		id := binary.BigEndian.Uint16(j.first.octets[f.ip+4:])
		if binary.BigEndian.Uint16(f.octets[f.ip+4:]) != id+uint16(j.n) {
			return false
		}
	}
	return f.udp || f.seq() == j.first.seq()+uint32(j.octets)
}

// Headers writes the headers of the super-frame to into, which has HeadersMax octets, and returns their length n and
// the virtio_net_hdr h, which the caller puts in front of them. The payloads of the frames follow in order. The frames
// themselves are not changed.
func (j *Joiner) Headers(into []byte) (n int, h Header) {
	f := &j.first
	n = copy(into, f.octets[:f.headers])
	length := f.headers - f.l4 + j.octets
	h = Header{Flags: needsChecksum, Type: typeTCPv4, Headers: uint16(n), Size: uint16(f.payload()), Start: uint16(f.l4),
		Offset: tcpSumAt}
	ip, l4 := into[f.ip:f.l4], into[f.l4:n]
	protocol := uint64(protocolTCP)
	switch {
	case f.udp:
		h.Type, h.Offset, protocol = typeUDP, udpSumAt, protocolUDP
		binary.BigEndian.PutUint16(l4[4:], uint16(length))
	case f.v6:
		h.Type = typeTCPv6
		fallthrough
	default:
		l4[13] = j.last
	}
	var addresses uint64
	if f.v6 {
		binary.BigEndian.PutUint16(ip[4:], uint16(length))
		addresses = checksum.Sum(ip[8:])
	} else {
		binary.BigEndian.PutUint16(ip[2:], uint16(len(ip)+length))
		sumIPv4(ip)
		addresses = checksum.Sum(ip[12:])
	}
	// The kernel, or the host's TCP, takes the sum of the pseudo header from here (CHECKSUM_PARTIAL).
	binary.LittleEndian.PutUint16(l4[h.Offset:], checksum.Fold(folded(addresses)+protocol<<8+lengthSum(length)))
	return n, h
}

// HeadersLen returns the length of the headers of each frame.
func (j *Joiner) HeadersLen() int { return j.first.headers }

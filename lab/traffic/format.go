package traffic

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"

	"uelink/wire"
	"uelink/wire/uet"
)

// EtherType of the frames: IEEE 802 OUI Extended. The five octets after it name the protocol, so no other traffic on
// a network looks like these frames, and the link uses other types.
const EtherType uint16 = 0x88B7

// identity follows the EtherType: a locally administered protocol identifier
// (02-75-65-00-01) and the version of the layout behind it.
const identity = "\x02ue\x00\x01" + "\x01"

// Offsets of fields after the identity. The fields are big endian. The payload follows. The last four octets are the
// CRC-32 (IEEE 802.3) of all octets before, little endian as an FCS is.
const (
	offLength = 0  // 2 octets: length of the whole frame in octets
	offStream = 2  // 4 octets: number of the run and the direction
	offNumber = 6  // 8 octets: number of the frame
	offSentAt = 14 // 8 octets: time of sending, ns on the engine's clock
	fieldsLen = 22
	sumLen    = 4
)

// VLAN tags, and the random sequence of payloads: a payload begins at one of noiseLen places.
const (
	vlanTPID  = 0x8100 // the only tag or the inner tag
	svlanTPID = 0x88A8 // the outer of two tags
	tagLen    = 4
	noiseLen  = 1 << noiseBits
	noiseBits = 12
)

// verdict is the outcome of checking a received frame.
type verdict uint8

// Outcomes of checking a received frame.
const (
	intact  verdict = iota // a frame of this stream, with every octet as sent
	damaged                // a frame of this stream, but changed
	foreign                // a frame of another sender or run
)

// format makes and checks the frames of one flow.
//
//	DA 6 | SA 6 | 0..2 VLAN tags of 4 | EtherType 2 | identity 6 | fields 22 | payload | CRC 4
//
// In a UET packet, the headers of UET stand before the identity, which is in the payload of UET.
//
// The payload is a piece of a fixed random sequence; the number decides where the piece begins.
type format struct {
	head   []byte  // octets of a frame up to and including the identity; constant for plain frames
	packet *packet // headers of the UET packets; nil: plain frames
	stream uint32
	noise  []byte // the random sequence of the payloads
}

// newFormat prepares the layout and contents of a flow's plain frames, up to size octets long. tags is the tag
// control information of their VLAN tags; the first of two is the outer tag (QinQ). stream is the number that
// tells the flow's frames from others.
func newFormat(da, sa wire.MAC, tags []uint16, stream uint32, size int) *format {
	head := binary.BigEndian.AppendUint16(linkHead(da, sa, tags), EtherType)
	return &format{head: append(head, identity...), stream: stream, noise: newNoise(size)}
}

// newUETFormat prepares the layout and contents of a flow's UET packets of one kind. from is the number of the sending
// end, 0 or 1. Other arguments are as in newFormat.
func newUETFormat(da, sa wire.MAC, tags []uint16, stream uint32, size int, u UET, kind *uet.Format, from int) *format {
	p := newPacket(linkHead(da, sa, tags), u, kind, from, stream)
	return &format{head: p.head, packet: p, stream: stream, noise: newNoise(size)}
}

// linkHead returns the first octets of a frame: the addresses and VLAN tags in front of the EtherType.
func linkHead(da, sa wire.MAC, tags []uint16) []byte {
	head := append(append([]byte{}, da[:]...), sa[:]...)
	for i, tag := range tags {
		tpid := uint16(vlanTPID)
		if i+1 < len(tags) {
			tpid = svlanTPID
		}
		head = binary.BigEndian.AppendUint16(head, tpid)
		head = binary.BigEndian.AppendUint16(head, tag)
	}
	return head
}

// newNoise returns a fixed random sequence, long enough that a piece of size octets can begin at any of 4096
// places: the payloads of frames are such pieces.
func newNoise(size int) []byte {
	noise := make([]byte, noiseLen+size)
	random := rand.New(rand.NewPCG(0, 0))
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	return noise
}

// headOf returns the octets in front of the numbered fields, in a frame with a length and a number.
func (f *format) headOf(length int, number uint64) []byte {
	if f.packet == nil {
		return f.head
	}
	return f.packet.headOf(length, number)
}

// least returns the length of the shortest frame with room for all fields, in octets without FCS.
func (f *format) least() int { return max(wire.MinFrameLen, len(f.head)+fieldsLen+sumLen) }

// put writes the whole frame with a length, a number and the time of sending into b.
func (f *format) put(b []byte, length int, number uint64, now wire.Time) {
	b = b[:length:length]
	fields := b[copy(b, f.headOf(length, number)):]
	binary.BigEndian.PutUint16(fields[offLength:], uint16(length))
	binary.BigEndian.PutUint32(fields[offStream:], f.stream)
	binary.BigEndian.PutUint64(fields[offNumber:], number)
	binary.BigEndian.PutUint64(fields[offSentAt:], uint64(now))
	payload := fields[fieldsLen : len(fields)-sumLen]
	copy(payload, f.payload(number, len(payload)))
	binary.LittleEndian.PutUint32(b[length-sumLen:], crc32.ChecksumIEEE(b[:length-sumLen]))
}

// payload returns the n octets that are the payload of the frame with a number.
func (f *format) payload(number uint64, n int) []byte {
	at := number * 0x9E3779B97F4A7C15 >> (64 - noiseBits)
	return f.noise[at : at+uint64(n)]
}

// claims reports whether a frame has the number of this flow's stream in its stream field. Nothing else is
// checked.
func (f *format) claims(b []byte) bool {
	at := len(f.head) + offStream
	return len(b) >= at+4 && binary.BigEndian.Uint32(b[at:]) == f.stream
}

// read checks every octet of a received frame. For an intact frame it returns the number and the time when the
// frame was sent; v says intact, damaged, or foreign (of another sender).
func (f *format) read(b []byte) (number uint64, sentAt wire.Time, v verdict) {
	end := len(b) - sumLen
	if end < len(f.head)+fieldsLen || binary.LittleEndian.Uint32(b[end:]) != crc32.ChecksumIEEE(b[:end]) {
		return 0, 0, f.resemblance(b)
	}
	fields := b[len(f.head):end]
	number = binary.BigEndian.Uint64(fields[offNumber:])
	if binary.BigEndian.Uint32(fields[offStream:]) != f.stream ||
		!bytes.Equal(b[:len(f.head)], f.headOf(len(b), number)) {
		return 0, 0, foreign // also a late frame of an earlier run, or a looped frame
	}
	sentAt = wire.Time(binary.BigEndian.Uint64(fields[offSentAt:]))
	payload := fields[fieldsLen:]
	if int(binary.BigEndian.Uint16(fields[offLength:])) != len(b) ||
		len(payload) > len(f.noise)-noiseLen || !bytes.Equal(payload, f.payload(number, len(payload))) {
		return 0, 0, damaged
	}
	return number, sentAt, intact
}

// resemblance judges a frame that is not intact: damaged if its first octets mostly agree with this flow's frames,
// else foreign. Three of four octets must agree; the same addresses alone are not enough.
func (f *format) resemblance(b []byte) verdict {
	n := min(len(b), len(f.head))
	agree := 0
	for i := range n {
		if b[i] == f.head[i] {
			agree++
		}
	}
	if n < 2*wire.AddrLen || 4*agree < 3*n {
		return foreign
	}
	return damaged
}

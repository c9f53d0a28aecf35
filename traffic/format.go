package traffic

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"

	"uelink/wire"
	"uelink/wire/uet"
)

// EtherType of the frames: IEEE 802 OUI Extended, whose first five octets name
// the protocol, so that nothing else on a network is mistaken for it and it is
// none of the link's own.
const EtherType uint16 = 0x88B7

// identity follows the EtherType: a locally administered protocol identifier
// (02-75-65-00-01) and the version of the layout behind it.
const identity = "\x02ue\x00\x01" + "\x01"

// What follows the identity, big endian, then the payload, and at the very end
// the CRC-32 (IEEE 802.3) of everything before it, little endian as an FCS is.
const (
	offLength = 0  // 2: octets of the whole frame
	offStream = 2  // 4: run and direction
	offNumber = 6  // 8
	offSentAt = 14 // 8: nanoseconds on the engine's clock
	fieldsLen = 22
	sumLen    = 4
)

const (
	vlanTPID  = 0x8100 // the only or the inner tag
	svlanTPID = 0x88A8 // the outer of two
	tagLen    = 4
	noiseLen  = 1 << noiseBits
	noiseBits = 12
)

// verdict is what a received frame is.
type verdict uint8

const (
	intact  verdict = iota // of this stream, every octet as it was sent
	damaged                // of this stream, but changed on the way
	foreign                // somebody else's
)

// format writes and reads the frames of one direction.
//
//	DA 6 | SA 6 | 0..2 VLAN tags of 4 | EtherType 2 | identity 6 | fields 22 | payload | CRC 4
//
// Of a UET packet, what is before the identity ends with the headers of UET: it is in its payload.
//
// The payload is a piece of a fixed random sequence, and the number says where
// the piece begins.
type format struct {
	head   []byte  // up to and including the identity: the same in every frame, unless there is a packet
	packet *packet // that the frames are; nil: they are no UET
	stream uint32
	noise  []byte
}

// newFormat prepares frames of up to size octets. tags is the control information of
// their VLAN tags; the first of two is the outer one (QinQ).
func newFormat(da, sa wire.MAC, tags []uint16, stream uint32, size int) *format {
	head := binary.BigEndian.AppendUint16(linkHead(da, sa, tags), EtherType)
	return &format{head: append(head, identity...), stream: stream, noise: newNoise(size)}
}

// newUETFormat is newFormat for the UET packets of a kind that one end, 0 or 1, sends.
func newUETFormat(da, sa wire.MAC, tags []uint16, stream uint32, size int, u UET, kind *uet.Format, from int) *format {
	p := newPacket(linkHead(da, sa, tags), u, kind, from, stream)
	return &format{head: p.head, packet: p, stream: stream, noise: newNoise(size)}
}

// linkHead is what stands before the EtherType.
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

// newNoise is the random sequence that the payloads of up to size octets are pieces of.
func newNoise(size int) []byte {
	noise := make([]byte, noiseLen+size)
	random := rand.New(rand.NewPCG(0, 0))
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	return noise
}

// of is the head of the frame with that length and number.
func (f *format) of(length int, number uint64) []byte {
	if f.packet == nil {
		return f.head
	}
	return f.packet.of(length, number)
}

// least is the shortest frame that has room for what every frame carries.
func (f *format) least() int { return max(wire.MinFrameLen, len(f.head)+fieldsLen+sumLen) }

// put writes the frame with this number and length to b.
func (f *format) put(b []byte, length int, number uint64, now int64) {
	b = b[:length:length]
	fields := b[copy(b, f.of(length, number)):]
	binary.BigEndian.PutUint16(fields[offLength:], uint16(length))
	binary.BigEndian.PutUint32(fields[offStream:], f.stream)
	binary.BigEndian.PutUint64(fields[offNumber:], number)
	binary.BigEndian.PutUint64(fields[offSentAt:], uint64(now))
	payload := fields[fieldsLen : len(fields)-sumLen]
	copy(payload, f.payload(number, len(payload)))
	binary.LittleEndian.PutUint32(b[length-sumLen:], crc32.ChecksumIEEE(b[:length-sumLen]))
}

// payload is the piece of n octets that belongs to a number.
func (f *format) payload(number uint64, n int) []byte {
	at := number * 0x9E3779B97F4A7C15 >> (64 - noiseBits)
	return f.noise[at : at+uint64(n)]
}

// claims says whether a frame says that it is of this stream.
func (f *format) claims(b []byte) bool {
	at := len(f.head) + offStream
	return len(b) >= at+4 && binary.BigEndian.Uint32(b[at:]) == f.stream
}

// read says what a received frame is and, when it is intact, its number and
// when it was sent.
func (f *format) read(b []byte) (number uint64, sentAt int64, v verdict) {
	end := len(b) - sumLen
	if end < len(f.head)+fieldsLen || binary.LittleEndian.Uint32(b[end:]) != crc32.ChecksumIEEE(b[:end]) {
		return 0, 0, f.resemblance(b)
	}
	fields := b[len(f.head):end]
	number = binary.BigEndian.Uint64(fields[offNumber:])
	if binary.BigEndian.Uint32(fields[offStream:]) != f.stream ||
		!bytes.Equal(b[:len(f.head)], f.of(len(b), number)) {
		return 0, 0, foreign // also a late frame of an earlier run, or one that came back
	}
	sentAt = int64(binary.BigEndian.Uint64(fields[offSentAt:]))
	payload := fields[fieldsLen:]
	if int(binary.BigEndian.Uint16(fields[offLength:])) != len(b) ||
		len(payload) > len(f.noise)-noiseLen || !bytes.Equal(payload, f.payload(number, len(payload))) {
		return 0, 0, damaged
	}
	return number, sentAt, intact
}

// resemblance tells a damaged frame of ours from one that never was ours by its
// head: three of four octets must agree, which addresses alone do not reach.
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

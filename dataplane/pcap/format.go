package pcap

import "encoding/binary"

// pcapng, little-endian: a section header, an interface description for each tap, and an enhanced packet block for
// each frame.
const (
	blockSection   = 0x0A0D0D0A
	blockInterface = 1
	blockStats     = 5
	blockPacket    = 6

	optionEnd           = 0
	optionComment       = 1 // of any block
	optionApplication   = 4 // of a section
	optionName          = 2 // of an interface
	optionResolution    = 9 // of an interface
	optionFlags         = 2 // of a packet
	optionDropped       = 5 // of statistics: isb_ifdrop
	resolutionNanosec   = 9 // 10^-9
	linkTypeEthernet    = 1
	sectionLenUnknown   = 1<<64 - 1
	byteOrderMagic      = 0x1A2B3C4D
	packetHeader        = 28                       // octets of a packet's block in front of the frame
	packetOverhead      = packetHeader + 8 + 4 + 4 // header, flags, end of options, trailer
	offsetOfBlockLength = 4
)

// direction is the lowest two bits of a packet's flags.
type direction uint32

// The directions.
const (
	inbound  direction = 1
	outbound direction = 2
)

// section returns the section header block with which a pcapng file begins.
func section() []byte {
	b := openBlock(nil, blockSection)
	b = binary.LittleEndian.AppendUint32(b, byteOrderMagic)
	b = binary.LittleEndian.AppendUint16(b, 1) // version 1.0
	b = binary.LittleEndian.AppendUint16(b, 0)
	b = binary.LittleEndian.AppendUint64(b, sectionLenUnknown)
	b = appendOption(b, optionApplication, "uelink")
	return closeBlock(b, 0)
}

// appendInterface appends the interface block of a tap: Ethernet, whole packets, times in nanoseconds.
func appendInterface(b []byte, name string) []byte {
	start := len(b)
	b = openBlock(b, blockInterface)
	b = binary.LittleEndian.AppendUint16(b, linkTypeEthernet)
	b = binary.LittleEndian.AppendUint16(b, 0)
	b = binary.LittleEndian.AppendUint32(b, 0) // packets are not cut
	b = appendOption(b, optionName, name)
	b = appendOption(b, optionResolution, string([]byte{resolutionNanosec}))
	return closeBlock(b, start)
}

// appendStatistics appends the pcapng statistics block that says how many frames of an interface are missing in
// the file so far.
func appendStatistics(b []byte, intf uint32, nanoseconds int64, missed uint64) []byte {
	start := len(b)
	b = openBlock(b, blockStats)
	b = binary.LittleEndian.AppendUint32(b, intf)
	b = binary.LittleEndian.AppendUint32(b, uint32(nanoseconds>>32))
	b = binary.LittleEndian.AppendUint32(b, uint32(nanoseconds))
	b = appendOption(b, optionDropped, string(binary.LittleEndian.AppendUint64(nil, missed)))
	return closeBlock(b, start)
}

// packetSize returns the length of the pcapng block that holds a frame of octets, and a comment of an octet or more.
func packetSize(octets, comment int) int {
	n := packetOverhead + (octets+3)&^3
	if comment > 0 {
		n += 4 + (comment+3)&^3
	}
	return n
}

// captured is a frame for the file, with its interface, time and direction, and with a comment if that is not empty.
type captured struct {
	intf        uint32
	nanoseconds int64
	way         direction
	octets      []byte
	comment     []byte
}

// appendPacket appends the pcapng block of a frame. It is the only format function on the frame path: b has room for
// packetSize.
func appendPacket(b []byte, p captured) []byte {
	start := len(b)
	b = openBlock(b, blockPacket)
	b = binary.LittleEndian.AppendUint32(b, p.intf)
	b = binary.LittleEndian.AppendUint32(b, uint32(p.nanoseconds>>32))
	b = binary.LittleEndian.AppendUint32(b, uint32(p.nanoseconds))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(p.octets))) // captured
	b = binary.LittleEndian.AppendUint32(b, uint32(len(p.octets))) // on the wire
	b = pad(append(b, p.octets...), start)
	b = binary.LittleEndian.AppendUint16(b, optionFlags)
	b = binary.LittleEndian.AppendUint16(b, 4)
	b = binary.LittleEndian.AppendUint32(b, uint32(p.way))
	if len(p.comment) > 0 {
		b = binary.LittleEndian.AppendUint16(b, optionComment)
		b = binary.LittleEndian.AppendUint16(b, uint16(len(p.comment)))
		b = pad(append(b, p.comment...), start)
	}
	return closeBlock(b, start)
}

func appendOption(b []byte, code uint16, value string) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint16(b, code)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(value)))
	return pad(append(b, value...), start)
}

func openBlock(b []byte, kind uint32) []byte {
	b = binary.LittleEndian.AppendUint32(b, kind)
	return binary.LittleEndian.AppendUint32(b, 0) // length, by closeBlock
}

// closeBlock appends the end of options and the final length to the pcapng block that begins at start, and sets
// its first length.
func closeBlock(b []byte, start int) []byte {
	b = binary.LittleEndian.AppendUint32(b, optionEnd)
	length := uint32(len(b) - start + 4)
	binary.LittleEndian.PutUint32(b[start+offsetOfBlockLength:], length)
	return binary.LittleEndian.AppendUint32(b, length)
}

// pad appends zeros until the octets from start on are a multiple of 4.
func pad(b []byte, start int) []byte {
	for (len(b)-start)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

// firstBlock returns the length of the pcapng block at the beginning of b.
func firstBlock(b []byte) int {
	return int(binary.LittleEndian.Uint32(b[offsetOfBlockLength:]))
}

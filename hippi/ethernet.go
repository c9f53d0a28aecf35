package hippi

import (
	"encoding/binary"

	"uelink/wire"
	"uelink/wire/micropacket"
)

// An Ethernet frame crosses the link as a Message: DA and SA are D_ULA and S_ULA, the EtherType, a tag's TPID or the
// length of IEEE 802.3 (below 0x600) stands in the LLC/SNAP header, and all octets behind it are the payload. M_len
// gives back the exact length. So a frame of at least wire.HeaderLen octets leaves with the octets with which it came.

// FromFrame returns the Message of an Ethernet frame of at least wire.HeaderLen octets, without the FCS. Its Data is
// the frame's memory. The profile has to allow S_ULA (Profile.SULAAllowed).
func FromFrame(frame []byte) Message {
	return Message{
		D: micropacket.ULA(frame[:wire.AddrLen]), S: micropacket.ULA(frame[wire.AddrLen : 2*wire.AddrLen]),
		SNAP: micropacket.SNAP(wire.EtherType(frame)), Data: frame[wire.HeaderLen:],
	}
}

// ChannelOf returns the virtual channel for an Ethernet frame of n octets: VC0 if the frame is short enough for VC0,
// else VC1.
func ChannelOf(n int) uint8 {
	if int64(n-wire.HeaderLen) <= LongestMessage(0) {
		return 0
	}
	return 1
}

// FrameLength returns the length in octets of the Ethernet frame that a Message carries. ok is false if the Message
// carries none: another LLC/SNAP header, or an M_len that does not even count the header.
func FrameLength(h micropacket.Head) (n int64, ok bool) {
	_, ok = h.EtherType()
	return wire.HeaderLen + int64(h.MLen) - micropacket.SNAPLen, ok && h.MLen >= micropacket.SNAPLen
}

// FrameOf completes the Ethernet frame of a Message that was accepted into a chunk by AcceptFrame, and returns the
// frame's length. ok is false if the Message has an error: no frame may leave.
func (i *Indication) FrameOf(chunk []byte) (n int, ok bool) {
	if !i.Status.Good() {
		return 0, false
	}
	copy(chunk, i.D[:])
	copy(chunk[wire.AddrLen:], i.S[:])
	binary.BigEndian.PutUint16(chunk[2*wire.AddrLen:], uint16(i.SNAP))
	return wire.HeaderLen + len(i.Data), true
}

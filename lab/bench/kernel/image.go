package kernel

import (
	"hash/crc32"

	"uelink/wire"
)

// Addresses of the frames: locally administered.
var (
	da = wire.MAC{2, 0, 0, 0, 0, 1}
	sa = wire.MAC{2, 0, 0, 0, 0, 2}
)

// EtherTypeProbe is the EtherType of frames sent by hosts.
const EtherTypeProbe = 0x88B7

// MaxSequence is the longest edge frame that Sequence can carry, octets: a live frame of the kernel is at most a page
// without the kernel's own data.
const MaxSequence = 3394

// Frame returns an edge frame of that many octets without FCS: addresses, EtherTypeProbe, and zeros.
func Frame(octets int) []byte {
	f := make([]byte, octets)
	copy(f, da[:])
	copy(f[wire.AddrLen:], sa[:])
	f[12], f[13] = EtherTypeProbe>>8, EtherTypeProbe&0xFF
	return f
}

// DataImage returns the data frame with sequence number 0 that carries an edge frame of that many octets, and
// tables for the FCS image of other numbers: XOR of high[the upper 10 bits] and low[the lower 10 bits].
func DataImage(octets int) (frame []byte, high, low [1024]uint32) {
	image := func(seq uint32) ([]byte, uint32) {
		b := make([]byte, wire.DataLen(octets, true))
		preamble := wire.Preamble{Seq: seq, Sequenced: true, FCS: true}
		wire.PutData(b, Frame(octets), wire.EtherTypeData, wire.DialectSeed, preamble, false)
		return b, crc32.ChecksumIEEE(b[:len(b)-wire.FCSLen])
	}
	frame, _ = image(0)
	high, low = differences(image)
	return frame, high, low
}

// ackImage returns a control frame with an LLR_ACK of number 0, and tables for the CRC of the frame with other
// numbers, used as those of DataImage.
func ackImage() (frame [64]byte, high, low [1024]uint32) {
	image := func(seq uint32) ([]byte, uint32) {
		b := make([]byte, wire.MaxControlLen)
		n := wire.PutControl(b, sa, wire.EtherTypeControl, []wire.CtlOS{{Type: wire.LLRAck, Seq: seq}})
		return b[:n], crc32.ChecksumIEEE(b[:wire.HeaderLen+2+wire.CtlOSLen])
	}
	zero, _ := image(0)
	copy(frame[:], zero)
	high, low = differences(image)
	return frame, high, low
}

// differences returns tables for the CRC of a frame by its sequence number: XOR of high[the upper 10 bits] and
// low[the lower 10 bits]; high includes the CRC of number 0. image returns the frame with a number, and its CRC.
func differences(image func(seq uint32) ([]byte, uint32)) (high, low [1024]uint32) {
	_, zero := image(0)
	for i := range uint32(1024) {
		_, h := image(i << 10)
		_, l := image(i)
		high[i], low[i] = h, l^zero
	}
	return high, low
}

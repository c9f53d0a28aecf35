package kernel

import (
	"encoding/binary"
	"testing"

	"uelink/wire"
)

// numbered writes a number into a data frame as uelink_sequence does.
func numbered(frame []byte, high, low [1024]uint32, seq uint32) []byte {
	f := append([]byte(nil), frame...)
	at := wire.HeaderLen + wire.PreambleLen - 4
	f[at], f[at+1], f[at+2] = byte(seq>>16), byte(seq>>8), byte(seq)
	binary.LittleEndian.PutUint32(f[len(f)-wire.FCSLen:], high[seq>>10]^low[seq&1023])
	return f
}

// TestDataImages: the frames that the kernel makes of an image and two tables are
// those of package wire, FCS image included.
func TestDataImages(t *testing.T) {
	for _, octets := range []int{60, 64, 1500, MaxSequence} {
		frame, high, low := DataImage(octets)
		for _, seq := range []uint32{0, 1, 1023, 1024, 0x55555, 0xAAAAA, wire.SeqMask} {
			f := numbered(frame, high, low, seq)
			if got := wire.CheckFCS(f); got != wire.FCSGood {
				t.Errorf("%d octets, number %d: FCS image is %v", octets, seq, got)
			}
			p, fault := wire.ParseData(f, wire.DialectSeed)
			if fault != wire.NoFault || p.Seq != seq || !p.Sequenced {
				t.Errorf("%d octets, number %d: parsed as %+v, %v", octets, seq, p, fault)
			}
		}
	}
}

// TestAckImages: the same of the LLR_ACK that uelink_receive answers.
func TestAckImages(t *testing.T) {
	frame, high, low := ackImage()
	for _, seq := range []uint32{0, 1, 15, 16, 1023, 1024, 0x55555, wire.SeqMask} {
		f := frame
		at := wire.HeaderLen + 2
		f[at+2], f[at+3], f[at+4] = byte(seq>>12), byte(seq>>4), f[at+4]|byte(seq<<4)
		binary.LittleEndian.PutUint32(f[at+wire.CtlOSLen:], high[seq>>10]^low[seq&1023])
		var heard [wire.MaxCtlOS]wire.CtlOS
		n, _, fault := wire.ParseControl(f[:60], &heard)
		if fault != wire.NoFault || n != 1 || heard[0].Type != wire.LLRAck || heard[0].Seq != seq {
			t.Errorf("number %d: parsed as %d of %+v, %v", seq, n, heard[0], fault)
		}
	}
}

// TestPayloadOfDataImages: the payload of the carried frame begins where bench.h has DATA_HEADER_LEN, 24, behind its
// EtherType.
func TestPayloadOfDataImages(t *testing.T) {
	frame, _, _ := DataImage(64)
	if at := wire.HeaderLen + wire.PreambleLen; at+2 != 24 || binary.BigEndian.Uint16(frame[at:]) != EtherTypeProbe {
		t.Errorf("the EtherType of the carried frame is not at %d: % x", at, frame[:32])
	}
}

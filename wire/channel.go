package wire

import (
	"encoding/binary"
	"math/bits"
)

// ChannelOp is the operation of a VC control ordered set on a virtual channel.
type ChannelOp uint8

// The operations. The sender of a channel asks, the receiver answers.
const (
	ChannelHeld         ChannelOp = 0 // the receiver cannot start yet: it still holds frames sent before the start
	ChannelStart        ChannelOp = 1 // the sender asks to send under credits from now on
	ChannelStarted      ChannelOp = 2 // the receiver counts credits; Limit is the channel's limit
	ChannelStop         ChannelOp = 3 // the sender asks to send without credits from now on
	ChannelStopped      ChannelOp = 4 // the receiver holds no frame of the channel, and counts no credits any more
	ChannelRefused      ChannelOp = 5 // the receiver does not start; the answer has its own limit, size and overhead
	ChannelUnknown      ChannelOp = 6 // the receiver counts no credits of the channel
	ChannelStartedTotal ChannelOp = 7 // as ChannelStarted; Limit is the limit of all channels together
)

// String returns the name of the VC message's operation: START, STARTED, STOP, STOPPED, REFUSED, HELD and so on.
func (o ChannelOp) String() string {
	return [...]string{"HELD", "START", "STARTED", "STOP", "STOPPED", "REFUSED", "UNKNOWN", "STARTED_TOTAL"}[o&7]
}

// Channel is a VC control ordered set: the start or the removal of a lossless virtual channel. The
// set is private: a partner that does not know it ignores it.
type Channel struct {
	VC          uint8 // 0..31
	Op          ChannelOp
	Transaction uint8  // identifies a request and its answer
	CreditSize  uint16 // octets of a credit, a power of two from 32 to 2048
	Limit       uint16 // credits granted to the channel, or to all channels together
	Overhead    int8   // PktOvhd, octets added to each frame
}

// leastCredit is the smallest credit size, with code 0.
const leastCredit = 32

// CtlOS returns the VC control ordered set that carries c: D2 VC and operation, D3 transaction, D4 size code, D5
// and D6 limit, D7 overhead.
func (c Channel) CtlOS() CtlOS {
	return CtlOS{
		Type: ChannelCtlOS, Item: StationItem(bits.TrailingZeros16(c.CreditSize/leastCredit) & 15),
		Data: [5]byte{c.VC<<3 | byte(c.Op)&7, c.Transaction, byte(c.Limit >> 8), byte(c.Limit), byte(c.Overhead)},
	}
}

// Channel returns the content of a VC control ordered set. ok is false for any other control
// ordered set, and for an invalid credit size.
func (c CtlOS) Channel() (ch Channel, ok bool) {
	ch = Channel{
		VC: c.Data[0] >> 3, Op: ChannelOp(c.Data[0] & 7), Transaction: c.Data[1],
		CreditSize: leastCredit << (c.Item & 15), Limit: binary.BigEndian.Uint16(c.Data[2:]), Overhead: int8(c.Data[4]),
	}
	return ch, c.Type == ChannelCtlOS && c.Item <= 6
}

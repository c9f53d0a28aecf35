package wire

import (
	"encoding/binary"
	"math/bits"
)

// ChannelOp is what a VC control ordered set says of a virtual channel.
type ChannelOp uint8

// The operations. A sender asks, the receiver answers.
const (
	ChannelHeld         ChannelOp = 0 // the receiver cannot start it yet: it still holds frames of before
	ChannelStart        ChannelOp = 1 // the sender wants to send under credits from now on
	ChannelStarted      ChannelOp = 2 // the receiver counts them; the limit is that of the channel
	ChannelStop         ChannelOp = 3 // the sender wants to send without credits from now on
	ChannelStopped      ChannelOp = 4
	ChannelRefused      ChannelOp = 5 // with what the receiver has instead
	ChannelUnknown      ChannelOp = 6 // the receiver counts no credits of this channel
	ChannelStartedTotal ChannelOp = 7 // as ChannelStarted; the limit is that of all channels together
)

// String is the operation's name.
func (o ChannelOp) String() string {
	return [...]string{"HELD", "START", "STARTED", "STOP", "STOPPED", "REFUSED", "UNKNOWN", "STARTED_TOTAL"}[o&7]
}

// Channel is a VC control ordered set: the start or the removal of a lossless virtual channel. It is
// our own: a partner that does not know it passes it over.
type Channel struct {
	VC          uint8 // 0..31
	Op          ChannelOp
	Transaction uint8  // of the question that is asked, or answered
	CreditSize  uint16 // octets, a power of two from 32 to 2048
	Limit       uint16 // credits
	Overhead    int8   // PktOvhd, octets that are added to each frame
}

// leastCredit is the smallest credit size, whose code is 0.
const leastCredit = 32

// CtlOS is the control ordered set: D2 VC and operation, D3 transaction, D4 size code, D5
// and D6 limit, D7 overhead.
func (c Channel) CtlOS() CtlOS {
	return CtlOS{
		Type: ChannelCtlOS, Item: StationItem(bits.TrailingZeros16(c.CreditSize/leastCredit) & 15),
		Data: [5]byte{c.VC<<3 | byte(c.Op)&7, c.Transaction, byte(c.Limit >> 8), byte(c.Limit), byte(c.Overhead)},
	}
}

// Channel is what a VC control ordered set says. ok is false for anything else, or
// a credit size that is none.
func (c CtlOS) Channel() (ch Channel, ok bool) {
	ch = Channel{
		VC: c.Data[0] >> 3, Op: ChannelOp(c.Data[0] & 7), Transaction: c.Data[1],
		CreditSize: leastCredit << (c.Item & 15), Limit: binary.BigEndian.Uint16(c.Data[2:]), Overhead: int8(c.Data[4]),
	}
	return ch, c.Type == ChannelCtlOS && c.Item <= 6
}

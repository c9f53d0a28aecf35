package remedy

import (
	"fmt"
	"math/bits"

	"uelink/wire"
)

// Credits is the remedy of a receiver against missing credits of its partner.
type Credits struct {
	Text           string   // what is missing, in words
	Keys           []string // keys of the port to set, each with its value behind it
	Size, Overhead int      // credit size and packet overhead of this end, octets
	Agree          bool     // the two ends count differently: one takes over the other's Size and Overhead
}

// The reasons of a trouble partner.Credits: why a channel of the sender has no credits. They are those of cbfc.Failure.
const (
	Refused     = 1 // the receiver grants none
	OtherSize   = 2 // credit size or overhead differ
	LimitTooLow = 3 // the receiver's limit is less than the largest frame costs
	NoCBFC      = 5 // the receiver has CBFC off
)

// CreditTrouble returns the trouble that the sender of a channel reports: virtual channel vc has no credits for one of
// the above reasons. value is the sender's credit size with OtherSize, and the cost of its largest frame with
// LimitTooLow.
func CreditTrouble(number, vc uint8, reason uint8, overhead, value int) wire.Trouble {
	return wire.Trouble{Number: number, A: uint16(uint8(overhead))<<8 | uint16(reason&7)<<5 | uint16(vc&31),
		B: uint16(value)}
}

// Grants is the credits granted by a receiver.
type Grants struct {
	On             bool       // CBFC is on
	PartnerOn      bool       // CBFC is on at the partner
	Asked          uint32     // virtual channels for which the partner has asked, a bitmap
	Limit          [32]uint16 // credits granted, by virtual channel
	Total          uint16     // credits of all channels together; 0: each channel has its own limit
	Size, Overhead int
	LeastSize      int // limits of Size and Overhead, octets
	MostSize       int
	LeastOverhead  int
	MostOverhead   int
	MostLimit      int
}

// Missing returns what a receiver with these grants does about a trouble of CreditTrouble: the text, and the keys to
// set. ok is false if its own state does not confirm the trouble: the partner has to have asked for the channel, too.
func (g *Grants) Missing(t wire.Trouble) (c Credits, ok bool) {
	vc, reason, overhead, value := uint8(t.A&31), uint8(t.A>>5&7), int(int8(t.A>>8)), int(t.B)
	c.Size, c.Overhead = g.Size, g.Overhead
	channel := fmt.Sprintf("cbfc.vcs.%d.", vc)
	asked := g.On && g.Asked>>vc&1 != 0
	switch {
	case reason == NoCBFC && g.PartnerOn && !g.On:
		c.Text, c.Keys = "CBFC is off at this port", []string{channel + "lossless", "true", "cbfc.mode", "static"}
	case reason == Refused && asked && g.Limit[vc] == 0:
		c.Text, c.Keys = fmt.Sprintf("virtual channel %d is not lossless at this "+
			"port", vc), []string{channel + "lossless", "true"}
	case reason == LimitTooLow && asked && g.Total > 0 && int(g.Total) < value && value <= g.MostLimit:
		c.Text = fmt.Sprintf("this port grants all channels together %d credits, and the partner's longest frame "+
			"costs %d", g.Total, value)
		c.Keys = []string{"cbfc.total_credits", fmt.Sprint(value)}
	case reason == LimitTooLow && asked && g.Total == 0 && int(g.Limit[vc]) < value && value <= g.MostLimit:
		c.Text = fmt.Sprintf("this port grants virtual channel %d only %d credits, and the partner's longest frame "+
			"costs %d", vc, g.Limit[vc], value)
		c.Keys = []string{channel + "limit", fmt.Sprint(value)}
	case reason == OtherSize && asked && (value != g.Size || overhead != g.Overhead) &&
		g.LeastSize <= value && value <= g.MostSize && bits.OnesCount(uint(value)) == 1 &&
		g.LeastOverhead <= overhead && overhead <= g.MostOverhead:
		c.Agree = true
		c.Text = fmt.Sprintf("the partner counts in credits of %d octets with a packet overhead of %d octets, this port in "+
			"credits of %d with %d", value,
			overhead, g.Size, g.Overhead)
		if value != g.Size {
			c.Keys = append(c.Keys, "cbfc.credit_size", fmt.Sprint(value))
		}
		if overhead != g.Overhead {
			c.Keys = append(c.Keys, "cbfc.packet_overhead", fmt.Sprint(overhead))
		}
	default:
		return Credits{}, false
	}
	return c, true
}

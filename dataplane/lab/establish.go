package lab

import (
	"time"

	"uelink/cbfc"
	"uelink/dataplane"
	"uelink/llr"
)

// creditsCount is longer than CF_Updates count for nothing on a channel that has come under credits.
const creditsCount = 12 * time.Millisecond

// Establish works until LLR and the credits of channels are as they are configured to be at all
// ends, and they know each other; false if that takes longer than a second.
func (b *Bench) Establish() bool {
	if !b.Until(func() bool { return b.all(established) }, time.Second) {
		return false
	}
	if b.options.Link.CBFC.On {
		b.Run(creditsCount)
	}
	return true
}

// Settle works until no channel has credits in use or holds a frame; false if that takes longer
// than a second.
func (b *Bench) Settle() bool {
	return b.Until(func() bool { return b.all(atRest) }, time.Second)
}

// all tells whether something is so of all links.
func (b *Bench) all(is func(p dataplane.PortState) bool) bool {
	for _, e := range b.ends() {
		for i := range e.Links() {
			if !is(e.LinkTo(i)) {
				return false
			}
		}
	}
	return true
}

func established(p dataplane.PortState) bool {
	l := p.LLR
	off := !l.Local && !l.Remote // then it only answers, and need not know the other one
	return (l.PartnerKnown || off) &&
		(!l.Remote || l.TxStatus == llr.TxAdvance) && (!l.Local || l.RxStatus == llr.RxSendAcks) && credited(p.CBFC)
}

// credited tells whether every channel is under credits that is to be.
func credited(c *cbfc.State) bool {
	if c == nil {
		return true
	}
	for i := range c.VCs {
		if v := &c.VCs[i]; v.Wanted && v.Phase != cbfc.Lossless {
			return false
		}
	}
	return true
}

func atRest(p dataplane.PortState) bool {
	if p.CBFC == nil {
		return true
	}
	for i := range p.CBFC.VCs {
		if !p.CBFC.VCs[i].AtRest() {
			return false
		}
	}
	return true
}

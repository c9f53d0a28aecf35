package simulated

import (
	"time"

	"uelink/cbfc"
	"uelink/dataplane/model"
	"uelink/llr"
)

// creditsCount is how long Establish goes on once all channels are under credits: longer than the time in which such a
// channel ignores CF_Updates at first.
const creditsCount = 12 * time.Millisecond

// Establish runs rounds until every link is established: both ends know their partner, and LLR and the channels'
// credits are in the configured state. A link that speaks HIPPI-6400-PH is established when it carries frames.
// Establish returns false if that takes longer than a second of the virtual clock.
func (b *Bench) Establish() bool {
	if !b.Until(func() bool { return b.all(established) }, time.Second) {
		return false
	}
	if b.options.Link.CBFC.On {
		b.Run(creditsCount)
	}
	return true
}

// WaitIdle runs rounds until no virtual channel has credits in use or holds a frame. It returns false if that
// takes longer than a second of the virtual clock.
func (b *Bench) WaitIdle() bool {
	return b.Until(func() bool { return b.all(atRest) }, time.Second)
}

// all calls the function match with the state of every link of the bench, and reports whether it returned true each
// time.
func (b *Bench) all(match func(p model.PortState) bool) bool {
	for _, e := range b.ends() {
		for i := range e.Links() {
			if !match(e.LinkTo(i)) {
				return false
			}
		}
	}
	return true
}

// established reports whether LLR, and the credits, of a link are up in the directions that the link wants.
func established(p model.PortState) bool {
	if p.HIPPI != nil {
		return p.HIPPI.Ready
	}
	l := p.LLR
	off := !l.Local && !l.Remote // with LLR off both ways, an end only answers, and need not know its partner
	return (l.PartnerKnown || off) &&
		(!l.Remote || l.TxStatus == llr.TxAdvance) && (!l.Local || l.RxStatus == llr.RxSendAcks) && credited(p.CBFC)
}

// credited reports whether every virtual channel that is configured to be lossless sends by credits already.
// Without CBFC it is true.
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

// atRest reports whether all frames sent on the virtual channels of a link were received and freed, so that no credits
// are in use. Without CBFC it is true.
func atRest(p model.PortState) bool {
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

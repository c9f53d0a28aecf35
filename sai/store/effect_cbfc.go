package store

import (
	"cmp"
	"time"

	"uelink/cbfc"
	"uelink/dataplane/model"
	"uelink/sai"
)

// setCredits sets the field of a port's CBFC settings that belongs to SAI attribute id to v.
func setCredits(p *model.PortSettings, id uint32, v sai.Value) {
	c := &p.CBFC
	fillCredits(c)
	switch id {
	case portReceiverSize, portSenderSize:
		c.Size.Credit = cmp.Or(int(v.Number), cbfc.MaxCreditSize)
	case portReceiverOverhead, portSenderOverhead:
		if c.Size.Overhead = int(v.Number); v.Number == nativeOverhead {
			c.Size.Overhead = 0
		}
	case portSenderLimit:
		boundPool(c, v.Number)
		c.Pooled = 1<<cbfc.VCs - 1 // all channels take their credits from the pool
	case portCCTimer:
		c.CCTimer = time.Duration(v.Number) * time.Microsecond
	case portCFMinSpacing:
		c.CFMinSpacing = uint32(v.Number)
	case portCFMaxSpacing:
		c.CFMaxSpacing = uint32(v.Number)
	}
}

// fillCredits sets credit size and timers of CBFC to their defaults, if the configuration has no CBFC for the link.
func fillCredits(c *cbfc.Settings) {
	if c.Size.Credit == 0 {
		c.Size.Credit, c.CCTimer, c.Timeout = cbfc.MaxCreditSize, ccTimerDefault, creditTimeout
		c.CFMinSpacing, c.CFMaxSpacing = cfMinDefault, cfMaxDefault
	}
}

// effectPool sets, by the attribute SIZE of credit pool o, how many credits the channels of the port's pool may use
// together. For a pool of the configuration, its channels that have a credit profile take their credits from the
// pool.
func effectPool(p *model.PortSettings, o *object) {
	if !o.hasValue(poolSize) {
		return
	}
	c := &p.CBFC
	boundPool(c, o.values[poolSize].Number)
	for vc := range uint8(cbfc.VCs) {
		if !o.isFromClient() && c.Profile[vc] != (cbfc.Profile{}) {
			setBit(&c.Pooled, vc, true)
		}
	}
}

// boundPool bounds the credits of the pool to n, unless they are bound to less; 0: no bound.
func boundPool(c *cbfc.Settings, n int64) {
	if n > 0 && (c.Pool == 0 || uint16(n) < c.Pool) {
		c.Pool = uint16(n)
	}
}

// addVC sets the credits of virtual channel object o in the settings of its port: those that this end grants, whether
// the channel is lossless, and the credit profile. An object made by a client sets both directions; an object of the
// configuration sets only what a client has changed. The port gets more channels, and CBFC goes on, as needed.
func (e *effects) addVC(p *model.PortSettings, o *object) {
	vc, c := index(o), &p.CBFC
	fillCredits(c)
	p.VCs = max(p.VCs, int(vc)+1)
	if v, set := o.values[vcReceiver]; set {
		c.Limit[vc] = grant(c, v.Number != 0)
	}
	if v, set := o.values[vcSender]; set {
		setBit(&c.Lossless, vc, v.Number != 0)
	}
	profile := e.s.creditsOf(o)
	if profile != nil {
		c.Profile[vc] = cbfc.Profile{
			Reserved: uint16(e.s.valueOf(profile, creditReserved).Number), Static: uint16(e.s.valueOf(profile, creditStatic).Number),
			NoShared: e.s.valueOf(profile, creditMode).Number != thresholdStatic,
		}
	}
	switch {
	case !o.hasValue(vcProfile):
	case profile == nil:
		c.Profile[vc] = cbfc.Profile{}
	default:
		setBit(&c.Pooled, vc, true)
	}
	c.On = c.On || c.Limit[vc] > 0 || c.Lossless>>vc&1 != 0
}

// grant returns the credit limit that this end grants to a virtual channel: 0 if on is false, else the port's total,
// or enough for 256 of the shortest frames.
func grant(c *cbfc.Settings, on bool) uint16 {
	switch {
	case !on:
		return 0
	case c.Total > 0:
		return c.Total
	}
	return uint16(min(grantedFrames*c.Size.Credits(0), cbfc.MaxLimit))
}

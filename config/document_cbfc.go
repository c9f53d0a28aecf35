package config

import (
	"time"

	"uelink/cbfc"
	"uelink/dataplane/model"
	"uelink/lldp/ue"
)

// cbfcEntry is the section cbfc of a link, as written.
type cbfcEntry struct {
	mode     cbfcMode
	size     cbfc.Size
	channels []channelEntry
	total    int // credits
	ccTimer  time.Duration
	cfMin    int64 // octets
	cfMax    int64 // octets
	timeout  time.Duration
	reset    bool

	// Used in mode dynamic without channels only.
	vcs      int
	pool     int // credits
	lossless []uint8
}

// channelEntry is one entry of cbfc.vcs.
type channelEntry struct {
	index    uint8
	lossless bool
	limit    int // credits, or autoLimit
	profile  string
	weight   uint8
	priority uint8
	octets   int64 // limit of the octets of frames that wait for the channel, or autoOctets
	llr      bool
}

// cbfcProfile is one entry of cbfc_profiles.
type cbfcProfile struct {
	reserved uint16
	mode     thresholdMode
	static   uint16
}

// settings returns the credit profile as a cbfc.Profile.
func (p *cbfcProfile) settings() cbfc.Profile {
	return cbfc.Profile{Reserved: p.reserved, Static: p.static, NoShared: p.mode == thresholdNone}
}

// settings returns those CBFC settings of a link that come from section cbfc alone: size of a credit, timers and
// spacing.
func (c *cbfcEntry) settings() cbfc.Settings {
	return cbfc.Settings{
		On: true, Size: c.size, CCTimer: c.ccTimer, CFMinSpacing: uint32(c.cfMin), CFMaxSpacing: uint32(c.cfMax),
		Timeout: c.timeout, Reset: c.reset,
	}
}

// offer returns the features that a link offers its partner by the UE TLVs of LLDP. LLR is a single flag (UE-LINK
// §5.1): this end accepts LLR_INIT.
// Clauses: UE-LINK/cbfc-tlv.9.
func (p *portEntry) offer() ue.Options {
	mode, credit := p.frames.LLR.Mode, p.cbfc.mode != cbfcOff
	if p.frames.Role != model.RoleLink || mode == model.LLROff && !credit {
		return ue.Options{}
	}
	o := ue.Options{Advertise: true, LLR: mode != model.LLROff && p.frames.LLR.Local}
	if pool := p.pool(); credit && pool > 0 {
		o.CBFC = true
		o.Credit = ue.CBFC{VCs: uint8(p.offeredVCs()), Pool: uint16(pool), Lossless: p.frames.CBFC.Lossless}
		o.Size = ue.CreditSize{Octets: uint16(p.cbfc.size.Credit), Overhead: int8(p.cbfc.size.Overhead)}
	}
	return o
}

// offeredVCs returns the number of virtual channels that the partner may use.
func (p *portEntry) offeredVCs() int {
	if p.cbfc.mode == cbfcDynamic && len(p.cbfc.channels) == 0 {
		return p.cbfc.vcs
	}
	return p.frames.VCs
}

// pool returns the sum of the credits that the link grants, at most 65535 as the LLDP TLV has 16 bits for it.
func (p *portEntry) pool() (credits int) {
	s := &p.frames.CBFC
	switch {
	case p.cbfc.mode == cbfcDynamic && len(p.cbfc.channels) == 0:
		return p.cbfc.pool
	case s.Total > 0:
		return int(s.Total)
	}
	for _, limit := range s.Limit {
		credits += int(limit)
	}
	return min(credits, 1<<16-1)
}

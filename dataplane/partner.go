package dataplane

import "uelink/wire"

// partnerTimeout is how long a partner stays known without a valid control frame
// while LLR_INIT goes unanswered or LLR is off.
const partnerTimeout = 3e9 // ns

// bareFCSLimit is how many data frames in a row may lack the FCS image that this
// end demands before the partner, and not the wire, is blamed.
const bareFCSLimit = 16

// problem is what is wrong with the partner, as far as its frames tell.
type problem uint8

const (
	noProblem problem = iota
	problemDialect
	problemEtherType
	problemNoFCS
	problemSilent
)

// partner is what a link port knows of the station at the other end.
type partner struct {
	known       bool
	shims       bool // in mode dynamic: its frames have come with shims since LLR is on
	mac         wire.MAC
	lastControl int64 // when the last valid control frame came
	restedAt    int64 // when nothing was outstanding last
	problem     problem
	etherType   uint16 // with problemEtherType: the one that came
	withoutFCS  int    // data frames in a row that lacked a demanded FCS image
}

// heard notes a valid control frame.
func (p *partner) heard(frame []byte, now int64) {
	p.known, p.lastControl = true, now
	p.mac = wire.MAC(frame[wire.AddrLen:])
	if p.problem == problemSilent || p.problem == problemEtherType {
		p.problem = noProblem
	}
}

// understood notes a data frame in our dialect with a good FCS image.
func (p *partner) understood() {
	p.withoutFCS = 0
	if p.problem == problemDialect || p.problem == problemNoFCS {
		p.problem = noProblem
	}
}

// noFCS notes a data frame that lacks the FCS image that this end demands.
func (p *partner) noFCS() {
	if p.withoutFCS++; p.withoutFCS >= bareFCSLimit {
		p.problem = problemNoFCS
	}
}

// expire forgets a partner that has been silent for partnerTimeout. That is a
// problem if it was expected to speak.
func (p *partner) expire(now int64, expected bool) {
	if !p.known || now-p.lastControl <= partnerTimeout {
		return
	}
	p.known, p.shims = false, false
	if expected {
		p.problem = problemSilent
	}
}

// await notes how many frames wait for an acknowledgement: a partner that says
// nothing for partnerTimeout while some do is silent, though not yet forgotten.
func (p *partner) await(outstanding int, now int64) {
	if outstanding == 0 {
		p.restedAt = now
	} else if now-max(p.lastControl, p.restedAt) > partnerTimeout {
		p.problem = problemSilent
	}
}

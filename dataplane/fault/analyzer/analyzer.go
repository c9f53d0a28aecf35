package analyzer

import (
	"time"

	"uelink/dataplane/fault/rule"
	"uelink/wire"
	"uelink/wire/micropacket"
)

// Sizes of the numbers of a flow. Its reach is how many numbers, up to the highest that has arrived, have an entry.
const (
	reach      = 1 << 16           // reach of LLR
	hippiReach = 1 << 8            // reach of HIPPI-6400-PH, which has fewer numbers than LLR
	hippiRound = micropacket.NoSeq // how many numbers HIPPI-6400-PH has: after the last the first comes again
)

// Settings is the EtherTypes of the link; 0: the defaults.
type Settings struct {
	Data, Control uint16
}

// Analyzer measures the link over a wire with two ways: frames of way 0 come from end a. It belongs to one goroutine.
type Analyzer struct {
	settings Settings
	ways     [2]way
	rounds   Histogram
	sets     [wire.MaxCtlOS]wire.CtlOS
	counts   wire.CCUpdate
}

// way is one way of the wire: the numbered frames from its end, and the spacing of that end's messages.
type way struct {
	llr, hippi flow
	spacing    [rule.NumKinds]spacing
	damaged    uint64

	initSeq  uint32 // init_seq of the last LLR_INIT
	initData [2]byte
	hasInit  bool
}

// spacing is the times between the messages of a kind.
type spacing struct {
	seen  bool
	last  wire.Time
	times Histogram
}

func (s *spacing) add(now wire.Time) {
	if s.seen {
		s.times.Add(now.Sub(s.last))
	}
	s.seen, s.last = true, now
}

// New returns an analyzer that has seen nothing.
func New(s Settings) *Analyzer {
	if s.Data == 0 {
		s.Data = wire.EtherTypeData
	}
	if s.Control == 0 {
		s.Control = wire.EtherTypeControl
	}
	a := &Analyzer{settings: s}
	for i := range a.ways {
		a.ways[i].llr.numbers = newNumbers(wire.SeqMask+1, reach)
		a.ways[i].hippi.numbers = newNumbers(hippiRound, hippiReach)
	}
	return a
}

// Round records the time between two looks of the wire for frames: measured times are late by at most this time.
func (a *Analyzer) Round(d time.Duration) { a.rounds.Add(d) }

// Clear sets all counts to 0 and empties all histograms.
func (a *Analyzer) Clear() {
	a.rounds = Histogram{}
	for i := range a.ways {
		y := &a.ways[i]
		y.llr.clear()
		y.hippi.clear()
		y.damaged = 0
		for k := range y.spacing {
			y.spacing[k].times = Histogram{}
		}
	}
}

// Way is the measurement of one way of the wire.
type Way struct {
	Damaged uint64           `json:"arrived_damaged"`   // frames and micropackets that arrived with a wrong checksum
	LLR     Flow             `json:"llr"`               // data frames with a number
	HIPPI   *Flow            `json:"hippi,omitempty"`   // micropackets with a number
	Spacing map[string]Times `json:"spacing,omitempty"` // times between two messages of a kind from this end, by kind
}

// Report is what the wire has seen of both ways, and the error of its clock.
type Report struct {
	Ways   [2]Way
	Rounds Times // times between two looks of the wire for frames, by which measured times may be late
}

// Report returns the counts and histograms so far. A way has HIPPI only if numbered micropackets have crossed it, and
// Spacing only for the kinds of messages that came at least twice.
func (a *Analyzer) Report() (r Report) {
	r.Rounds = a.rounds.Times()
	for i := range a.ways {
		y := &a.ways[i]
		r.Ways[i] = Way{Damaged: y.damaged, LLR: y.llr.report(), Spacing: map[string]Times{}}
		if y.hippi.begun || y.hippi.counts.Restarts > 0 {
			flow := y.hippi.report()
			r.Ways[i].HIPPI = &flow
		}
		for k := range y.spacing {
			if t := &y.spacing[k].times; t.count > 0 {
				r.Ways[i].Spacing[rule.Kind(k).String()] = t.Times()
			}
		}
	}
	return r
}

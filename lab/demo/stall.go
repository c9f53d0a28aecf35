package demo

import (
	"fmt"
	"slices"

	"uelink/control/api"
	"uelink/lab/traffic"
)

// Stalled is the result of a virtual channel that host B stopped draining for a while, and of the other channels
// meanwhile.
type Stalled struct {
	VC             int     `json:"vc"`
	Seconds        float64 `json:"seconds"`         // length of the stall
	BlockedSeconds float64 `json:"blocked_seconds"` // time in which station A had no credits for the channel
	BlockedShare   float64 `json:"blocked_share"`   // BlockedSeconds / Seconds
	Kept           []Kept  `json:"kept"`            // shares kept by the other channels, both ways
}

// Kept is how much of its rate a channel kept while another channel was stalled.
type Kept struct {
	From  string  `json:"from"`
	VC    int     `json:"vc"`
	Share float64 `json:"share"` // frames a second during the stall, divided by those before and after
}

// newStalled returns how much of its rate each channel kept while host B stalled one channel: frames a second
// during the stall, as a share of those before and after. blocked is how long station A had no credits for the
// stalled channel, ns.
func newStalled(c traffic.Config, directions []traffic.Direction, blocked int64) *Stalled {
	s := &Stalled{
		VC: int(c.Stall.Priority), Seconds: c.Stall.Duration.Seconds(), BlockedSeconds: float64(blocked) / 1e9,
	}
	s.BlockedShare = s.BlockedSeconds / s.Seconds
	for _, d := range directions {
		if d.Priority == c.Stall.Priority && d.From == directions[0].From {
			continue // the stalled channel itself
		}
		// rest is the time outside the stall, besides the rate in this time.
		rest := (c.Duration - c.Stall.Duration).Seconds()
		share := 0.0
		if besides := float64(d.Delivered-d.DeliveredInStall) / rest; besides > 0 {
			share = float64(d.DeliveredInStall) / s.Seconds / besides
		}
		s.Kept = append(s.Kept, Kept{d.From, int(d.Priority), share})
	}
	return s
}

// least returns the smallest share of its rate that a channel kept during the stall.
func (s *Stalled) least() float64 {
	return slices.MinFunc(s.Kept, func(a, b Kept) int {
		if a.Share < b.Share {
			return -1
		}
		return 1
	}).Share
}

// text returns the result of the stall in words, with a line end.
func (s *Stalled) text() string {
	text := fmt.Sprintf("VC %d stood still at host B for %.1f s", s.VC, s.Seconds)
	if s.BlockedSeconds > 0 { // HIPPI-6400-PH does not measure the time
		text += fmt.Sprintf(": for %.1f s of this time (%.0f %%) station A had no credits for the channel", s.BlockedSeconds,
			100*s.BlockedShare)
	}
	text += ".\n"
	if len(s.Kept) > 0 {
		text += fmt.Sprintf("The other channels kept at least %.0f %% of their rate meanwhile.\n", 100*s.least())
	}
	return text
}

// blocked returns how long frames of virtual channel vc have waited for credits at a link in all, ns; 0 without
// credits.
func blocked(link api.Port, vc int) int64 {
	if link.CBFC == nil {
		return 0
	}
	for _, v := range link.CBFC.VCs {
		if v.VC == vc {
			return int64(v.Counters.BlockedTime) + v.Blocked
		}
	}
	return 0
}

package cable

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"uelink/dataplane/attach"
	"uelink/dataplane/fault"
	"uelink/dataplane/fault/analyzer"
	"uelink/internal/table"
)

// Counts is the counters of one direction, in frames unless said otherwise.
type Counts struct {
	fault.Counters
	Octets       uint64 `json:"wire_octets"`            // octets of forwarded frames
	SuperFrames  uint64 `json:"super_frames"`           // forwarded buffers of several frames, by --gso keep
	SuperLost    uint64 `json:"super_frames_dropped"`   // dropped buffers of several frames
	FramesOfLost uint64 `json:"frames_in_super_frames"` // frames in the dropped buffers
	Path         string `json:"path"`                   // how frames cross now: xdp, tcx, clsact or sockets
}

// Report is the counters of a cable so far.
type Report struct {
	Mode       string       `json:"mode"`     // ModeKernel or ModeUser
	XDPMode    string       `json:"xdp_mode"` // "driver" or "generic"; "none": no XDP program
	Seed       uint64       `json:"seed"`
	Seconds    float64      `json:"seconds"`    // since the cable was plugged in
	Directions []Direction  `json:"directions"` // the direction from A, then the direction from B or the peer
	Rules      []RuleStatus `json:"rules,omitempty"`
	Capture    *Captured    `json:"capture,omitempty"`

	// Unseen is the times between two polls for frames, in a cable that analyzes: measured times may be wrong by such a
	// time.
	Unseen *analyzer.Times `json:"unseen,omitempty"`
}

// Direction is one way over a cable, by the names of its interfaces. To is "host" if the frames stay at the interface.
type Direction struct {
	From string `json:"from"`
	To   string `json:"to"`
	Counts
	Analysis *analyzer.Way `json:"analysis,omitempty"` // measurements of a cable that analyzes
}

// Report returns the counters of all directions so far; after Run, the final counters. Report may be called while Run
// runs.
func (c *Cable) Report() (Report, error) {
	if last := c.last.Load(); last != nil {
		return *last, nil
	}
	counters, err := c.wire.counters()
	if err != nil {
		return Report{}, err
	}
	r := Report{Mode: c.mode, XDPMode: c.ends[0].xdpWord(), Seed: c.config.Fault.Seed,
		Seconds: time.Since(c.began).Seconds()}
	r.Rules, r.Capture = c.Rules(), c.captured()
	for i, counts := range counters {
		d := Direction{From: c.ends[i].name, To: "host", Counts: counts}
		if c.config.joins() {
			d.To = c.ends[1-i].name
		}
		r.Directions = append(r.Directions, d)
	}
	c.analysis(&r)
	return r, nil
}

// xdpWord returns the mode of the interface's XDP program in words.
func (e *end) xdpWord() string {
	if e.xdpMode == attach.ModeAuto {
		return "none"
	}
	return e.xdpMode.String()
}

// WriteTable prints the counters as a table, a row for each direction, and below the table frames marked or made,
// super-frames, rules, analysis and capture, if any.
func (r Report) WriteTable(to io.Writer) error {
	t := table.Table{Keys: 2, Titles: []string{"from", "to", ">forwarded", ">octets", ">dropped", ">corrupted",
		">duplicated", ">reordered", ">overrun"}}
	for _, d := range r.Directions {
		cells := []string{d.From, d.To}
		for _, n := range []uint64{d.Forwarded, d.Octets, d.Dropped, d.Corrupted, d.Duplicated, d.Reordered, d.Overrun} {
			cells = append(cells, strconv.FormatUint(n, 10))
		}
		t.Add(cells...)
	}
	if err := t.Write(to); err != nil {
		return err
	}
	for _, d := range r.Directions {
		if d.Marked > 0 {
			if _, err := fmt.Fprintf(to, "%s>%s: %d frames marked (ECN) instead of lost\n", d.From, d.To, d.Marked); err != nil {
				return err
			}
		}
		if d.Made > 0 {
			if _, err := fmt.Fprintf(to, "%s>%s: %d frames added by rules\n", d.From, d.To, d.Made); err != nil {
				return err
			}
		}
		if d.SuperFrames+d.SuperLost == 0 {
			continue
		}
		_, err := fmt.Fprintf(to, "%s>%s: %d super-frames forwarded, %d dropped, of %.1f frames on average\n",
			d.From, d.To, d.SuperFrames, d.SuperLost, float64(d.FramesOfLost)/float64(max(1, d.SuperLost)))
		if err != nil {
			return err
		}
	}
	if err := errors.Join(r.writeRules(to), r.writeAnalysis(to)); err != nil || r.Capture == nil {
		return err
	}
	_, err := fmt.Fprintln(to, r.Capture)
	return err
}

// String returns the counters of the direction on one short line, without counters that are 0.
func (d Direction) String() string {
	text, faults := fmt.Sprintf("%s>%s %d", d.From, d.To, d.Forwarded), ""
	for _, f := range d.fates()[1:] {
		if f.count > 0 {
			faults += fmt.Sprintf(", %d %s", f.count, f.name)
		}
	}
	return text + faults
}

// fate is an outcome of frames, such as "dropped", and the number of frames with the outcome.
type fate struct {
	name  string
	count uint64
}

// fates returns the counts of all fates, in the order of the table.
func (d Direction) fates() []fate {
	return []fate{{"forwarded", d.Forwarded}, {"dropped", d.Dropped}, {"corrupted", d.Corrupted},
		{"duplicated", d.Duplicated}, {"reordered", d.Reordered}, {"marked", d.Marked}, {"made", d.Made}, {"overrun", d.Overrun}}
}

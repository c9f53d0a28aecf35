package cable

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"uelink/bpf"
	"uelink/dataplane/fault"
	"uelink/internal/table"
)

// Counts is the counters of one direction, in frames unless said otherwise.
type Counts struct {
	fault.Counters
	Octets       uint64 `json:"wire_octets"`            // of forwarded frames
	SuperFrames  uint64 `json:"super_frames"`           // forwarded buffers of several frames, by --gso keep
	SuperLost    uint64 `json:"super_frames_dropped"`   // dropped buffers of several frames,
	FramesOfLost uint64 `json:"frames_in_super_frames"` // and the frames in these
	Path         string `json:"path"`                   // how frames cross now: xdp, tcx, clsact or sockets
}

// Report is the counters of a cable so far.
type Report struct {
	Mode       string      `json:"mode"`     // ModeKernel or ModeUser
	XDPMode    string      `json:"xdp_mode"` // "driver" or "generic"; "none": no XDP program
	Seed       uint64      `json:"seed"`
	Seconds    float64     `json:"seconds"`
	Directions []Direction `json:"directions"` // from A, from B or the peer
}

// Direction is one way over a cable, by the names of its interfaces. To is "host" if the frames stay at the interface.
type Direction struct {
	From string `json:"from"`
	To   string `json:"to"`
	Counts
}

// Report returns the counters of all directions so far; after Run, the final counters. It may be called beside
// Run.
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
	for i, counts := range counters {
		d := Direction{From: c.ends[i].name, To: "host", Counts: counts}
		if c.config.joins() {
			d.To = c.ends[1-i].name
		}
		r.Directions = append(r.Directions, d)
	}
	return r, nil
}

// xdpWord returns the mode of the interface's XDP program in words.
func (e *end) xdpWord() string {
	if e.xdpMode == bpf.ModeAuto {
		return "none"
	}
	return e.xdpMode.String()
}

// WriteTable prints the counters as a table, a row for each direction.
func (r Report) WriteTable(to io.Writer) error {
	t := table.Table{Keys: 2, Titles: []string{"from", "to", ">forwarded", ">dropped", ">corrupted", ">duplicated",
		">reordered", ">overrun"}}
	for _, d := range r.Directions {
		cells := []string{d.From, d.To}
		for _, n := range []uint64{d.Forwarded, d.Dropped, d.Corrupted, d.Duplicated, d.Reordered, d.Overrun} {
			cells = append(cells, strconv.FormatUint(n, 10))
		}
		t.Add(cells...)
	}
	return t.Write(to)
}

// String returns the counters of the direction on one short line, without counters that are 0.
func (d Direction) String() string {
	text, faults := fmt.Sprintf("%s>%s %d", d.From, d.To, d.Forwarded), ""
	for _, f := range []struct {
		count uint64
		what  string
	}{
		{d.Dropped, "dropped"}, {d.Corrupted, "corrupted"}, {d.Duplicated, "duplicated"},
		{d.Reordered, "reordered"}, {d.Overrun, "overrun"},
	} {
		if f.count > 0 {
			faults += fmt.Sprintf(", %d %s", f.count, f.what)
		}
	}
	return text + faults
}

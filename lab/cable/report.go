package cable

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"uelink/dataplane/fault"
	"uelink/internal/table"
)

// Report is the counters of a cable so far.
type Report struct {
	Mode       string      `json:"mode"`     // ModeKernel or ModeUser
	XDPMode    string      `json:"xdp_mode"` // "driver" or "generic"
	Seed       uint64      `json:"seed"`
	Seconds    float64     `json:"seconds"`
	Directions []Direction `json:"directions"` // from A, from B
}

// Direction is one way over a cable, by the names of its interfaces.
type Direction struct {
	From string `json:"from"`
	To   string `json:"to"`
	fault.Counters
}

// Report returns the counters of both directions so far; after Run, the final counters. It may be called beside
// Run.
func (c *Cable) Report() (Report, error) {
	if last := c.last.Load(); last != nil {
		return *last, nil
	}
	counters, err := c.wire.counters()
	if err != nil {
		return Report{}, err
	}
	r := Report{Mode: c.config.mode(), XDPMode: c.ends[0].xdpMode.String(), Seed: c.config.Fault.Seed,
		Seconds: time.Since(c.began).Seconds()}
	for i := range c.ends {
		r.Directions = append(r.Directions, Direction{From: c.ends[i].name, To: c.ends[1-i].name, Counters: counters[i]})
	}
	return r, nil
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

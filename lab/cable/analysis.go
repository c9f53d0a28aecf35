package cable

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"uelink/dataplane/fault/analyzer"
	"uelink/internal/table"
	picture "uelink/lab/bench/report"
)

// errNotAnalyzed is the error of a cable without Config.Analyze.
var errNotAnalyzed = errors.New("the cable does not analyze: start it with --analyze")

// analyzing returns the wire of a cable that analyzes; for another cable the error errNotAnalyzed.
func (c *Cable) analyzing() (*userWire, error) {
	if w, ok := c.wire.(*userWire); ok && w.tap != nil && w.tap.analyzer != nil {
		return w, nil
	}
	return nil, errNotAnalyzed
}

// ClearAnalysis sets the counts of the analysis to 0 and empties its histograms. ClearAnalysis may be called while Run
// runs. An error means that the cable does not analyze.
func (c *Cable) ClearAnalysis() error {
	w, err := c.analyzing()
	if err != nil {
		return err
	}
	w.ruling.Lock()
	defer w.ruling.Unlock()
	w.tap.analyzer.Clear()
	return nil
}

// analysis adds what the wire has measured to a report, if the cable analyzes.
func (c *Cable) analysis(r *Report) {
	w, err := c.analyzing()
	if err != nil {
		return
	}
	w.ruling.Lock()
	a := w.tap.analyzer.Report()
	w.ruling.Unlock()
	r.Unseen = &a.Rounds
	for i := range r.Directions {
		r.Directions[i].Analysis = &a.Ways[i]
	}
}

// timed is a histogram of one way, with a name.
type timed struct {
	from, name string
	times      analyzer.Times
	main       bool // true: times of retries, which the plot shows; false: spacing between messages, not in the plot
}

// timed returns the histograms of a report that have times: for each direction those of the retries of LLR and of
// HIPPI-6400, then the spacing of each kind of message, in the order of their names.
func (r Report) timed() (all []timed) {
	for _, d := range r.Directions {
		if d.Analysis == nil {
			continue
		}
		all = append(all, flowTimes(d.From, "", &d.Analysis.LLR)...)
		all = append(all, flowTimes(d.From, "hippi ", d.Analysis.HIPPI)...)
		kinds := make([]string, 0, len(d.Analysis.Spacing))
		for kind := range d.Analysis.Spacing {
			kinds = append(kinds, kind)
		}
		slices.Sort(kinds)
		for _, kind := range kinds {
			all = append(all, timed{d.From, "between " + kind, d.Analysis.Spacing[kind], false})
		}
	}
	return slices.DeleteFunc(all, func(t timed) bool { return t.times.Count == 0 })
}

// flowTimes returns the histograms of the numbered frames or micropackets of one way; nil for a nil flow.
func flowTimes(from, prefix string, f *analyzer.Flow) []timed {
	if f == nil {
		return nil
	}
	return []timed{{from, prefix + "data to ack", f.DataToAck, true},
		{from, prefix + "nack leaves to resent frame arrives", f.NackToResent, true},
		{from, prefix + "lost frame to good copy", f.LostToGood, true}}
}

// writeAnalysis prints the counts and times of the analysis, if any.
func (r Report) writeAnalysis(to io.Writer) error {
	if r.Unseen == nil {
		return nil
	}
	if err := r.writeFlows(to); err != nil {
		return err
	}
	t := table.Table{Keys: 2, Titles: []string{"from", "time", ">count", ">min", ">p50", ">p90", ">p99", ">max"}}
	for _, h := range r.timed() {
		t.Add(h.from, h.name, strconv.FormatUint(h.times.Count, 10), short(h.times.Min), short(h.times.P50),
			short(h.times.P90), short(h.times.P99), short(h.times.Max))
	}
	if !t.Empty() {
		if err := t.Write(to); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(to, "longest gap between two polls for frames: %s (p99 %s); times are wrong by up to the gap\n",
		short(r.Unseen.Max), short(r.Unseen.P99))
	return err
}

// writeFlows prints the counts of the analysis, a row for each way and protocol.
func (r Report) writeFlows(to io.Writer) error {
	t := table.Table{Keys: 2, Titles: []string{"from", "protocol", ">frames", ">resent", ">resent octets", ">lost",
		">skipped", ">unrepaired", ">missing", ">twice", ">nacks", ">false nacks", ">false acks", ">strays", ">restarts"}}
	add := func(from, protocol string, f *analyzer.Flow) {
		cells := []string{from, protocol}
		for _, n := range []uint64{f.Frames, f.Resent, f.ResentOctets, f.Lost, f.Skipped, f.Unrepaired, f.Missing, f.Twice,
			f.Nacks, f.FalseNacks, f.FalseAcks, f.Strays, f.Restarts} {
			cells = append(cells, strconv.FormatUint(n, 10))
		}
		t.Add(cells...)
	}
	for _, d := range r.Directions {
		add(d.From, "llr", &d.Analysis.LLR)
		if d.Analysis.HIPPI != nil {
			add(d.From, "hippi", d.Analysis.HIPPI)
		}
	}
	return t.Write(to)
}

// short returns a time as text, rounded to three or four digits.
func short(d time.Duration) string {
	digit := time.Duration(1)
	for d/digit >= 1000 {
		digit *= 10
	}
	return d.Round(digit).String()
}

// Plot returns a picture of the times of the analysis: for each length, the share of the times up to this length.
func (r Report) Plot() picture.Plot {
	p := picture.Plot{Name: "cable", Title: "Times on the wire", X: "µs", Y: "share of the times up to this length",
		LogX: true}
	for _, h := range r.timed() {
		if !h.main {
			continue
		}
		s, below := picture.Series{Name: h.from + ": " + h.name}, uint64(0)
		for _, c := range h.times.Classes {
			below += c.Count
			share := float64(below) / float64(h.times.Count)
			s.Points = append(s.Points, picture.Point{float64(max(c.From, 1)) / 1000, share})
		}
		p.Series = append(p.Series, s)
	}
	return p
}

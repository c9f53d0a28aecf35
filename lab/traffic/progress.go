package traffic

import (
	"fmt"
	"io"

	"uelink/internal/table"
)

// ProgressLine shows the progress of a run: on a terminal a single line, elsewhere a line every few seconds.
type ProgressLine struct {
	w        io.Writer
	terminal bool
	next     float64 // time of the run at which the next plain line is due, in seconds
	shown    bool    // the terminal has a line
}

// plainEvery is the seconds between two plain lines.
const plainEvery = 5

// NewProgressLine returns a ProgressLine that writes to w. Nothing is written yet.
func NewProgressLine(w io.Writer) *ProgressLine {
	return &ProgressLine{w: w, terminal: table.IsTerminal(w), next: plainEvery}
}

// Show prints the progress p: on a terminal in the place of the previous line, elsewhere as a new line every 5 s.
// Errors of writing are ignored: the run goes on.
func (l *ProgressLine) Show(p Progress) {
	switch {
	case l.terminal:
		fmt.Fprintf(l.w, "\r\x1b[K%s", p.line())
		l.shown = true
	case p.Seconds >= l.next:
		fmt.Fprintln(l.w, p.line())
		l.next = p.Seconds + plainEvery
	}
}

// End clears the progress line of a terminal.
func (l *ProgressLine) End() {
	if l.shown {
		fmt.Fprint(l.w, "\r\x1b[K")
		l.shown = false
	}
}

// line returns the progress as text: time, delivered frames, rate and faults, mostly in less than 80 columns.
func (p *Progress) line() string {
	var twice, late, bad, pps uint64 // without lost: missing frames may be in flight
	var delivered [2]uint64          // each way, over all priorities
	for i, d := range p.Directions {
		twice += d.Duplicated
		late += d.Reordered
		bad += d.CorruptedDelivered
		pps += d.PPS
		delivered[i%2] += d.Delivered
	}
	text := Count(delivered[0]) + " + " + Count(delivered[1])
	if p.Planned > 0 {
		text += fmt.Sprintf(" of %s each", Count(p.Planned*uint64(max(1, len(p.Directions)/2))))
	}
	return fmt.Sprintf("%5.1f s  %s  %s/s  twice %d, late %d, bad %d", p.Seconds, text, Count(pps), twice, late, bad)
}

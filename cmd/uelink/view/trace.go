package view

import (
	"fmt"
	"io"
	"strings"
	"time"

	"uelink/control/api"
)

// WriteTraced writes a line for a traced frame, and below it one for each port by which it leaves, or that it was
// dropped.
func WriteTraced(w io.Writer, f api.TracedFrame) {
	at := f.Time.Local().Format("15:04:05.000000")
	frame := fmt.Sprintf("%d octets %v > %v %#04x", f.Octets, f.From, f.To, f.EtherType)
	if f.RxSequence >= 0 {
		frame += fmt.Sprintf(" seq %d", f.RxSequence)
	}
	fmt.Fprintf(w, "%4d  %s  %s  %s\n", f.Number, at, f.Port, frame)
	for i, c := range f.Copies {
		end := tracedCopy(c)
		if i == 0 {
			end += counted(f.Counters)
		}
		fmt.Fprintf(w, "      %s\n", end)
	}
	if len(f.Copies) == 0 {
		fmt.Fprintf(w, "      %s%s\n", f.Result, counted(f.Counters))
	}
}

// tracedCopy returns in words what has become of a traced frame at a port by which it leaves.
func tracedCopy(c api.TracedCopy) string {
	text := fmt.Sprintf("%s queue %d", c.Port, c.Queue)
	switch {
	case c.SentNS >= 0 && c.Waited:
		text += fmt.Sprintf(", sent after waiting %v", rounded(c.SentNS))
	case c.SentNS >= 0:
		text += ", sent at once"
	}
	if c.Sequence >= 0 {
		text += fmt.Sprintf(" as seq %d", c.Sequence)
	}
	if c.Replays > 0 {
		text += fmt.Sprintf(", replays: %d", c.Replays)
	}
	switch {
	case c.Result == "sent":
	case c.EndNS > 0:
		text += fmt.Sprintf(", %s after %v", c.Result, rounded(c.EndNS))
	default:
		text += ", " + c.Result
	}
	return text + counted(c.Counters)
}

// rounded returns a time in nanoseconds, rounded to microseconds.
func rounded(ns int64) time.Duration { return time.Duration(ns).Round(time.Microsecond) }

// counted returns the counters that have counted a frame, in parentheses; "" if there are none.
func counted(list []api.TracedCount) string {
	if len(list) == 0 {
		return ""
	}
	var all []string
	for _, c := range list {
		all = append(all, c.Counter+" of "+c.Port)
	}
	return " (" + strings.Join(all, ", ") + ")"
}

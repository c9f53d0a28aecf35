package bed

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Silences is a table of how long the Callers of a host with a created edge got no answer, by the way in which the host
// was interrupted.
type Silences struct{ rows []*silences }

// silences is a row of the table: times without an answer, for each caller.
type silences struct {
	way, link string
	columns   [][]time.Duration
}

// Add adds times that Callers.Silence has returned, one for each caller, to the row for a way of interrupting the host
// and a kind of link.
func (s *Silences) Add(way, link string, all []time.Duration) {
	at := slices.IndexFunc(s.rows, func(r *silences) bool { return r.way == way && r.link == link })
	if at < 0 {
		at = len(s.rows)
		s.rows = append(s.rows, &silences{way, link, make([][]time.Duration, len(all))})
	}
	for i, d := range all {
		s.rows[at].columns[i] = append(s.rows[at].columns[i], d)
	}
}

// String returns the table as Markdown: medians in seconds, with the least and the greatest.
func (s *Silences) String() string {
	var text strings.Builder
	text.WriteString("\n| | link | UDP, IPv4 | UDP, IPv6 | TCP, new connections | TCP, one connection |\n" +
		"|---|---|---|---|---|---|\n")
	for _, r := range s.rows {
		fmt.Fprintf(&text, "| %s | %s |", r.way, r.link)
		for _, c := range r.columns {
			slices.Sort(c)
			fmt.Fprintf(&text, " %.2f (%.2f to %.2f) |", c[len(c)/2].Seconds(), c[0].Seconds(), c[len(c)-1].Seconds())
		}
		text.WriteString("\n")
	}
	return text.String()
}

package demo

import (
	"fmt"
	"io"
	"strings"

	"uelink/dataplane/fault"
	"uelink/internal/table"
	"uelink/lab/traffic"
)

// Direction is the result of one direction: the traffic, and what the wire did to the frames. The wire also counts
// replayed frames and control frames of the link.
type Direction struct {
	traffic.Direction
	WireDropped    uint64 `json:"wire_dropped"`
	WireCorrupted  uint64 `json:"wire_corrupted"`
	WireDuplicated uint64 `json:"wire_duplicated"`
	WireReordered  uint64 `json:"wire_reordered"`
	// llr_tx_replay of the sending station, or its micropackets sent again (tx_retransmitted)
	Replays uint64 `json:"replays"`

	EdgeRxDropped        uint64 `json:"edge_rx_dropped"` // frames dropped by the sending station's edge, before the link
	EdgeTxDropped        uint64 `json:"edge_tx_dropped"` // frames dropped by the other station's edge, behind the link
	edgeRxWhy, edgeTxWhy string // names and values of the counters of these drops
}

// Result is the result of a run.
type Result struct {
	Directions []Direction `json:"directions"`
	Seed       uint64      `json:"seed"`
	Protocol   string      `json:"protocol"` // of the link
	Stalled    *Stalled    `json:"stalled,omitempty"`
	Captures   []Capture   `json:"captures,omitempty"` // of A and B
}

// newResult combines the counts of the hosts, of the wire and of the daemons into one result, by direction. The
// counts of wire and daemons cover all priorities and stand with the first priority.
func newResult(t traffic.Result, wire [2]fault.Counters, stations [2]counted, o *Options) Result {
	r := Result{Seed: o.Fault.Seed, Protocol: o.Protocol}
	for i, d := range t.Directions {
		if i >= len(stations) {
			r.Directions = append(r.Directions, Direction{Direction: d})
			continue
		}
		in, out := stations[i].in, stations[1-i].out
		r.Directions = append(r.Directions, Direction{
			Direction: d, WireDropped: wire[i].Dropped, WireCorrupted: wire[i].Corrupted,
			WireDuplicated: wire[i].Duplicated, WireReordered: wire[i].Reordered, Replays: stations[i].replays,
			EdgeRxDropped: in.frames, EdgeTxDropped: out.frames, edgeRxWhy: in.reasons, edgeTxWhy: out.reasons,
		})
	}
	return r
}

// Clean reports whether every frame sent was delivered exactly once, in order and unchanged.
func (r *Result) Clean() bool {
	for i := range r.Directions {
		if !r.Directions[i].Clean() {
			return false
		}
	}
	return len(r.Directions) > 0
}

// WriteTable prints the result as a table with a column for each direction, and below in words whether every frame
// was delivered.
func (r *Result) WriteTable(w io.Writer) error {
	plain := make([]traffic.Direction, len(r.Directions))
	for i, d := range r.Directions {
		plain[i] = d.Direction
	}
	t := traffic.NewTable(plain)
	row := func(name string, value func(d *Direction) uint64) (sum uint64) {
		var values []uint64
		for i := range min(2, len(r.Directions)) {
			values = append(values, value(&r.Directions[i]))
			sum += values[i]
		}
		t.Add(name, values...)
		return sum
	}
	row("edge RX dropped", func(d *Direction) uint64 { return d.EdgeRxDropped })
	row("edge TX dropped", func(d *Direction) uint64 { return d.EdgeTxDropped })
	dropped := row("wire dropped", func(d *Direction) uint64 { return d.WireDropped })
	corrupted := row("wire corrupted", func(d *Direction) uint64 { return d.WireCorrupted })
	duplicated := row("wire duplicated", func(d *Direction) uint64 { return d.WireDuplicated })
	reordered := row("wire reordered", func(d *Direction) uint64 { return d.WireReordered })
	replays := row(r.retransmissions(), func(d *Direction) uint64 { return d.Replays })
	if err := t.Write(w); err != nil {
		return err
	}
	text := fmt.Sprintf("\nThe wire dropped %s, corrupted %s, duplicated %s and reordered %s frames (seed %d).\n%s\n",
		traffic.Count(dropped), traffic.Count(corrupted), traffic.Count(duplicated), traffic.Count(reordered), r.Seed,
		r.verdict(replays))
	if r.Stalled != nil {
		text += r.Stalled.text()
	}
	for i := range r.Captures {
		text += r.Captures[i].text()
	}
	_, err := io.WriteString(w, table.Paragraph(text, table.Width(w)))
	return err
}

// retransmissions returns the words by which results name retransmissions: "repeated micropackets" for HIPPI-6400-PH,
// "replays" for LLR.
func (r *Result) retransmissions() string {
	if r.Protocol == hippi {
		return "repeated micropackets"
	}
	return "replays"
}

// verdict returns the sentence under the table: whether each frame was delivered exactly once.
func (r *Result) verdict(replays uint64) string {
	var sent uint64
	for i := range r.Directions {
		sent += r.Directions[i].Sent
	}
	text := fmt.Sprintf("exactly once, in order and unchanged, after %s %s.", traffic.Count(replays), r.retransmissions())
	switch lost := r.lost(0) + r.lost(1); {
	case r.Clean():
		return fmt.Sprintf("The link delivered every one of %s frames %s", traffic.Count(sent), text)
	case r.onlyDoors():
		return fmt.Sprintf("The link delivered every frame that reached the link %s %s of %s frames were lost outside "+
			"the link.\n%s", text, traffic.Count(lost), traffic.Count(sent), strings.TrimSuffix(r.doorsText(), "\n"))
	}
	return strings.TrimSuffix(fmt.Sprintf("The link did NOT deliver every one of %s frames exactly once, in order and "+
		"unchanged.\n%s", traffic.Count(sent), r.doorsText()), "\n")
}

package traffic

import (
	"fmt"
	"io"
	"strconv"

	"uelink/internal/table"
)

// columnsMax is how many directions stand side by side.
const columnsMax = 8

// Table is results as a table: a row for each quantity, a column for each direction. With more than eight directions,
// rows and columns are exchanged.
type Table struct {
	titles []string
	rows   [][]string
}

// NewTable returns a table with a column for each direction and a row for each count, rate and latency.
func NewTable(directions []Direction) *Table {
	t := &Table{}
	t.titles = append(t.titles, "")
	paused := false
	for _, d := range directions {
		t.titles = append(t.titles, d.title(len(directions) > 2))
		paused = paused || d.paused()
	}
	row := func(name string, value func(d *Direction) string) {
		cells := []string{name}
		for i := range directions {
			cells = append(cells, value(&directions[i]))
		}
		t.rows = append(t.rows, cells)
	}
	number := func(name string, value func(d *Direction) uint64) {
		row(name, func(d *Direction) string { return Count(value(d)) })
	}
	number("sent", func(d *Direction) uint64 { return d.Sent })
	number("delivered", func(d *Direction) uint64 { return d.Delivered })
	number("lost", func(d *Direction) uint64 { return d.Lost })
	number("duplicated", func(d *Direction) uint64 { return d.Duplicated })
	number("reordered", func(d *Direction) uint64 { return d.Reordered })
	number("corrupted, delivered", func(d *Direction) uint64 { return d.CorruptedDelivered })
	number("edge overrun", func(d *Direction) uint64 { return d.EdgeOverrun })
	row("goodput", func(d *Direction) string { return fmt.Sprintf("%.1f Mbit/s", float64(d.GoodputBPS)/1e6) })
	number("frames a second", func(d *Direction) uint64 { return d.PPS })
	row("seconds", func(d *Direction) string { return fmt.Sprintf("%.2f", d.Seconds) })
	row("latency p50/p99/p99.9", func(d *Direction) string {
		return fmt.Sprintf("%.0f/%.0f/%.0f us", d.Latency.P50, d.Latency.P99, d.Latency.P999)
	})
	if paused {
		number("held back", func(d *Direction) uint64 { return d.HeldBack })
		number("pauses sent", func(d *Direction) uint64 { return d.PausesSent })
		number("pauses received", func(d *Direction) uint64 { return d.PausesReceived })
		row("seconds paused", func(d *Direction) string { return fmt.Sprintf("%.2f", d.PausedSeconds) })
	}
	return t
}

// title returns the direction's name as a column title: "A -> B", the kind of packets if they are UET, and the
// priority if it is not 0. If priority is true, the title of plain frames has priority 0, too.
func (d *Direction) title(priority bool) string {
	title := d.From + " -> " + d.To
	if d.Kind != "" {
		title += " " + d.Kind
	}
	if d.Priority > 0 || priority && d.Kind == "" {
		title += fmt.Sprintf(" (%d)", d.Priority)
	}
	return title
}

// turned returns the cells of a table with rows and columns exchanged.
func turned(rows [][]string) [][]string {
	out := make([][]string, len(rows[0]))
	for i := range out {
		for _, row := range rows {
			out[i] = append(out[i], row[i])
		}
	}
	return out
}

// Add adds a row with a name and a number for each direction. Missing numbers are empty cells.
func (t *Table) Add(name string, values ...uint64) {
	cells := make([]string, len(t.titles))
	cells[0] = name
	for i, v := range values {
		cells[1+i] = Count(v)
	}
	t.rows = append(t.rows, cells)
}

// Write prints the table to w, names at the left; with more than eight directions, a row for each direction.
func (t *Table) Write(w io.Writer) error {
	rows := append([][]string{t.titles}, t.rows...)
	if len(t.titles) > 1+columnsMax {
		rows = turned(rows)
	}
	page := table.Table{Titles: []string{rows[0][0]}}
	for _, title := range rows[0][1:] {
		page.Titles = append(page.Titles, ">"+title)
	}
	for _, row := range rows[1:] {
		page.Add(row...)
	}
	return page.Write(w)
}

// Count returns a number as text, with commas between thousands.
func Count(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

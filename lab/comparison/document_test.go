package comparison

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"uelink/lab/bench/report"
)

var rewrite = flag.Bool("rewrite", false, "measure again, and write the tables of docs/HIPPI.md and the plots")

// The document, the marks around its tables, and the directory of the plots.
const (
	document = "../../docs/HIPPI.md"
	begin    = "<!-- comparison: written by make comparison -->\n"
	end      = "<!-- /comparison -->\n"
	plots    = "../../docs/hippi-"
)

// wires returns the shares of frames that a wire loses each way, with the frames to carry: few losses need many frames.
func wires() []struct {
	loss   float64
	frames uint64
} {
	return []struct {
		loss   float64
		frames uint64
	}{{0, 20_000}, {1e-5, 300_000}, {1e-4, 100_000}, {1e-3, 60_000}, {1e-2, 30_000}}
}

// losses is the number of recoveries that are timed.
const losses = 200

// TestDocumentHasTheComparison checks that the document has the tables of all contestants, and the plots. With -rewrite
// it measures and writes them.
func TestDocumentHasTheComparison(t *testing.T) {
	var anew string
	if *rewrite {
		anew = folded(measured(t))
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	tables, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no lines %q and %q", document, begin, end)
	}
	if *rewrite {
		tables = anew
		if err := os.WriteFile(document, []byte(head+begin+tables+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range append(contestants(), creditors()...) {
		if !strings.Contains(tables, "| "+c.name+" |") {
			t.Errorf("no row of %q: run make comparison", c.name)
		}
	}
	for _, p := range []string{"goodput-2us", "goodput-25us", "credits"} {
		if _, err := os.Stat(plots + p + ".svg"); err != nil || !strings.Contains(tables, "hippi-"+p+".svg") {
			t.Errorf("no plot %s: %v: run make comparison", p, err)
		}
	}
}

// measured returns all tables as Markdown, and writes the plots.
func measured(t *testing.T) string {
	var b bytes.Buffer
	overhead := report.Table{Title: "Octets on the wire for an octet delivered", Columns: report.Columns("protocol", "%s",
		"2µs, no loss", "%.3f", "2µs, 1e-3", "%.3f", "2µs, 1e-2", "%.3f", "25µs, no loss", "%.3f", "25µs, 1e-3", "%.3f",
		"25µs, 1e-2", "%.3f", "way back, 2µs, no loss", "%.3f"),
		Notes: []string{"Octets delivered are octets of the delivered frames, without FCS. Octets on the wire are octets " +
			"of Ethernet frames, without FCS, preamble and gap."}}
	costs, back := map[string][]any{}, map[string]float64{}
	for _, delay := range delays {
		writeGoodput(t, &b, delay, costs, back)
	}
	for _, c := range contestants() {
		overhead.Add(append(append([]any{c.name}, costs[c.name]...), back[c.name])...)
	}
	writeRecoveries(t, &b)
	write(t, &b, &overhead)
	writeCredits(t, &b)
	return b.String() + "\n"
}

// folded returns a text in which each note of a table is folded, as the tree wants its documents.
func folded(text string) string {
	const width = 118
	var b strings.Builder
	for line := range strings.Lines(text) {
		for strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "  ") {
			at := strings.LastIndexByte(line[:min(width, len(line))], ' ')
			if len(line) <= width || at <= 2 {
				break
			}
			b.WriteString(line[:at] + "\n")
			line = "  " + line[at+1:]
		}
		b.WriteString(line)
	}
	return strings.ReplaceAll(b.String(), "\n\n\n", "\n\n")
}

// write writes a table.
func write(t *testing.T, b *bytes.Buffer, table *report.Table) {
	t.Helper()
	if err := table.WriteMarkdown(b); err != nil {
		t.Fatal(err)
	}
}

// writePlot writes a picture beside the document, and shows it.
func writePlot(t *testing.T, b *bytes.Buffer, p report.Plot) {
	t.Helper()
	if err := os.WriteFile(plots+p.Name+".svg", p.SVG(), 0o644); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(b, "\n![%s](hippi-%s.svg)\n", p.Title, p.Name)
}

// writeGoodput writes the goodput over wires with a delay. It adds the octets on the wire to costs, and those of the
// way back, over the shorter wire without losses, to back.
func writeGoodput(t *testing.T, b *bytes.Buffer, delay time.Duration, costs map[string][]any, back map[string]float64) {
	title := fmt.Sprintf("Goodput over a wire that loses frames, %v each way", delay)
	table := report.Table{Title: title, Columns: report.Columns("protocol", "%s", "no loss", "%.3f", "1e-5", "%.3f",
		"1e-4", "%.3f", "1e-3", "%.3f", "1e-2", "%.3f"),
		Notes: []string{fmt.Sprintf("Share of the rate of the wire, %d Gbit/s. Frames of %d octets go one way, as fast as "+
			"the link takes them. The wire loses Ethernet frames each way at random. Seed %d.", wireRate/1_000_000_000,
			octets, seed)}}
	plot := report.Plot{Name: "goodput-" + strings.Replace(delay.String(), "µ", "u", 1), Title: title,
		X: "share of frames lost on the wire", Y: "goodput, share of the rate", LogX: true}
	for _, c := range contestants() {
		row, line := []any{c.name}, report.Series{Name: c.name}
		for _, w := range wires() {
			f := c.carry(t, delay, w.loss, w.loss, w.frames, seed)
			row = append(row, f.goodput)
			if w.loss > 0 {
				line.Points = append(line.Points, report.Point{w.loss, f.goodput})
			} else if delay == delays[0] {
				back[c.name] = f.back
			}
			if w.loss == 0 || w.loss >= 1e-3 {
				costs[c.name] = append(costs[c.name], f.forward)
			}
		}
		table.Add(row...)
		plot.Series = append(plot.Series, line)
		t.Log(delay, row)
	}
	write(t, b, &table)
	writePlot(t, b, plot)
}

// writeRecoveries writes the times from a loss to the delivery of the lost.
func writeRecoveries(t *testing.T, b *bytes.Buffer) {
	var columns []string
	for _, d := range delays {
		for _, name := range []string{"shortest", "median", "longest"} {
			columns = append(columns, fmt.Sprintf("%v: %s, µs", d, name), "%.0f")
		}
	}
	table := report.Table{Title: "Time from a loss to the next delivery",
		Columns: report.Columns(append([]string{"protocol", "%s"}, columns...)...),
		Notes: []string{fmt.Sprintf("%d single losses to B, %v apart, with a frame of %d octets every %v. Seed %d.", losses,
			lossInterval, octets, loadInterval, seed)}}
	for _, c := range contestants() {
		row := []any{c.name}
		for _, d := range delays {
			times := c.recoveries(t, d, losses, seed)
			for _, at := range []int{0, len(times) / 2, len(times) - 1} {
				row = append(row, float64(times[at])/1e3)
			}
		}
		table.Add(row...)
		t.Log(row...)
	}
	write(t, b, &table)
}

// writeCredits writes the goodput over wires that lose nothing but acknowledgements and credits.
func writeCredits(t *testing.T, b *bytes.Buffer) {
	const title = "Goodput while only acknowledgements and credits are lost, 25µs each way"
	table := report.Table{Title: title, Columns: report.Columns("protocol", "%s", "no loss, Gbit/s", "%.2f", "1e-3",
		"%.3f", "1e-2", "%.3f", "0.1", "%.3f"), Notes: []string{fmt.Sprintf("The wire loses only frames from the "+
		"receiver to the sender. The column without loss has Gbit/s, other columns have shares of the goodput without "+
		"loss. Seed %d.", seed)}}
	plot := report.Plot{Name: "credits", Title: title, X: "share of frames lost from the receiver", LogX: true,
		Y: "goodput, 1 = without loss"}
	for _, c := range creditors() {
		clean := c.carry(t, delays[1], 0, 0, 20_000, seed).goodput
		row, line := []any{c.name, clean * wireRate / 1e9}, report.Series{Name: c.name}
		for _, loss := range []float64{1e-3, 1e-2, 1e-1} {
			share := c.carry(t, delays[1], 0, loss, 20_000, seed).goodput / clean
			row, line.Points = append(row, share), append(line.Points, report.Point{loss, share})
		}
		table.Add(row...)
		plot.Series = append(plot.Series, line)
		t.Log(row...)
	}
	write(t, b, &table)
	writePlot(t, b, plot)
}

package top

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"uelink/cmd/uelink/view"
	"uelink/control/api"
	"uelink/internal/printable"
	"uelink/internal/table"
)

// column is a column of the list of ports.
type column struct {
	title string
	left  bool                  // cells are aligned to the left
	need  int                   // on a narrow terminal the columns with the highest number are left out first
	cell  func(p *Port) string  // text of a port in the column
	value func(p *Port) float64 // to sort by, the largest first; nil: by name
}

// columns returns the columns of the list of ports, from left to right. In each entry: the title, whether it is aligned
// to the left, the rank by which it is left out, the text of a port, and the value to sort by.
func columns() []column {
	rate := func(value func(*Port) float64) func(*Port) string {
		return func(p *Port) string { return api.Short(value(p)) }
	}
	txFrames, txBits := func(p *Port) float64 { return p.TxFrames }, func(p *Port) float64 { return p.TxBits }
	rxFrames, rxBits := func(p *Port) float64 { return p.RxFrames }, func(p *Port) float64 { return p.RxBits }
	replays, drops := func(p *Port) float64 { return p.Replays }, func(p *Port) float64 { return p.Drops }
	return []column{
		{"Port", true, 0, func(p *Port) string { return string(printable.Append(nil, []byte(p.Port))) }, nil},
		{"State", true, 5, func(p *Port) string { return p.State }, nil},
		{"TX fps", false, 6, rate(txFrames), txFrames},
		{"TX bit/s", false, 1, rate(txBits), txBits},
		{"RX fps", false, 7, rate(rxFrames), rxFrames},
		{"RX bit/s", false, 2, rate(rxBits), rxBits},
		{"Replays", false, 3, rate(replays), replays},
		{"Window", false, 8, func(p *Port) string { return part(p.Outstanding, p.Window) },
			func(p *Port) float64 { return float64(p.Outstanding) / float64(max(p.Window, 1)) }},
		{"Credits", false, 9, func(p *Port) string { return part(p.CreditsUsed, p.CreditLimit) },
			func(p *Port) float64 { return float64(p.CreditsUsed) / float64(max(p.CreditLimit, 1)) }},
		{"Queued", false, 10, func(p *Port) string { return strconv.Itoa(p.QueuedFrames) },
			func(p *Port) float64 { return float64(p.QueuedFrames) }},
		{"Drops", false, 4, rate(drops), drops},
	}
}

// Columns returns the words by which the list of ports can be sorted, one for each column, such as tx-fps.
func Columns() (words []string) {
	for _, c := range columns() {
		words = append(words, word(c.title))
	}
	return words
}

// word returns a column's title as the word that chooses the column on the command line: tx-fps for TX fps.
func word(title string) string {
	return strings.NewReplacer(" ", "-", "/s", "").Replace(strings.ToLower(title))
}

// part returns how much of a limit is used, such as 3/128, or "-" if there is no limit.
func part(used, limit int) string {
	if limit == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d", used, limit)
}

// Sort sorts ports by a column, named by word, one of Columns: names from the first on, numbers from the largest on.
// Ports with the same value stay by name.
func Sort(ports []Port, word string) {
	slices.SortFunc(ports, func(a, b Port) int { return strings.Compare(a.Port, b.Port) })
	i := slices.Index(Columns(), word)
	if i < 0 {
		return
	}
	c := columns()[i]
	slices.SortStableFunc(ports, func(a, b Port) int {
		if c.value == nil {
			return strings.Compare(c.cell(&a), c.cell(&b))
		}
		return cmp.Compare(c.value(&b), c.value(&a))
	})
}

// Write prints a load: a line with the CPU time of the workers, then a table of the ports.
func Write(w io.Writer, l Load) {
	fmt.Fprintln(w, workersLine(l.Workers))
	fmt.Fprintln(w)
	var t table.Table
	for _, c := range columns() {
		title := ">" + c.title
		if c.left {
			title = c.title
		}
		t.Titles = append(t.Titles, title)
	}
	for i := range l.Ports {
		var cells []string
		for _, c := range columns() {
			cells = append(cells, view.OrDash(c.cell(&l.Ports[i])))
		}
		t.Add(cells...)
	}
	view.WriteTable(w, &t)
}

// workersLine returns one line that says, for each worker, which percentage of a CPU it used.
func workersLine(workers []Worker) string {
	cells := []string{"CPU of workers:"}
	for _, w := range workers {
		cells = append(cells, fmt.Sprintf("%d: %.0f %%", w.Worker, w.CPU))
	}
	return strings.Join(cells, "  ")
}

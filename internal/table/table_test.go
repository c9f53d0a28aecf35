package table

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// page is a writer with lines of a width.
type page struct {
	strings.Builder
	width int
}

func (p *page) Width() int { return p.width }

// ports returns a table as printed by uelink port.
func ports() *Table {
	t := &Table{Titles: []string{"Port", "Interface", ">RX frames", ">TX frames", "Errors"}}
	t.Add("edge0", "ue-edge0", "7,654,321", "1", "frames are dropped because the RX ring is full: raise rx_ring_size")
	t.Add("link0", "eth0", "1", "7,654,321", "-")
	return t
}

// printed returns a table as printed in a width.
func printed(t *testing.T, table *Table, width int) string {
	t.Helper()
	p := &page{width: width}
	if err := table.Write(p); err != nil {
		t.Fatal(err)
	}
	return p.String()
}

// A row that fits is printed on one line, and so is every row without a terminal.
func TestAsWideAsItIs(t *testing.T) {
	const want = `Port   Interface  RX frames  TX frames  Errors
-----  ---------  ---------  ---------  ------------------------------------------------------------------
edge0  ue-edge0   7,654,321          1  frames are dropped because the RX ring is full: raise rx_ring_size
link0  eth0               1  7,654,321  -
`
	for _, width := range []int{0, 39, 106, 200} {
		if got := printed(t, ports(), width); got != want {
			t.Errorf("width %d:\n%s", width, got)
		}
	}
}

// A last column of text is wrapped.
func TestTextIsWrapped(t *testing.T) {
	const want = `Port   Interface  RX frames  TX frames  Errors
-----  ---------  ---------  ---------  ----------------------------------------
edge0  ue-edge0   7,654,321          1  frames are dropped because the RX ring
                                        is full: raise rx_ring_size
link0  eth0               1  7,654,321  -
`
	if got := printed(t, ports(), 80); got != want {
		t.Errorf("\n%s", got)
	}
}

// Columns that do not fit follow below, behind those that name the row.
func TestColumnsFollowBelow(t *testing.T) {
	const want = `Port   Interface  RX frames  TX frames
-----  ---------  ---------  ---------
edge0  ue-edge0   7,654,321          1
link0  eth0               1  7,654,321

Port   Errors
-----  ---------------------------------
edge0  frames are dropped because the RX
       ring is full: raise rx_ring_size
link0  -
`
	if got := printed(t, ports(), 40); got != want {
		t.Errorf("\n%s", got)
	}
	two := ports()
	two.Keys = 2
	if got := printed(t, two, 50); !strings.Contains(got, "\n\nPort   Interface  Errors\n") {
		t.Errorf("two columns name the row:\n%s", got)
	}
}

// Whatever is in a table and however narrow the terminal: every word is printed, no line is wider than the terminal
// unless a single cell is, and each part has all rows.
func TestFoldedAnyhow(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	for range 2000 {
		table, words := anything(r)
		width := narrowest + r.IntN(100)
		got := printed(t, table, width)
		for _, word := range words {
			if !strings.Contains(got, word) {
				t.Fatalf("seed %d: width %d: %q is missing:\n%s", seed, width, word, got)
			}
		}
		for line := range strings.SplitSeq(got, "\n") {
			if utf8.RuneCountInString(line) > width {
				t.Fatalf("seed %d: a line is wider than %d:\n%s", seed, width, got)
			}
		}
	}
}

// anything returns a table of words that occur once, none wider than half of the narrowest terminal.
func anything(r *rand.Rand) (t *Table, words []string) {
	t = &Table{}
	word := func(most int) string {
		words = append(words, fmt.Sprintf("%04d%s", len(words), strings.Repeat("ü", r.IntN(most))))
		return words[len(words)-1]
	}
	columns := 1 + r.IntN(8)
	for range columns {
		t.Titles = append(t.Titles, []string{"", ">"}[r.IntN(2)]+word(8))
	}
	for range r.IntN(4) {
		var cells []string
		for range columns {
			cells = append(cells, word(8))
		}
		if !t.right(columns-1) && columns > 1 {
			for range r.IntN(20) {
				cells[columns-1] += " " + word(8)
			}
		}
		t.Add(cells...)
	}
	return t, words
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"", 10, ""},
		{"a b", 10, "a b"},
		{"a  b", 10, "a  b"},
		{"one two three", 0, "one two three"},
		{"one two three", 7, "one two|three"},
		{"one two three", 4, "one|two|three"},
		{"a-word-that-is-longer b", 5, "a-word-that-is-longer|b"},
		{"üü üü", 5, "üü üü"},
	} {
		if got := strings.Join(Wrap(c.text, c.width), "|"); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
	if got := Paragraph("one two\nthree four", 5); got != "one\ntwo\nthree\nfour" {
		t.Errorf("%q", got)
	}
}

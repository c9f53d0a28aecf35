// Package table prints rows under titles, as SONiC's show commands do, and folds tables wider than the terminal.
package table

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Table is rows under titles. A column whose title begins with '>' is aligned to the right.
type Table struct {
	Titles []string
	Keys   int // number of the first columns, which name a row; 0 counts as 1. They begin each part of a folded table
	rows   [][]string
}

// Add adds a row to the table: a cell for each title.
func (t *Table) Add(cells ...string) { t.rows = append(t.rows, cells) }

// Empty reports whether the table has no rows.
func (t *Table) Empty() bool { return len(t.rows) == 0 }

// gap stands between two columns.
const gap = "  "

// Write prints the table to a writer, in the width that Width finds. If the table does not fit, a last column of
// text is wrapped, and other columns follow below in further parts. Errors are the writer's.
func (t *Table) Write(to io.Writer) error {
	var text strings.Builder
	width := Width(to)
	for i, part := range t.parts(width) {
		if i > 0 {
			text.WriteByte('\n')
		}
		t.writePart(&text, part, width)
	}
	_, err := io.WriteString(to, text.String())
	return err
}

// natural returns the width of each column's longest cell or title, in characters.
func (t *Table) natural() []int {
	widths := make([]int, len(t.Titles))
	for i := range t.Titles {
		widths[i] = utf8.RuneCountInString(t.title(i))
		for _, row := range t.rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	return widths
}

// title returns the title of a column, without the mark for alignment.
func (t *Table) title(column int) string { return strings.TrimPrefix(t.Titles[column], ">") }

// right reports whether the cells of a column are aligned to the right.
func (t *Table) right(column int) bool { return strings.HasPrefix(t.Titles[column], ">") }

// writePart writes the titles and the given columns of all rows, folded to a width in characters.
func (t *Table) writePart(to *strings.Builder, columns []int, width int) {
	widths := t.fit(columns, width)
	titles, lines := make([]string, len(t.Titles)), make([]string, len(t.Titles))
	for i := range t.Titles {
		titles[i], lines[i] = t.title(i), strings.Repeat("-", widths[i])
	}
	for _, row := range slices.Concat([][]string{titles, lines}, t.rows) {
		t.writeRow(to, row, columns, widths)
	}
}

// writeRow writes the given columns of one row, in these widths. Cells wider than their column take several lines.
func (t *Table) writeRow(to *strings.Builder, row []string, columns, widths []int) {
	cells, height := make([][]string, len(columns)), 1
	for i, column := range columns {
		cells[i] = Wrap(row[column], widths[column])
		height = max(height, len(cells[i]))
	}
	for n := range height {
		var line strings.Builder
		for i, column := range columns {
			cell := ""
			if n < len(cells[i]) {
				cell = cells[i][n]
			}
			pad := strings.Repeat(" ", max(0, widths[column]-utf8.RuneCountInString(cell)))
			if t.right(column) {
				line.WriteString(pad + cell + gap)
			} else {
				line.WriteString(cell + pad + gap)
			}
		}
		fmt.Fprintln(to, strings.TrimRight(line.String(), " "))
	}
}

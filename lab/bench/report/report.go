// Package report shows the results of the benchmarks: tables as Markdown, plots as SVG, and every figure as JSON,
// with a description of the machine.
package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Report is the results of a run; results.json is its JSON.
type Report struct {
	Machine Machine `json:"machine"`
	Tables  []Table `json:"tables"`
	Plots   []Plot  `json:"plots"`
}

// Table is the figures of one experiment.
type Table struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Notes   []string `json:"notes"` // which core pays for which work, and remarks
	Columns []Column `json:"columns"`
	Rows    [][]any  `json:"rows"` // a cell for each column: text, number, Marked, or nil: not measured
}

// Column is the title of a column and the format of its cells.
type Column struct {
	Name   string `json:"name"` // with the unit
	Format string `json:"-"`    // fmt verb
}

// Columns makes the columns of a table from pairs of texts: the column's title with the unit, then the fmt verb of
// its cells; "%s" for texts.
func Columns(pairs ...string) (list []Column) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, Column{pairs[i], pairs[i+1]})
	}
	return list
}

// Add adds a row to the table: a cell for each column, in their order. nil is a figure that was not measured.
func (t *Table) Add(row ...any) { t.Rows = append(t.Rows, row) }

// Add adds a table and its plots to the report.
func (r *Report) Add(t Table, plots ...Plot) {
	r.Tables, r.Plots = append(r.Tables, t), append(r.Plots, plots...)
}

// WriteMarkdown prints the line about the machine, and all tables as Markdown.
func (r *Report) WriteMarkdown(to io.Writer) error {
	_, err := fmt.Fprintf(to, "%s\n", r.Machine)
	for i := 0; err == nil && i < len(r.Tables); i++ {
		err = r.Tables[i].WriteMarkdown(to)
	}
	return err
}

// WriteMarkdown prints title, rows and notes of the table as Markdown.
func (t *Table) WriteMarkdown(to io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %s\n\n|", t.Title)
	for _, c := range t.Columns {
		fmt.Fprintf(&b, " %s |", c.Name)
	}
	b.WriteString("\n|")
	for _, c := range t.Columns {
		b.WriteString(alignment(c))
	}
	for _, row := range t.Rows {
		b.WriteString("\n|")
		for i, cell := range row {
			b.WriteString(" " + t.Columns[i].text(cell) + " |")
		}
	}
	b.WriteString("\n\n")
	for _, note := range t.Notes {
		b.WriteString("- " + note + "\n")
	}
	_, err := io.WriteString(to, b.String())
	return err
}

// alignment returns the Markdown for the alignment of a column: texts to the left, numbers to the right.
func alignment(c Column) string {
	if c.Format == "%s" {
		return "---|"
	}
	return "---:|"
}

// Marked is a figure measured under other conditions than the rest of its table, so not comparable. Markdown shows it
// with a star.
type Marked struct{ Figure any }

// MarshalJSON returns the JSON of the figure alone, without its mark.
func (m Marked) MarshalJSON() ([]byte, error) { return json.Marshal(m.Figure) }

// text returns a cell of the column as text, with a star for a Marked figure; "" for nil.
func (c Column) text(cell any) string {
	switch cell := cell.(type) {
	case nil:
		return ""
	case Marked:
		return c.text(cell.Figure) + " *"
	case string:
		return cell
	}
	return fmt.Sprintf(c.Format, cell)
}

// Save writes the report into a directory, which it makes: results.json, README.md with the tables, and an SVG
// file for each plot. Without a directory ("") it writes nothing. Errors are those of the file system.
func (r *Report) Save(dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "results.json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	var tables bytes.Buffer
	if err := r.WriteMarkdown(&tables); err != nil {
		return err
	}
	for _, p := range r.Plots {
		if err := os.WriteFile(filepath.Join(dir, p.Name+".svg"), p.SVG(), 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&tables, "\n![%s](%s.svg)\n", p.Title, p.Name)
	}
	return os.WriteFile(filepath.Join(dir, "README.md"), tables.Bytes(), 0o644)
}

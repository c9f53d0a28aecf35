package manualtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Document returns a document of the tree, such as docs/PODS.md, for a test in any of its folders: the root is the
// folder with go.mod.
func Document(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	t.Fatal("no folder above this one has a go.mod")
	return ""
}

// Introduction returns the text between the title of a document and its first heading.
func Introduction(document string) string {
	text, _, _ := strings.Cut(document, "\n## ")
	_, text, _ = strings.Cut(text, "\n\n")
	return text
}

// Part returns the text below a heading of a document, up to the next heading of the same level.
func Part(t testing.TB, document, heading string) string {
	t.Helper()
	_, rest, found := strings.Cut(document, "\n"+heading+"\n")
	if !found {
		t.Fatalf("there is no heading %q", heading)
	}
	level, _, _ := strings.Cut(heading, " ")
	part, _, _ := strings.Cut(rest, "\n"+level+" ")
	return part
}

// Rows returns the rows of the first table of Markdown in a text, without its titles: the cells of each; nil without a
// table. A \| in a cell becomes |.
func Rows(text string) (rows [][]string) {
	const bar = "\x00" // for a | in a cell
	for line := range strings.Lines(strings.ReplaceAll(text, `\|`, bar)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			if len(rows) > 0 {
				break
			}
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(strings.TrimSpace(c), bar, "|")
		}
		rows = append(rows, cells)
	}
	if len(rows) < 2 {
		return nil
	}
	return rows[2:]
}

// Definition returns a term with its meaning, each in Markdown, as an item of a list.
func Definition(term, meaning string) string { return fmt.Sprintf("%s\n: %s\n\n", term, meaning) }

// Sections returns the sections EXIT STATUS, ENVIRONMENT and FILES of a program: the rows of docs/OPERATING.md that
// are the program's.
func Sections(t testing.TB, program string) string {
	t.Helper()
	operating := Document(t, "docs/OPERATING.md")
	var b strings.Builder
	for _, s := range []struct{ heading, title string }{
		{"## Exit codes", "EXIT STATUS"}, {"## Environment", "ENVIRONMENT"}, {"## Files", "FILES"},
	} {
		fmt.Fprintf(&b, "# %s\n\n", s.title)
		n := 0
		for _, row := range Rows(Part(t, operating, s.heading)) {
			if row[1] == "all" || strings.Contains(row[1], "`"+program+"`") {
				b.WriteString(Definition(row[0], row[2]))
				n++
			}
		}
		if n == 0 {
			t.Errorf("%s of docs/OPERATING.md has no row for %s", s.heading, program)
		}
	}
	return b.String()
}

package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// columns is how long a line of Go or Markdown may be, in characters; a tab is one.
const columns = 120

// TestColumns holds Go and Markdown to the limit, but for what programs write, the rows of tables, what a document
// quotes, and directives, which cannot be folded.
func TestColumns(t *testing.T) {
	eachText(t, func(name, text string) {
		var long []int
		switch {
		case strings.HasSuffix(name, ".go") && !generatedFile(text):
			long = longLines(text)
		case strings.HasSuffix(name, ".md") && !generatedDocument(name):
			long = longProse(text)
		}
		if len(long) > 0 {
			t.Errorf("%s: the lines %v are longer than %d columns: fold them", name, long, columns)
		}
	})
}

// generatedDocument tells whether a program writes a document.
func generatedDocument(name string) bool {
	return slices.Contains([]string{"docs/conformance.md", "docs/conformance-values.md", "docs/nics.md"}, name) ||
		strings.HasPrefix(name, "lab/bench/results/") || strings.Contains(name, "testdata/")
}

// longProse is the numbers of the lines of a document that are too long, and neither in a table nor quoted between
// fences.
func longProse(text string) (long []int) {
	quoted := false
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			quoted = !quoted
		}
		if utf8.RuneCountInString(line) > columns && !quoted && !strings.HasPrefix(line, "|") {
			long = append(long, i+1)
		}
	}
	return long
}

// generatedFile tells whether a program has written a file.
func generatedFile(text string) bool {
	head, _, _ := strings.Cut(text, "\npackage ")
	return strings.Contains(head, "Code generated ")
}

// longLines is the numbers of the lines of a Go file that are too long, and in no table.
func longLines(text string) (long []int) {
	var tables map[int]bool
	for i, line := range strings.Split(text, "\n") {
		if utf8.RuneCountInString(line) <= columns || strings.HasPrefix(line, "//go:") {
			continue
		}
		if tables == nil {
			tables = tableLines(text)
		}
		if !tables[i+1] {
			long = append(long, i+1)
		}
	}
	return long
}

// tableLines is the lines behind the first of each literal of a composite type, and of each
// struct: a row there says one thing in columns. A comment line is none.
func tableLines(text string) map[int]bool {
	rows, files := map[int]bool{}, token.NewFileSet()
	file, err := parser.ParseFile(files, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return rows
	}
	mark := func(from, to token.Pos) {
		for n := files.Position(from).Line + 1; n <= files.Position(to).Line; n++ {
			rows[n] = true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			mark(n.Lbrace, n.Rbrace)
		case *ast.StructType:
			mark(n.Fields.Opening, n.Fields.Closing)
		}
		return true
	})
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "//") {
			delete(rows, i+1)
		}
	}
	return rows
}

func TestLongProse(t *testing.T) {
	row := strings.Repeat("x", columns+1)
	text := row + "\n| " + row + " |\n```\n" + row + "\n```\nshort\n" + row + "\n"
	if is := longProse(text); !slices.Equal(is, []int{1, 7}) {
		t.Errorf("the long lines are %v, want 1 and 7", is)
	}
}

func TestLongLines(t *testing.T) {
	row := strings.Repeat("x", columns)
	for _, c := range []struct {
		name, text string
		want       []int
	}{
		{"a comment", "package p\n// " + row + "\n", []int{2}},
		{"as long as may be", "package p\n//" + row[2:] + "\n", nil},
		{"a directive", "package p\n//go:generate " + row + "\n", nil},
		{"characters, not octets", "package p\n//" + strings.Repeat("é", columns-2) + "\n", nil},
		{"code", "package p\nvar a = `" + row + "`\n", []int{2}},
		{"a literal in one line", "package p\nvar a = []string{`" + row + "`}\n", []int{2}},
		{"a row", "package p\nvar a = []string{\n`" + row + "`,\n}\n", nil},
		{"a field", "package p\ntype t struct {\nf int // " + row + "\n}\n", nil},
		{"a comment among rows", "package p\nvar a = []string{\n// " + row + "\n}\n", []int{3}},
	} {
		if got := longLines(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

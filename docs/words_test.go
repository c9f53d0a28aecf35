package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// statusTexts returns the string constants of the packages that write what uelink status says, sums of constants as
// one, with a line break between two.
func statusTexts(t *testing.T) string {
	var all strings.Builder
	for _, dir := range []string{"../dataplane", "../control/status"} {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				expression, ok := n.(ast.Expr)
				if !ok {
					return true
				}
				text := constant(expression)
				all.WriteString(text + "\n")
				return text == "" // the parts of a sum stand in it
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

// constant returns the strings in a sum, one behind the other, with "…" for what is not a string; "" if e is no sum and
// no string.
func constant(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return text
		}
	case *ast.ParenExpr:
		return constant(e.X)
	case *ast.BinaryExpr:
		left, right := constant(e.X), constant(e.Y)
		if e.Op == token.ADD && left+right != "" {
			return orDots(left) + orDots(right)
		}
	}
	return ""
}

// orDots returns a text, or dots in its place.
func orDots(text string) string {
	if text == "" {
		return "…"
	}
	return text
}

// Each text in the first column of the table of status texts is one of the program: where the table has dots, the
// program has values.
func TestWordsOfStatusAreTheProgram(t *testing.T) {
	page, err := os.ReadFile("TROUBLESHOOTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(page), "## By the words of")
	table, _, end := strings.Cut(table, "\n## ")
	if !ok || !end {
		t.Fatal("TROUBLESHOOTING.md has no table by the words of status")
	}
	texts, quoted, rows := statusTexts(t), regexp.MustCompile("`[^`]+`"), 0
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		rows++
		column, _, _ := strings.Cut(line[2:], " | ")
		for _, words := range quoted.FindAllString(column, -1) {
			for part := range strings.SplitSeq(strings.Trim(words, "`"), "…") {
				if part = strings.Trim(part, " ,:"); !strings.Contains(texts, part) {
					t.Errorf("no text of dataplane or control/status has %q, of the row %s", part, words)
				}
			}
		}
	}
	if rows == 0 {
		t.Error("the table has no rows")
	}
}

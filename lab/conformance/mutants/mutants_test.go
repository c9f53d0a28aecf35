package mutants

import (
	"go/parser"
	"go/token"
	"testing"
)

// Each mutant of the list fits the tree of today: its text stands in its file once, and what replaces it is Go.
func TestMutantsFitTheTree(t *testing.T) {
	names := map[string]bool{}
	for _, m := range All() {
		if m.Fault == "" || names[m.Name] {
			t.Errorf("%s: no fault in words, or a second of this name", m.Name)
		}
		names[m.Name] = true
		text, err := m.Text("../../..")
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := parser.ParseFile(token.NewFileSet(), m.File, text, parser.SkipObjectResolution); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
	if len(names) < 20 {
		t.Errorf("%d mutants", len(names))
	}
}

// A text that stands in the file never, or twice, is refused.
func TestTextThatDoesNotFit(t *testing.T) {
	for _, from := range []string{"", "package cbfc", "\n"} {
		if _, err := (Mutant{Name: "x", File: "llr/tx.go", from: from}).Text("../../.."); err == nil {
			t.Errorf("%q is taken", from)
		}
	}
}

package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func sample() Table {
	t := Table{Name: "t", Title: "Title", Notes: []string{"a note"}, Columns: Columns("who", "%s", "Mpps", "%.2f")}
	t.Add("testpmd", 1.234)
	t.Add("other", nil)
	return t
}

func TestMarkdown(t *testing.T) {
	var b strings.Builder
	table := sample()
	if err := table.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	const want = "\n### Title\n\n| who | Mpps |\n|---|---:|\n| testpmd | 1.23 |\n| other |  |\n\n- a note\n"
	if b.String() != want {
		t.Errorf("got %q\nwant %q", b.String(), want)
	}
}

// TestSavedResults: results.json has every figure as it was measured, and
// README.md shows tables and plots.
func TestSavedResults(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	r := Report{Machine: ThisMachine(), Tables: []Table{sample()}, Plots: []Plot{{Name: "curve", Title: "A curve"}}}
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if got := back.Tables[0].Rows[0][1]; got != 1.234 {
		t.Errorf("a figure came back as %v", got)
	}
	shown, err := os.ReadFile(filepath.Join(dir, "README.md"))
	for _, part := range []string{"### " + sample().Title, "![A curve](curve.svg)"} {
		if err != nil || !strings.Contains(string(shown), part) {
			t.Errorf("README.md (%v) without %s:\n%s", err, part, shown)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "curve.svg")); err != nil {
		t.Error(err)
	}
	if back.Machine.CPUs < 1 || back.Machine.Kernel == "" {
		t.Errorf("the machine is not described: %+v", back.Machine)
	}
}

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func sample() Table {
	t := Table{Name: "t", Title: "Title", Notes: []string{"a note"}, Columns: columns("who", "%s", "Mpps", "%.2f")}
	t.add("testpmd", 1.234)
	t.add("other", nil)
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
	r := Report{Machine: thisMachine(), Tables: []Table{sample()}, Plots: []Plot{{Name: "curve", Title: "A curve"}}}
	if err := r.save(dir); err != nil {
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

// TestEveryExperimentCanBeChosen: by its name, and only by the whole of it.
func TestEveryExperimentCanBeChosen(t *testing.T) {
	for _, name := range names() {
		o, err := parse([]string{"--only", name})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range experiments() {
			if o.chosen(e) != (e.name == name) {
				t.Errorf("--only %s: %s is chosen: %v", name, e.name, o.chosen(e))
			}
		}
	}
}

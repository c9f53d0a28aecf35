package docs

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestDeparturesOfTheProtocol holds the table of departures in PROTOCOL.md to clauses.yaml.
func TestDeparturesOfTheProtocol(t *testing.T) {
	text, err := os.ReadFile("data/clauses.yaml")
	if err != nil {
		t.Fatal(err)
	}
	list, problems := check(os.DirFS(".."), text)
	if len(problems) > 0 {
		t.Fatalf("the table comes from clauses.yaml, which is not sound: %s", strings.Join(problems, "; "))
	}
	generated(t, "PROTOCOL.md", "departures", departures(list))
}

// departures is a table for each document of where what is built differs from it.
func departures(list []document) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "\n### %s\n\n| clause | it says | built is, and why |\n|---|---|---|\n", d.Key)
		for _, c := range d.Clauses {
			if c.Departs != "" {
				_, id, _ := strings.Cut(c.ID, "/")
				fmt.Fprintf(&b, "| %s (%s) | %s | %s |\n", id, cell(c.Section), cell(c.Text), cell(c.Departs))
			}
		}
	}
	return b.String() + "\n"
}

// cell is a text as it may stand in a table.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}

func TestDeparturesAreOneLineEach(t *testing.T) {
	got := departures([]document{{Key: "K", Clauses: []clause{
		{ID: "K/a.1", Section: "1 S", Text: "a | b", Departs: "c\n d"}, {ID: "K/a.2", Section: "1 S", Text: "as it is"},
	}}})
	const want = "\n### K\n\n| clause | it says | built is, and why |\n|---|---|---|\n| a.1 (1 S) | a \\| b | c d |\n\n"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

package docs

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The names of events in the source.
var (
	eventConstant = regexp.MustCompile(`\tEvent\w+ += "([a-z_]+[a-z])"`)
	eventNames    = regexp.MustCompile(`(?s)return \[\.\.\.\]string\{("neighbor_added".*?), "unknown"\}`)
	dcbxNames     = regexp.MustCompile(`(?s)var eventNames = \[\.\.\.\]string\{"\?", (.*?)\}`)
	quoted        = regexp.MustCompile("`([^`]+)`")
)

// kindsOfEvents returns the names of all events that the daemon publishes.
func kindsOfEvents(t *testing.T) map[string]bool {
	t.Helper()
	kinds := map[string]bool{}
	read := func(file string) string {
		text, err := os.ReadFile("../" + file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, file := range []string{"dataplane/model/event.go", "lldp/agent/event.go"} {
		for _, m := range eventConstant.FindAllStringSubmatch(read(file), -1) {
			kinds[m[1]] = true
		}
	}
	for prefix, list := range map[string][]string{
		"":      eventNames.FindStringSubmatch(read("lldp/event.go")),
		"dcbx_": dcbxNames.FindStringSubmatch(read("lldp/dcbx/output.go")),
	} {
		if len(list) != 2 {
			t.Fatalf("no names of events %s", prefix)
		}
		for _, name := range strings.Split(list[1], ",") {
			kinds[prefix+strings.Trim(strings.TrimSpace(name), `"`)] = true
		}
	}
	return kinds
}

// ends returns the rows of the table of events in TROUBLESHOOTING.md.
func ends(t *testing.T) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile("TROUBLESHOOTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "| event | begins with | is over with |\n|---|---|---|\n")
	if !ok {
		t.Fatal("TROUBLESHOOTING.md has no table of events")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	for row := range strings.SplitSeq(table, "\n") {
		rows = append(rows, strings.Split(strings.Trim(row, "| "), " | "))
	}
	return rows
}

// Each event that says that something has begun has one that says that it is over: the table of events names all of
// them, and the texts in it are those of the source.
func TestEachEventThatBeginsHasAnEnd(t *testing.T) {
	var source strings.Builder
	eachText(t, func(name, text string) {
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			source.WriteString(strings.NewReplacer("\" +\n\t\t\"", "", "\" +\n\t\t\t\"", "", "\" +\n\t\"", "", "\"+\n\t\t\"", "",
				"\"+\n\t\t\t\"", "", "\"+\n\t\"", "").Replace(text))
		}
	})
	kinds, tree := kindsOfEvents(t), source.String()
	left := maps.Clone(kinds)
	for _, row := range ends(t) {
		if len(row) != 3 && !strings.HasPrefix(row[1], "a moment") {
			t.Errorf("%q: a row has an event, its begin and its end", row)
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(row[0], -1) {
			if !kinds[m[1]] {
				t.Errorf("%s is no event", m[1])
			}
			delete(left, m[1])
		}
		for _, m := range quoted.FindAllStringSubmatch(strings.Join(row[1:], " "), -1) {
			if kinds[m[1]] {
				delete(left, m[1]) // another event is the end
				continue
			}
			for _, part := range strings.Split(m[1], "…") {
				part = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(part), "over: "), ":"))
				if part != "" && !strings.Contains(tree, part) {
					t.Errorf("%s: no text in the source has %q", row[0], part)
				}
			}
		}
	}
	if len(left) > 0 {
		t.Errorf("no row has the events %q", slices.Sorted(maps.Keys(left)))
	}
}

package docs

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// cited is the forms of a citation: one that nobody else could resolve, the names of standards, and
// whatever in capitals stands before a section sign.
var cited = regexp.MustCompile(`\b[Ss]eed \d{3}\b|\bseed-errata\b|\bspec §|\b802\.\d+[A-Za-z]*|\bRFC ?\d+` +
	`|\bUE \d\.\d+(?:\.\d+)?|\bUE-[A-Z]+\b|\bSAI-[A-Z]+\b|\b[A-Z][A-Z0-9-]+(?: \d+)? §`)

// keyRow is a row of REFERENCES.md.
var keyRow = regexp.MustCompile(`(?m)^\| ([^|]+) \| [^|]+ \| [^|]+ \|$`)

// keysOf is the keys that a text like REFERENCES.md explains.
func keysOf(text string) (keys []string) {
	for _, row := range keyRow.FindAllStringSubmatch(text, -1) {
		keys = append(keys, row[1])
	}
	return keys
}

// unresolved tells which citations of a text have no key.
func unresolved(name, text string, keys []string) (problems []string) {
	for n, line := range strings.Split(text, "\n") {
		for _, c := range cited.FindAllString(line, -1) {
			key := strings.TrimSuffix(c, " §")
			if rest, ok := strings.CutPrefix(key, "RFC"); ok {
				key = "RFC " + strings.TrimSpace(rest)
			}
			if !slices.Contains(keys, key) {
				problems = append(problems, fmt.Sprintf(
					"%s:%d: %s is no key of docs/REFERENCES.md: cite by a key that is there, or add it", name, n+1, key))
			}
		}
	}
	return problems
}

// TestCitations holds the citations of the tree to the keys.
func TestCitations(t *testing.T) {
	references, err := os.ReadFile("REFERENCES.md")
	if err != nil {
		t.Fatal(err)
	}
	keys := keysOf(string(references))
	eachText(t, func(name, text string) {
		if name == "docs/citations_test.go" {
			return
		}
		for _, p := range unresolved(name, text, keys) {
			t.Error(p)
		}
	})
}

// A citation without a key is told with its place.
func TestCitationsWithoutAKey(t *testing.T) {
	keys := keysOf("| key | title | where |\n|---|---|---|\n| UE-LINK | T | W |\n| 802.1AB | T | W |\n| RFC " +
		"791 | T | W |\n")
	const advice = " is no key of docs/REFERENCES.md: cite by a key that is there, or add it"
	for _, c := range []struct{ text, want string }{
		{"x\nas seed 000 §4 has it", "f.go:2: seed 000" + advice},
		{"UE-LINKS", "f.go:1: UE-LINKS" + advice},
		{"UE-LINK §4.1, 802.1AB table 8-1, 802.1AB-2016, RFC 791 §3, RFC791", ""},
		{"802.1Qzz", "f.go:1: 802.1Qzz" + advice},
		{"RFC 1 §2", "f.go:1: RFC 1" + advice},
		{"HIPPI-64 §2", "f.go:1: HIPPI-64" + advice},
		{"layouts of §3.1 and §3.2", ""},
	} {
		if got := strings.Join(unresolved("f.go", c.text, keys), "; "); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

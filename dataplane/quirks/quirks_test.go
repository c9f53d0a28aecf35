package quirks

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every entry can be looked up, has its texts, and names a source.
func TestEveryEntryHasItsSource(t *testing.T) {
	if !slices.IsSortedFunc(table, func(a, b Quirk) int { return strings.Compare(a.Driver, b.Driver) }) {
		t.Error("the table is not in the order of the drivers' names")
	}
	thread := regexp.MustCompile(`^https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+$`)
	for _, q := range table {
		if found, ok := Find(q.Driver, q.Kind); !ok || found != q {
			t.Errorf("%s has two entries %v, or none: %+v", q.Driver, q.Kind, found)
		}
		if len(q.What) < 20 || strings.HasSuffix(q.What, ".") || strings.HasSuffix(q.Advice, ".") {
			t.Errorf("%s %v: no half sentence: %q, %q", q.Driver, q.Kind, q.What, q.Advice)
		}
		if !thread.MatchString(q.Source) && !told(t, q) {
			t.Errorf("%s %v: %s does not speak of the driver, or is no thread", q.Driver, q.Kind, q.Source)
		}
	}
}

// told reports whether the document that is the source of an entry names the driver.
func told(t *testing.T, q Quirk) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", q.Source))
	if err != nil {
		t.Error(err)
	}
	return strings.Contains(string(text), q.Driver)
}

func TestOf(t *testing.T) {
	for driver, want := range map[string][]Kind{
		"igb": {AvoidZeroCopy, AwayOnAttach, MTUUnderXDP, StopsOnReset, KernelOops}, "ice": {AvoidZeroCopy}, "veth": nil, "": nil,
	} {
		var kinds []Kind
		for _, q := range FindAll(driver) {
			kinds = append(kinds, q.Kind)
		}
		if !slices.Equal(kinds, want) {
			t.Errorf("%q has %v, want %v", driver, kinds, want)
		}
	}
	if q, ok := Find("veth", AvoidZeroCopy); ok {
		t.Errorf("a veth has %+v", q)
	}
}

func TestKindsHaveDifferentWords(t *testing.T) {
	words := map[string]bool{}
	for k := range NeedsQueues + 2 {
		word, err := k.MarshalText()
		if words[string(word)] || err != nil {
			t.Errorf("kind %d has the word %q of another, %v", k, word, err)
		}
		words[string(word)] = true
	}
}

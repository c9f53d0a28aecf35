package main

import (
	"strings"
	"testing"
)

// said is what words have set.
type said struct {
	bridge, port, state string
	vlan                uint16
}

// someWords are words of every kind, and what they set.
func someWords() (*said, []word) {
	var s said
	words := []word{
		textWord("br", "BRIDGE", &s.bridge), textWord("dev|brport", "PORT", &s.port), vlanWord("vlan", &s.vlan),
		textWord("dynamic|static", "", &s.state),
	}
	words[0].may = true
	return &s, words
}

func TestReadWords(t *testing.T) {
	for args, want := range map[string]said{
		"":                             {},
		"br br0 dev p vlan 7 static":   {"br0", "p", "static", 7},
		"dynamic vlan 4094 dev p":      {"", "p", "dynamic", 4094},
		"br static":                    {"", "", "static", 0}, // a word is not taken for a value that may be left out
		"br":                           {},
		"dev static br x":              {"x", "static", "", 0}, // but for one that may not
		"brport dev":                   {"", "dev", "", 0},
		"vlan 0010":                    {"", "", "", 10},
		"static br br dev vlan vlan 1": {"", "", "", 0}, // br once more
	} {
		got, words := someWords()
		err := readWords(strings.Fields(args), words)
		if twice := strings.Contains(args, "br br dev"); (err != nil) != twice || !twice && *got != want {
			t.Errorf("%q: %+v, %v", args, *got, err)
		}
	}
}

// Whatever is typed is read or refused with words that say what is wanted.
func FuzzReadWords(f *testing.F) {
	for _, args := range []string{"", "br br0 dev p vlan 7 static", "br static", "vlan -1", "dev", "vlan 1 vlan 1",
		"x"} {
		f.Add(args)
	}
	f.Fuzz(func(t *testing.T, args string) {
		got, words := someWords()
		if err := readWords(strings.Fields(args), words); err != nil {
			if err.Error() == "" {
				t.Error("refused without a word")
			}
			return
		}
		if got.vlan > 4094 || got.state != "" && got.state != "dynamic" && got.state != "static" {
			t.Errorf("%q: %+v", args, *got)
		}
	})
}

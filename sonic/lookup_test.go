package sonic

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParseLookup: columns in any order, comments, and fields without a value.
func TestParseLookup(t *testing.T) {
	lookup, problems := ParseLookup("f", `
# speeds in Mb/s
speed cable outstanding_bytes outstanding_frames replay_timer replay_count `+
		`pcs_lost_timeout data_age_timer ctlos_spacing init_action flush_action

200000 5m  31184 61 5000 3 50000 20000 2048 best_effort block
400000 40m 67760 133 - - - - - - discard
`)
	want := Lookup{
		{"200000", "5m"}: {"max_outstanding_bytes": "31184", "max_outstanding_frames": "61", "max_replay_timer": "5000",
			"max_replay_count": "3", "pcs_lost_timeout": "50000", "data_age_timeout": "20000", "ctlos_spacing_bytes": "2048",
			"init_action": "best_effort", "flush_action": "block"},
		{"400000", "40m"}: {"max_outstanding_bytes": "67760", "max_outstanding_frames": "133", "flush_action": "discard"},
	}
	if diff := cmp.Diff(want, lookup); diff != "" || len(problems) > 0 {
		t.Errorf("(-want +got):\n%s%v", diff, problems)
	}
	if name := (Cabling{"200000", "5m"}).profile(); name != "llr_200000_5m_profile" {
		t.Error(name)
	}
}

// TestWrongLookup: a line with a mistake is left out, and reported with its number.
func TestWrongLookup(t *testing.T) {
	const head = "speed cable outstanding_frames outstanding_bytes\n"
	for text, want := range map[string]string{
		"speed length a b\n":                     "f:1: the first line must name the columns, and begin with speed and cable",
		"speed\n":                                "f:1: the first line must name the columns",
		head + "1 2m 3\n":                        "f:2: the line has 3 values for 4 columns",
		head + "1 2m 3 4\n1 2m 5 6\n":            "f:3: an earlier line is for speed 1 and cable 2m",
		head + "1 2m - 4\n":                      "f:2 max_outstanding_frames: this field is mandatory",
		head + "1 2m 3 x\n":                      "f:2 max_outstanding_bytes: \"x\" is no number",
		"speed cable colour\n1 2m red\n":         "f:1 colour: this column is unknown",
		head + strings.Repeat("x", 70000) + "\n": "token too long",
	} {
		_, problems := ParseLookup("f", text)
		if len(problems) == 0 || !strings.Contains(problems[0].String(), want) {
			t.Errorf("%.60q: %v, want %s", text, problems, want)
		}
	}
}

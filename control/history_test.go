package control

import (
	"slices"
	"testing"
	"time"
)

// at returns an event of a second, with its text.
func at(second int64, text string) Event {
	return Event{Time: time.Unix(second, 0), Port: "link0", Kind: "partner", Text: text}
}

func TestMergeEvents(t *testing.T) {
	for name, c := range map[string]struct {
		kept, recent []Event
		want         string
	}{
		"nothing":                  {nil, nil, ""},
		"disk only":                {[]Event{at(1, "a"), at(2, "b")}, nil, "ab"},
		"memory only":              {nil, []Event{at(1, "a"), at(2, "b")}, "ab"},
		"memory has the latest":    {[]Event{at(1, "a"), at(2, "b")}, []Event{at(2, "b"), at(3, "c")}, "abc"},
		"disk lacks one":           {[]Event{at(1, "a"), at(3, "c")}, []Event{at(1, "a"), at(2, "b"), at(3, "c")}, "abc"},
		"two at a time":            {[]Event{at(1, "a"), at(1, "b")}, []Event{at(1, "c")}, "abc"},
		"the clock was set back":   {[]Event{at(9, "a"), at(1, "b"), at(2, "c")}, []Event{at(1, "b"), at(2, "c")}, "abc"},
		"set back, disk lacks one": {[]Event{at(9, "a"), at(1, "b")}, []Event{at(2, "c")}, "cab"},
	} {
		got := ""
		for _, e := range mergeEvents(slices.Clone(c.kept), c.recent) {
			got += e.Text
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

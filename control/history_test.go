package control

import (
	"slices"
	"testing"
	"time"

	"uelink/control/api"
)

// at returns an event of a second, with its text.
func at(second int64, text string) api.Event {
	return api.Event{Time: time.Unix(second, 0), Port: "link0", Kind: "partner", Text: text}
}

func TestMergeEvents(t *testing.T) {
	for name, c := range map[string]struct {
		kept, recent []api.Event
		want         string
	}{
		"nothing":                  {nil, nil, ""},
		"disk only":                {[]api.Event{at(1, "a"), at(2, "b")}, nil, "ab"},
		"memory only":              {nil, []api.Event{at(1, "a"), at(2, "b")}, "ab"},
		"memory has the latest":    {[]api.Event{at(1, "a"), at(2, "b")}, []api.Event{at(2, "b"), at(3, "c")}, "abc"},
		"disk lacks one":           {[]api.Event{at(1, "a"), at(3, "c")}, []api.Event{at(1, "a"), at(2, "b"), at(3, "c")}, "abc"},
		"two at a time":            {[]api.Event{at(1, "a"), at(1, "b")}, []api.Event{at(1, "c")}, "abc"},
		"the clock was set back":   {[]api.Event{at(9, "a"), at(1, "b"), at(2, "c")}, []api.Event{at(1, "b"), at(2, "c")}, "abc"},
		"set back, disk lacks one": {[]api.Event{at(9, "a"), at(1, "b")}, []api.Event{at(2, "c")}, "cab"},
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

package control

import (
	"testing"
	"time"

	"uelink/control/api"
	"uelink/dataplane/model"
)

func TestRepeats(t *testing.T) {
	sent := repeats{}
	up := api.Event{Port: "link0", Kind: "oper_status", Text: "up"}
	down := api.Event{Port: "link0", Kind: "oper_status", Text: "down"}
	other := api.Event{Port: "link1", Kind: "oper_status", Text: "up"}
	updated := api.Event{Port: "link0", Kind: "neighbor_updated", Text: "hostb", Neighbor: &api.LLDPNeighbor{}}
	for i, c := range []struct {
		e    api.Event
		want bool
	}{
		{up, false}, {up, true}, {other, false}, {up, true}, {down, false}, {up, false},
		{updated, false}, {updated, false}, {up, false},
	} {
		if got := sent.repeated(c.e); got != c.want {
			t.Errorf("event %d, %+v: %v", i, c.e, got)
		}
	}
}

// An event that repeats the last one of its port does not come to a watcher, however much
// later it is.
func TestWatcherIsNotToldTheSameTwice(t *testing.T) {
	b, _, w := watched(t, defaultWatchLimits)
	for n, text := range []string{"down", "down", "down", "up"} {
		e := model.Event{Time: time.Unix(int64(n), 0).UTC(), Port: "link0", Kind: model.EventOperStatus, Text: text}
		if !b.Emit(e, 5*time.Second) {
			t.Fatal("the data plane was held up")
		}
	}
	for _, want := range []string{"down", "up"} {
		if e, err := w.Next(); err != nil || e.Text != want {
			t.Errorf("%+v, %v, want %s", e, err, want)
		}
	}
}

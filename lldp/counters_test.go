package lldp

import (
	"encoding/json"
	"testing"
)

func TestCountersReadBack(t *testing.T) {
	want := Counters{Tx: TxCounters{TotalFrames: 1}, Rx: RxCounters{Looped: 2}, Remote: RemoteCounters{Drops: 3}}
	for f := NoFault + 1; f < NumFaults; f++ {
		want.Rx.Discards[f] = uint64(f) * 10
		if discardNames[f] == "" {
			t.Errorf("%v has no name", f)
		}
	}
	octets, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Counters
	if err := json.Unmarshal(octets, &got); err != nil || got != want {
		t.Errorf("%v, %+v from %s", err, got, octets)
	}
	if err := json.Unmarshal([]byte(`{"order":-1}`), &got.Rx.Discards); err == nil {
		t.Error("a negative count was read")
	}
}

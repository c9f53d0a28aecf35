package dcbx

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestSnapshotKeepsItsShape: the same keys, lists never null, with and without
// a peer.
func TestSnapshotKeepsItsShape(t *testing.T) {
	var out Output
	p := must(NewPort(Default(), &out))(t)
	shape := func() []string {
		octets := must(json.Marshal(p.Snapshot()))(t)
		if strings.Contains(string(octets), "null") {
			t.Errorf("null in %s", octets)
		}
		return keys(octets)
	}
	off := shape()
	p.SetLink(true, &out)
	p.Receive(1, [][]byte{goldenPayload(t, goldenThree)}, &out)
	equal(t, "shape", shape(), off)
}

// keys are the keys of an object at all depths, but not within lists.
func keys(octets []byte) (all []string) {
	var object map[string]json.RawMessage
	if json.Unmarshal(octets, &object) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		all = append(all, name)
		for _, inner := range keys(object[name]) {
			all = append(all, name+"."+inner)
		}
	}
	return all
}

// A snapshot survives JSON unchanged.
func TestSnapshotReadsBack(t *testing.T) {
	var out Output
	p := must(NewPort(Default(), &out))(t)
	p.SetLink(true, &out)
	p.Receive(1, [][]byte{append(goldenPayload(t, goldenThree), 0x10, 2, 0xab, 0xcd)}, &out)
	want := must(json.Marshal(p.Snapshot()))(t)
	var got Snapshot
	if err := json.Unmarshal(want, &got); err != nil {
		t.Fatal(err)
	}
	equal(t, "snapshot", string(must(json.Marshal(got))(t)), string(want))
	if len(got.Unknown) != 1 {
		t.Errorf("unknown sub-TLVs are %v", got.Unknown)
	}
	for _, wrong := range []string{`{"octets": "abc"}`, `{"type": "x"}`} {
		if err := json.Unmarshal([]byte(wrong), new(Raw)); err == nil {
			t.Errorf("%s was read", wrong)
		}
	}
}

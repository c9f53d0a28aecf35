package model

import "testing"

// TestLabelsMatch: each label that is wanted has to be there.
func TestLabelsMatch(t *testing.T) {
	pod := Labels{"uelink-cni", "c1", "net1", "storage"}
	for _, c := range []struct {
		want  Labels
		match bool
	}{
		{Labels{}, true}, {pod, true}, {Labels{Owner: "uelink-cni"}, true}, {Labels{Owner: "other"}, false},
		{Labels{Owner: "uelink-cni", Network: "other"}, false}, {Labels{Container: "c2"}, false}, {Labels{IfName: "net2"}, false},
	} {
		if pod.Match(c.want) != c.match {
			t.Errorf("%+v matches %+v: %t", pod, c.want, !c.match)
		}
	}
	if (Labels{}).Match(pod) {
		t.Error("a port without labels matches")
	}
}

package control

import (
	"net/http/httptest"
	"testing"

	"uelink/control/api"
	"uelink/dataplane/model"
)

// TestPortsHaveTheirLabels: a port has its labels, one without has none, and a query selects by them.
func TestPortsHaveTheirLabels(t *testing.T) {
	s := &Server{}
	list := func() []api.Port { return s.labelled([]api.Port{{Name: "a"}, {Name: "b"}}) }
	if list()[0].Labels != nil {
		t.Error("labels before there are any")
	}
	s.SetLabels(map[string]model.Labels{"b": {Owner: "x", Network: "n"}})
	for query, want := range map[string]int{"": 2, "owner=x": 1, "owner=x&network=n": 1, "owner=y": 0,
		"container=c": 0} {
		labels, err := labelsQuery(httptest.NewRequest("GET", "/v1/ports?"+query, nil))
		if got := withLabels(list(), labels); err != nil || len(got) != want || want == 1 && got[0].Name != "b" {
			t.Errorf("%s: %+v, %v", query, got, err)
		}
	}
	for _, query := range []string{"app=x", "owner=x&owner=y"} {
		if _, err := labelsQuery(httptest.NewRequest("GET", "/v1/ports?"+query, nil)); err == nil {
			t.Errorf("%s is no error", query)
		}
	}
}

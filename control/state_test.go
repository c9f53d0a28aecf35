package control_test

import (
	"slices"
	"testing"

	"uelink/control/api"
	"uelink/control/controltest"
)

func TestSavedStatesAreTextByPort(t *testing.T) {
	d := start(t, controltest.Ports())
	list, err := d.client.SavedStates(t.Context())
	want := []api.SavedState{{Port: "link1", State: "uelink-state 1 port\nend 20 00000000\n"}}
	if err != nil || !slices.Equal(list, want) {
		t.Errorf("%q, %v", list, err)
	}
}

package dataplane

import (
	"slices"
	"strings"
	"testing"

	"uelink/dataplane/ethtool"
	"uelink/dataplane/model"
)

// Offloads that somebody switches on, and that are to be off, are a problem of the port until they are off, unless the
// port leaves offloads alone.
func TestOffloadsThatAreToBeOff(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	look := func() model.PortState {
		l.a.reconcile()
		l.a.survey(surveyEvery)
		return l.state(l.a, "ea")
	}
	if s := look(); slices.Contains(s.FaultReasons, "offloads") {
		t.Fatalf("right after the start: %s", s.Fault)
	}
	on, _, err := ethtool.Enable("ea", []string{"tx-scatter-gather"})
	l.must(err)
	if len(on) != 1 {
		t.Fatal("the kernel does not switch tx-scatter-gather on")
	}
	const command = "type: ethtool -K ea tx-scatter-gather off;"
	if s := look(); !slices.Contains(s.FaultReasons, "offloads") || !strings.Contains(s.Fault, command) {
		t.Errorf("%v %q", s.FaultReasons, s.Fault)
	}
	l.must(ethtool.Disable("ea", on))
	if s := look(); slices.Contains(s.FaultReasons, "offloads") {
		t.Errorf("switched off again: %s", s.Fault)
	}
	l.must(second(ethtool.Enable("ea", on)))
	l.a.owner("ea").host.settings.Offloads = model.OffloadsLeave
	if s := look(); slices.Contains(s.FaultReasons, "offloads") {
		t.Errorf("offloads: leave: %s", s.Fault)
	}
}

// second returns the error of a call of ethtool.
func second(_, _ []string, err error) error { return err }

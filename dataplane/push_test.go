package dataplane

import (
	"slices"
	"strings"
	"testing"

	"uelink/bpf"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/internal/netns/nstest"
)

// pushes demands a state of push_back, with a reason that has some words.
func (b *createdBed) pushes(state model.PushState, words string) {
	b.t.Helper()
	s := b.edge().Sockets
	if s == nil || s.Push != state || !strings.Contains(s.PushWhy, words) {
		b.t.Errorf("%+v, want %s: %s", s, state, words)
	}
}

// qdisc returns the kind of the queueing discipline of the host's end.
func (b *createdBed) qdisc() string {
	b.t.Helper()
	e, err := b.d.owner("ue0").host.owned.HostEnd()
	b.must(err)
	return e.Qdisc
}

// set gives the edge a value of push_back, and an XDP mode, by a reload.
func (b *createdBed) set(push model.PushBack, mode bpf.Mode) {
	b.t.Helper()
	b.settings.Ports = slices.Clone(b.settings.Ports)
	b.settings.Ports[1].PushBack, b.settings.Ports[1].XDP, b.settings.Ports[1].RxRingSize = push, mode, 512
	b.must(b.d.Reload(b.settings))
}

// A reload switches push_back, and what was changed at the host's end is put back.
func TestPushBackFollowsTheSettings(t *testing.T) {
	if err := netif.Pushes(); err != nil {
		nstest.Missing(t, "a veth that pushes back: "+err.Error())
	}
	b := newCreatedBed(t)
	b.pushes(model.PushOff, "auto is off")
	b.set(model.PushBackOn, bpf.ModeAuto)
	b.pushes(model.PushOn, "")
	if q := b.qdisc(); q != "tbf" {
		t.Error(q)
	}
	b.set(model.PushBackOff, bpf.ModeAuto)
	b.pushes(model.PushOff, "push_back: off")
	if q := b.qdisc(); q != "noqueue" {
		t.Error(q)
	}
	b.set(model.PushBackOn, bpf.ModeGeneric)
	b.pushes(model.PushLossy, "generic mode")
	if is := b.edge(); !slices.Contains(is.FaultReasons, "push_back") || !strings.Contains(is.Fault, "cannot push back") {
		t.Errorf("%v %q", is.FaultReasons, is.Fault)
	}
	b.set(model.PushBackAuto, bpf.ModeGeneric)
	b.pushes(model.PushOff, "auto is off")
	if is := b.edge(); slices.Contains(is.FaultReasons, "push_back") {
		t.Errorf("an edge that is not to push back has the problem %q", is.Fault)
	}
	b.set(model.PushBackOn, bpf.ModeAuto)
	b.pushes(model.PushOn, "")
}

package dataplane

import (
	"slices"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
	vns "github.com/vishvananda/netns"
	"go.uber.org/zap"

	"uelink/dataplane/attach"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/internal/netns"
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
	e, err := b.d.owner("ue0").host.owned.HostEnd().State()
	b.must(err)
	return e.Qdisc
}

// set gives the edge a value of push_back, and an XDP mode, by a reload.
func (b *createdBed) set(push model.PushBack, mode attach.Mode) {
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
	b.pushes(model.PushOff, "auto is off here: rx_ring_size is less than 256")
	b.set(model.PushBackOn, attach.ModeAuto)
	b.pushes(model.PushOn, "")
	if q := b.qdisc(); q != "tbf" {
		t.Error(q)
	}
	b.set(model.PushBackOff, attach.ModeAuto)
	b.pushes(model.PushOff, "push_back: off")
	if q := b.qdisc(); q != "noqueue" {
		t.Error(q)
	}
	b.set(model.PushBackOn, attach.ModeGeneric)
	b.pushes(model.PushLossy, "generic mode")
	edge := b.edge()
	if !slices.Contains(edge.FaultReasons, "push_back") || !strings.Contains(edge.Fault, "cannot push back") {
		t.Errorf("%v %q", edge.FaultReasons, edge.Fault)
	}
	b.set(model.PushBackAuto, attach.ModeGeneric)
	b.pushes(model.PushOff, "auto is off here: the XDP program is in generic mode")
	if edge := b.edge(); edge.Fault != "" {
		t.Errorf("an edge that does not push back by auto has the problem %q", edge.Fault)
	}
	b.set(model.PushBackAuto, attach.ModeAuto)
	b.pushes(model.PushOn, "")
	if q := b.qdisc(); q != "tbf" {
		t.Error(q)
	}
}

// logged returns how many lines of the log have a message.
func (b *createdBed) logged(message string) int { return b.log.FilterMessage(message).Len() }

// Where push_back: auto does not work, the log says so once; there is neither a problem nor an event. Each failed
// attempt doubles the time until the next one.
func TestAutoFailsQuietly(t *testing.T) {
	if err := netif.Pushes(); err != nil {
		nstest.Missing(t, "a veth that pushes back: "+err.Error())
	}
	const failed = "the edge does not push back"
	const pushes = "the edge pushes back: frames wait with the host until there is room for them"
	b := newCreatedBed(t)
	began := len(b.d.Recent())
	b.set(model.PushBackAuto, attach.ModeGeneric)
	a := b.d.owner("ue0")
	g := b.d.groups[slices.IndexFunc(b.d.groups, func(g *group) bool { return slices.Contains(g.members, a) })]
	for wait := pushRetry; wait < 20*pushRetry; wait *= 2 {
		b.d.mu.Lock()
		if a.push.wait != wait {
			t.Errorf("the next attempt is %d ticks after the last, want %d", a.push.wait, wait)
		}
		a.push.retry = 0
		a.push.follow(g, a)
		b.d.mu.Unlock()
	}
	b.pushes(model.PushOff, "generic mode")
	if edge := b.edge(); edge.Fault != "" || edge.NoticeReason == model.NoticePush || b.logged(failed) != 1 {
		t.Errorf("fault %q, notice %q, %d lines in the log", edge.Fault, edge.Notice, b.logged(failed))
	}
	for _, e := range b.d.Recent()[began:] {
		if strings.Contains(e.Text, "push") {
			t.Errorf("event %+v", e)
		}
	}
	for _, e := range b.log.FilterLevelExact(zap.WarnLevel).All() {
		t.Errorf("%s: %v", e.Message, e.ContextMap())
	}
	b.set(model.PushBackAuto, attach.ModeAuto)
	b.pushes(model.PushOn, "")
	if a.push.wait != 0 || b.logged(pushes) != 1 {
		t.Errorf("%d ticks, %d lines in the log", a.push.wait, b.logged(pushes))
	}
}

// The host's end of a created veth may move to where the daemon cannot reach: no problem, and no warning. It pushes
// back again when it has come back.
func TestHostEndOutOfReach(t *testing.T) {
	if err := netif.Pushes(); err != nil {
		nstest.Missing(t, "a veth that pushes back: "+err.Error())
	}
	b := newCreatedBed(t)
	b.set(model.PushBackAuto, attach.ModeAuto)
	b.pushes(model.PushOn, "")
	home, err := vns.Get()
	b.must(err)
	defer home.Close()
	work, done := make(chan func() error), make(chan error)
	defer close(work)
	go func() { // in a namespace without a name
		done <- netns.Unshare()
		for f := range work {
			done <- f()
		}
	}()
	b.must(<-done)
	away := func(f func() error) {
		t.Helper()
		work <- f
		b.must(<-done)
	}
	var namespace vns.NsHandle
	away(func() (err error) {
		namespace, err = vns.Get()
		return err
	})
	defer namespace.Close()
	b.must(netlink.LinkSetNsFd(b.link("uelink0"), int(namespace)))
	for range 3 {
		b.d.reconcile()
		b.d.survey(surveyEvery)
	}
	b.pushes(model.PushOff, "auto is off here: the network namespace of the veth's other end has no name")
	logged := b.logged("the edge does not push back")
	if edge := b.edge(); slices.Contains(edge.FaultReasons, "push_back") || logged != 1 {
		t.Errorf("fault %q, %d lines in the log", edge.Fault, logged)
	}
	for _, e := range b.log.FilterLevelExact(zap.WarnLevel).All() {
		t.Errorf("%s: %v", e.Message, e.ContextMap())
	}
	away(func() error {
		l, err := netlink.LinkByName("uelink0")
		if err != nil {
			return err
		}
		return netlink.LinkSetNsFd(l, int(home))
	})
	b.must(netlink.LinkSetUp(b.link("uelink0")))
	b.d.reconcile()
	b.pushes(model.PushOn, "")
	if q := b.qdisc(); q != "tbf" {
		t.Error(q)
	}
}

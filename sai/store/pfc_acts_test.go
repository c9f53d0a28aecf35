package store

import (
	"testing"
	"time"

	"uelink/dataplane"
	"uelink/dataplane/model"
	"uelink/sai"
)

// TestPriorityFlowControlActs: by PRIORITY_FLOW_CONTROL an edge stops its host for the classes of the bitmap, and obeys
// the host's PFC; without the priority the host is not stopped, and not obeyed.
func TestPriorityFlowControlActs(t *testing.T) {
	w, _, _ := credited(t, plain)
	w.Stop(w.B, 1<<slowVC)
	held := w.slow(20)
	w.Begin(held)
	w.carried(w.free(100))
	w.Run(20*time.Millisecond, held)
	if held.Delivered != 0 || w.b.get(w.b.edge, portPFC).Number != 1<<1|1<<slowVC {
		t.Errorf("PFC of the configuration: %d frames have left", held.Delivered)
	}
	w.b.set(w.b.edge, portPFC, number(0))
	w.Resume(held)
	if !w.WaitIdle() || held.Delivered != 20 {
		t.Errorf("without PFC %d of 20 frames have left: the host is obeyed", held.Delivered)
	}
	w.b.set(w.b.edge, portPFC, number(1<<slowVC))
	w.Stop(w.B, 1<<slowVC)
	again := w.slow(20)
	w.Begin(again)
	w.Run(20*time.Millisecond, again)
	if again.Delivered != 0 {
		t.Errorf("PFC again: %d frames have left", again.Delivered)
	}
	w.Stop(w.B, 0)
	w.Resume(again)
	if !w.WaitIdle() || again.Delivered != 20 {
		t.Errorf("the host goes on: %d of 20 frames", again.Delivered)
	}

	slow := w.a.queue("link0", slowVC)
	w.a.set(slow, queueDequeue, sai.Value{})
	stopped := w.slow(1000)
	w.Begin(stopped)
	w.Run(20*time.Millisecond, stopped)
	if w.A.Host.Paused(w.Now()) != 1<<1 || stopped.Sent == 1000 {
		t.Errorf("the host is stopped for 0x%x, after %d frames", w.A.Host.Paused(w.Now()), stopped.Sent)
	}
	w.a.set(slow, queueDequeue, truth(true))
	w.Resume(stopped)
	if !w.WaitIdle() || stopped.Delivered != 1000 {
		t.Errorf("the host was stopped, and %d of 1000 frames arrived", stopped.Delivered)
	}
	w.a.set(w.a.edge, portPFC, number(1<<2)) // another class
	w.a.set(slow, queueDequeue, sai.Value{})
	lost := w.slow(1000)
	w.Begin(lost)
	w.Run(20*time.Millisecond, lost)
	if w.A.Host.Paused(w.Now()) != 0 || lost.Sent != 1000 {
		t.Errorf("without PFC of class 1 the host is stopped for 0x%x, after %d frames", w.A.Host.Paused(w.Now()),
			lost.Sent)
	}
	if n := w.a.stat(slow, "DROPPED_PACKETS"); n == 0 {
		t.Error("the host was not stopped, and nothing was dropped")
	}
}

// TestPriorities: what PRIORITY_FLOW_CONTROL makes of the configuration's PFC, where it is refused, and what a reload
// keeps of it.
func TestPriorities(t *testing.T) {
	b := newBed(t)
	edge, link := b.oid(sai.TypePort, "edge0"), b.oid(sai.TypePort, "link0")
	pfc := func() model.PFCSettings { return b.plane.port("edge0").PFC }
	for _, id := range []uint32{portPFC, portPFCMode} {
		b.refused("a link", b.SetAttribute(link, attr(id, number(0))), attrNotSupported)
		_, err := b.Get(link, []uint32{id})
		b.refused("of a link", err, attrNotSupported)
		b.refused("the CPU port", b.SetAttribute(CPUPortOID, attr(id, number(0))), attrNotSupported)
	}
	b.refused("mode SEPARATE", b.SetAttribute(edge, attr(portPFCMode, number(1))), invalidValue)
	b.refused("9 priorities", b.SetAttribute(edge, attr(portPFC, number(256))), invalidValue)
	b.set(edge, portPFCMode, number(0))
	b.set(edge, portPFC, number(0x18))
	if got := pfc(); got != (model.PFCSettings{Priorities: 0x18, XOff: 256, XOn: 128, Headroom: 256, Rate: 10e9}) ||
		b.get(edge, portPFC).Number != 0x18 || b.get(edge, portPFCMode).Number != 0 {
		t.Errorf("PFC is %+v", got)
	}
	b.set(edge, portPFC, number(0))
	if got := pfc(); got != (model.PFCSettings{}) {
		t.Errorf("without a priority PFC is %+v", got)
	}
	b.set(edge, portPFC, number(0x01))
	reload := func(change func(s *dataplane.Settings)) {
		t.Helper()
		s := configuration()
		change(&s)
		if err := b.Reload(s); err != nil {
			t.Fatal(err)
		}
	}
	reload(func(s *dataplane.Settings) { s.Ports[0].FCS = false })
	if pfc().Priorities != 1 {
		t.Errorf("a reload that does not name PFC: %+v", pfc())
	}
	own := model.PFCSettings{Priorities: 4, XOff: 20, XOn: 10, Headroom: 30, Rate: 1e9, Pause: true}
	reload(func(s *dataplane.Settings) { s.Ports[2].PFC = own })
	if pfc() != own {
		t.Errorf("a reload with PFC: %+v", pfc())
	}
	b.set(edge, portPFC, number(2))
	if own.Priorities = 2; pfc() != own {
		t.Errorf("PFC is %+v, want the configuration's with another priority", pfc())
	}
	b.set(edge, portPFC, number(0))
	if own.Priorities = 0; pfc() != own { // PAUSE is obeyed on
		t.Errorf("PFC is %+v", pfc())
	}
	reload(func(s *dataplane.Settings) {
		s.Ports[2].PFC = model.PFCSettings{Dynamic: true, XOff: 20, XOn: 10, Headroom: 30, Rate: 1e9}
	})
	b.refused("beside DCBX", b.SetAttribute(edge, attr(portPFC, number(8))), invalidValue)
	b.plane.mu.Lock()
	b.plane.ports[2].PFC = &model.PFCState{Settings: model.PFCSettings{Priorities: 8, Dynamic: true}}
	b.plane.mu.Unlock()
	if got := b.get(edge, portPFC).Number; got != 8 {
		t.Errorf("by DCBX PRIORITY_FLOW_CONTROL is %d", got)
	}
	b.set(edge, portPFC, number(8)) // it is so already
	if got := pfc(); !got.Dynamic || got.Priorities != 0 {
		t.Errorf("DCBX has not the say any more: %+v", got)
	}
}

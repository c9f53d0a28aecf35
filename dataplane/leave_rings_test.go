package dataplane

import (
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/dataplane/model"
	"uelink/dataplane/path"
	"uelink/wire"
)

// Frames that lie in the RX ring of an edge when the end begins are delivered.
func TestWhatTheRingsHaveIsDeliveredAtTheEnd(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	w := l.a.workers[0]
	waiting := func(n int) func() bool {
		return func() bool { return w.Queued() == n }
	}
	// The worker carries out the second hold and the beginning of the end without a round in between.
	first := holdWorker(w)
	<-first.begun
	second := holdWorker(w)
	l.eventually("the second hold to wait", waiting(1))
	drained := make(chan bool)
	go func() { drained <- l.a.Drain() }()
	l.eventually("the end to have begun", waiting(2))
	close(first.over)
	<-second.begun
	l.send(20)
	close(second.over)
	if !<-drained {
		t.Error("not all is delivered")
	}
	l.whole()
}

// hold is a command that keeps a worker from its rounds.
type hold struct{ begun, over chan struct{} }

// holdWorker gives a worker such a command. It lasts until over is closed.
func holdWorker(w *path.Worker) *hold {
	h := &hold{make(chan struct{}), make(chan struct{})}
	go w.Do(func(wire.Time) { close(h.begun); <-h.over })
	return h
}

// Frames that the host sends after the end has begun are not taken, and are counted: also when the counters are cleared
// meanwhile, or the edge's interface goes and comes back.
func TestFramesSentAfterTheEndHasBegun(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	a := l.a.groups[0].member("ea")
	l.a.Leave()
	sent := uint64(0)
	send := func() {
		t.Helper()
		l.send(3)
		sent += 3
		l.eventually("frames that go to the kernel", func() bool { return a.diverted() >= sent })
		if n := a.diverted(); n != sent {
			t.Errorf("%d frames of %d are counted", n, sent)
		}
	}
	send()
	l.must(l.a.ClearCounters(""))
	send()
	l.must(netlink.LinkDel(l.link("ea")))
	l.a.reconcile()
	l.must(netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "ea"}, PeerName: "ha"}))
	for _, name := range []string{"ea", "ha"} {
		l.must(netlink.LinkSetUp(l.link(name)))
	}
	l.a.reconcile()
	l.must(unix.Close(l.from))
	l.from = l.socket("ha", false)
	send()
	if n := l.state(l.a, "ea").Counters.RxFrames; n != 0 {
		t.Errorf("%d frames were taken", n)
	}
}

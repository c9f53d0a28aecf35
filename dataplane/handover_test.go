package dataplane

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/internal/netns/nstest"
)

// native has sockets that can be handed over, with RX rings for the frames that come meanwhile.
func native(s *model.PortSettings) { s.Opener, s.RingSize = attach.OpenerNative, 4096 }

// handOver replaces data plane a by another with its state, as another process would make it.
func (l *linkBed) handOver() {
	l.t.Helper()
	old := l.a
	h, err := old.HandOver()
	l.must(err)
	h.FDs = l.duplicates(h.FDs)
	next, err := TakeOver(old.settings, old.home, nil, h, zap.NewNop())
	l.must(err)
	state, err := old.Stop()
	l.must(err)
	l.must(next.Restore(state))
	sameEvents(l.t, old, next)
	l.abandon(old)
	next.Resume()
	l.a = next
	l.t.Cleanup(func() { l.must(next.Close()) })
}

// sameEvents demands that a data plane has the past events of another, and no event of its own beginning.
func sameEvents(t *testing.T, old, next *Dataplane) {
	t.Helper()
	oldEvents, newEvents := old.Recent(), next.Recent()
	if !slices.EqualFunc(oldEvents, newEvents, func(a, b model.Event) bool {
		return a.Time.Equal(b.Time) && a.Port == b.Port && a.Kind == b.Kind && a.Text == b.Text
	}) {
		t.Errorf("the past events were %+v, are %+v", oldEvents, newEvents)
	}
}

// duplicates are descriptors as another process gets them.
func (l *linkBed) duplicates(fds []int) (theirs []int) {
	l.t.Helper()
	for _, fd := range fds {
		other, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		l.must(err)
		theirs = append(theirs, other)
	}
	return theirs
}

// abandon ends a data plane as the end of its process does: nothing is put back.
func (l *linkBed) abandon(d *Dataplane) {
	d.mu.Unlock()
	d.stopWorkers()
	d.groups, d.settings.Ports = nil, nil
}

// roomy lets host b's socket hold many frames.
func (l *linkBed) roomy() {
	raw, err := l.to.SyscallConn()
	l.must(err)
	l.must(raw.Control(func(fd uintptr) {
		l.must(unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 256<<20))
	}))
}

// report logs what the ports count.
func (l *linkBed) report() {
	if !l.t.Failed() {
		return
	}
	for _, d := range []*Dataplane{l.a, l.b} {
		for _, p := range d.Ports() {
			l.t.Logf("%s: %+v\n", p.Name, p.Counters)
			if p.LLR != nil {
				l.t.Logf("%s: %+v", p.Name, p.LLR)
			}
			l.t.Logf("%s: %+v", p.Name, p.Sockets)
		}
	}
}

func TestHandOverLosesNoFrame(t *testing.T) {
	l := newLinkBed(t, native)
	l.roomy()
	t.Cleanup(l.report)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				l.send(20)
				time.Sleep(500 * time.Microsecond)
			}
		}
	}()
	before := l.state(l.a, "la")
	for range 10 {
		time.Sleep(20 * time.Millisecond)
		began := time.Now()
		l.handOver()
		t.Logf("handed over in %v", time.Since(began))
	}
	close(stop)
	<-done
	l.whole()
	after := l.state(l.a, "la")
	if after.Counters.TxFrames < before.Counters.TxFrames || after.LLR.Counters.TxOK < l.sent {
		t.Errorf("%d frames were sent, the link counts %d", l.sent, after.LLR.Counters.TxOK)
	}
	if n := after.LLR.Counters.PartnerRestart + l.state(l.b, "lb").LLR.Counters.PartnerRestart; n > 0 {
		t.Errorf("the ends noticed %d restarts", n)
	}
}

// After a handover the other process knows what the first one has changed at the host's end of an edge that pushes
// back, and puts it back.
func TestHandOverKeepsWhatIsPutBack(t *testing.T) {
	if err := netif.Pushes(); err != nil {
		nstest.Missing(t, "a veth that pushes back: "+err.Error())
	}
	l := newLinkBed(t, func(s *model.PortSettings) {
		native(s)
		s.PushBack = model.PushBackOn
	})
	qdisc := func(want string) {
		t.Helper()
		if e := must(l.a.owner("ea").host.owned.HostEnd().State()); e.Qdisc != want {
			t.Errorf("the queueing discipline is %s, want %s", e.Qdisc, want)
		}
	}
	qdisc("tbf")
	for range 2 {
		l.handOver()
		qdisc("tbf")
	}
	s := l.a.settings
	s.Ports = slices.Clone(s.Ports)
	s.Ports[1].PushBack = model.PushBackOff
	l.must(l.a.Reload(s))
	qdisc("noqueue")
}

// A handover that comes to nothing changes nothing.
func TestHandOverCanBeTakenBack(t *testing.T) {
	l := newLinkBed(t, native)
	l.roomy()
	t.Cleanup(l.report)
	for range 5 {
		l.send(100)
		h, err := l.a.HandOver()
		l.must(err)
		h.FDs = l.duplicates(h.FDs)
		next, err := TakeOver(l.a.settings, l.a.home, nil, h, zap.NewNop())
		l.must(err)
		l.send(100) // while the other process has everything but the state
		state, err := l.a.Stop()
		l.must(err)
		state = bytes.Replace(state, []byte("seq "), []byte("seq 1"), 1)
		if err := next.Restore(state); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Fatalf("a damaged state: %v", err)
		}
		l.abandon(next)
		l.a.Resume()
	}
	l.send(100)
	l.whole()
}

package netif

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
	"uelink/dataplane/netdev"
	"uelink/dataplane/xsk"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

// needPushes skips a test on a kernel whose veth does not push back.
func needPushes(t *testing.T) {
	t.Helper()
	if err := Pushes(); err != nil {
		nstest.Missing(t, "a veth that pushes back: "+err.Error())
	}
}

// pushing returns "near", attached and pushing back; call it in do.
func (w *world) pushing() *Interface {
	w.t.Helper()
	i := w.mustOwn()
	o := everything()
	o.Sockets = &Sockets{Options: xsk.Options{RingSize: 512, Geometry: frame.Geometry{ChunkSize: 2048, RX: 512, TX: 16}}}
	must(w.t, i.Attach(o))
	must(w.t, i.PushBack().Start())
	return i
}

// burst makes "far" send n frames of 100 octets at once, and returns the time it took.
func (w *world) burst(n int) time.Duration {
	w.t.Helper()
	index, err := w.far.Ifindex("far")
	must(w.t, err)
	f := make([]byte, 100)
	copy(f, []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x12, 0x34})
	began := time.Now()
	must(w.t, w.far.Do(func() error { return sendFrames(index, f, n) }))
	return time.Since(began)
}

// take receives all frames in the RX ring of a socket, and returns their number.
func take(i *Interface) (n int) {
	var rx [64]frame.Desc
	s := i.Sockets()[0]
	for got := s.Receive(rx[:]); got > 0; got = s.Receive(rx[:]) {
		s.Recycle(rx[:got])
		_ = s.Kick()
		n += got
	}
	return n
}

// hostEnd returns the state of "far".
func (w *world) hostEnd(i *Interface) HostEndState {
	w.t.Helper()
	e, err := i.HostEnd().State()
	must(w.t, err)
	return e
}

// Frames that are not asked for wait with the host, however many; asked for, all of them come.
func TestFramesWaitUntilAskedFor(t *testing.T) {
	needPushes(t)
	w := newWorld(t)
	w.do(func() {
		i := w.pushing()
		defer i.Release()
		if e := w.hostEnd(i); e.Qdisc != "tbf" || !e.Cuts || e.Segments != 65535 {
			t.Errorf("%+v", e)
		}
		e := w.hostEnd(i)
		p, drops := i.PushBack().Pumps()[0], e.dropped()
		const frames = 3000
		p.Ask()
		take(i)
		took := w.burst(frames)
		e = w.hostEnd(i)
		if n := i.Sockets()[0].Waiting(); took < Watchdog/2 && (n > 0 || e.Backlog < frames-vethRing-1) {
			t.Errorf("%d frames came unasked, %d wait in the discipline", n, e.Backlog)
		}
		came := take(i)
		for end := time.Now().Add(20 * time.Second); came < frames && time.Now().Before(end); came += take(i) {
			p.Ask()
			if n := i.Sockets()[0].Waiting(); n > attach.MostAsked {
				t.Errorf("one Ask brought %d frames", n)
			}
		}
		if e := w.hostEnd(i); came != frames || e.dropped() != drops || e.Backlog != 0 {
			t.Errorf("of %d frames %d came: %+v", frames, came, e)
		}
	})
}

// The discipline holds frames as long as the veth hands over, and refuses longer ones: so it cuts packets of TCP that
// are longer. The length follows the MTU.
func TestDisciplineFollowsTheMTU(t *testing.T) {
	needPushes(t)
	w := newWorld(t)
	must(t, w.far.SetMTU("far", 4000))
	w.do(func() {
		i := w.pushing()
		defer i.Release()
		index := w.hostEnd(i).index
		for _, mtu := range []int{1500, 3000, 1500} {
			must(t, w.near.SetMTU("near", mtu))
			if _, fault, text := i.HostEnd().Check(); fault != PushWorks {
				t.Errorf("MTU %d: %v %q", mtu, fault, text)
			}
			for extra, want := range map[int]error{0: nil, 1: unix.ENOBUFS} {
				err := w.far.Do(func() error { return sendFrames(index, make([]byte, mtu+taggedHeader+extra), 1) })
				if !errors.Is(err, want) {
					t.Errorf("MTU %d: a frame %d octets too long: %v, want %v", mtu, extra, err, want)
				}
			}
		}
	})
}

func TestHoldTakesFewFrames(t *testing.T) {
	needPushes(t)
	w := newWorld(t)
	w.do(func() {
		i := w.pushing()
		defer i.Release()
		p := i.PushBack().Pumps()[0]
		p.Hold()
		take(i)
		began := time.Now()
		w.burst(500)
		for range 3 {
			p.Hold()
		}
		if n := i.Sockets()[0].Waiting(); time.Since(began) < Watchdog/2 && (n == 0 || n > 6) {
			t.Errorf("three calls of Hold brought %d frames", n)
		}
		p.Ask()
		if n := i.Sockets()[0].Waiting(); n < attach.MostAsked {
			t.Errorf("an Ask after Hold brought %d frames", n)
		}
	})
}

// After Rest frames come by themselves, and a frame between Ask and Rest is not forgotten.
func TestFramesComeAtRest(t *testing.T) {
	needPushes(t)
	w := newWorld(t)
	w.do(func() {
		i := w.pushing()
		defer i.Release()
		p, s := i.PushBack().Pumps()[0], i.Sockets()[0]
		for n := range 20 {
			p.Ask()
			if n%2 == 0 {
				w.send(100)
			}
			p.Rest()
			if n%2 == 1 {
				w.send(100)
			}
			w.receives(s, 100)
		}
	})
}

func TestEveryQueueHasItsPump(t *testing.T) {
	needPushes(t)
	w := &world{t: t, near: nstest.New(t, "near"), far: nstest.New(t, "far"), dir: t.TempDir()}
	w.log, w.logs = newLog()
	must(t, netns.QueuedVeth(w.near, "near", w.far, "far", 1500, 4))
	w.do(func() {
		i := w.pushing()
		defer i.Release()
		seen := map[int]bool{}
		for n, p := range i.PushBack().Pumps() {
			if q := i.Sockets()[n].Info().Queue; p.queue != q || seen[p.napi] {
				t.Errorf("socket of queue %d has the pump of queue %d, NAPI %d", q, p.queue, p.napi)
			}
			seen[p.napi] = true
		}
		if e := w.hostEnd(i); len(seen) != 4 || e.Qdisc != "mq" || !e.Cuts {
			t.Errorf("%d NAPI instances, %+v", len(seen), e)
		}
	})
}

// What PushBack changes is put back, by whoever comes next.
func TestPushBackIsPutBack(t *testing.T) {
	needPushes(t)
	for name, end := range map[string]func(w *world, i *Interface){
		"by End":     func(_ *world, i *Interface) { i.PushBack().End() },
		"by Release": func(_ *world, i *Interface) { must(t, i.Release()) },
		"after a kill": func(w *world, i *Interface) {
			kill(i)
			must(t, i.Program().Close())
			OpenRecords(w.dir, w.log).PutBack()
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.do(func() {
				i := w.mustOwn()
				before := w.hostEnd(i)
				must(t, i.Attach(everything()))
				must(t, i.PushBack().Start())
				napi := i.PushBack().Pumps()[0].napi
				end(w, i)
				e := w.hostEnd(i)
				if e.Qdisc != before.Qdisc || e.Segments != before.Segments {
					t.Errorf("before %+v, after %+v", before, e)
				}
				if n, err := netdev.GetNAPI(napi); n.Defer != 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%+v, %v", n, err)
				}
				_ = i.Release()
			})
			w.noFiles()
		})
	}
}

// A queueing discipline of the host's own stays, also when the daemon leaves.
func TestForeignDisciplineStays(t *testing.T) {
	needPushes(t)
	w := newWorld(t)
	index, err := w.far.Ifindex("far")
	must(t, err)
	must(t, w.far.Do(func() error { return replaceQdisc(index, netlink.HANDLE_ROOT, 0x10000, "pfifo_fast", nil) }))
	w.do(func() {
		i := w.pushing()
		if e := w.hostEnd(i); e.Ours || e.Segments != hostSegments {
			t.Errorf("%+v", e)
		}
		i.PushBack().End()
		if e := w.hostEnd(i); e.Qdisc != "pfifo_fast" || e.Segments != 65535 {
			t.Errorf("%+v", e)
		}
		must(t, i.Release())
	})
}

// restored demands that HostEnd.Check reports a change at "far" by others, and that the change is gone.
func (w *world) restored(i *Interface, want string) {
	w.t.Helper()
	if _, fault, text := i.HostEnd().Check(); fault != PushChanged || text != want {
		w.t.Errorf("%v %q, want %q", fault, text, want)
	}
	if e, fault, text := i.HostEnd().Check(); fault != PushWorks || !e.Cuts && e.Segments != hostSegments {
		w.t.Errorf("%+v %v %q", e, fault, text)
	}
}

func TestCheckFindsWhatOthersChange(t *testing.T) {
	needPushes(t)
	w := newWorld(t)
	w.do(func() {
		i := w.pushing()
		defer i.Release()
		if fault, text := i.PushBack().Check(); fault != PushWorks {
			t.Errorf("%v %q", fault, text)
		}
		must(t, netdev.SetNAPI(netdev.NAPI{ID: i.PushBack().Pumps()[0].napi, Defer: 3}))
		if fault, text := i.PushBack().Check(); fault != PushChanged || !strings.Contains(text, "was 3") {
			t.Errorf("%v %q", fault, text)
		}
		if fault, _ := i.PushBack().Check(); fault != PushWorks {
			t.Error("NAPI was not restored")
		}
		must(t, w.far.Do(func() error {
			return netlink.QdiscDel(&netlink.GenericQdisc{QdiscAttrs: netlink.QdiscAttrs{
				LinkIndex: w.hostEnd(i).index, Parent: netlink.HANDLE_ROOT, Handle: hostHandle}, QdiscType: cutting})
		}))
		w.restored(i, "the host's end had no queueing discipline any more")
		must(t, w.far.Do(func() error {
			return replaceQdisc(w.hostEnd(i).index, netlink.HANDLE_ROOT, 0x10000, "pfifo_fast", nil)
		}))
		w.restored(i, "gso_max_segs was 65535, and the queueing discipline was pfifo_fast")
		must(t, w.near.SetLink("near", false))
		must(t, w.near.SetLink("near", true))
		if fault, text := i.PushBack().Check(); fault != PushStale {
			t.Errorf("%v %q", fault, text)
		}
	})
}

// An error names the cause, and leaves nothing changed.
func TestPushBackFails(t *testing.T) {
	needPushes(t)
	w := newWorld(t)
	w.do(func() {
		i := w.mustOwn()
		before := w.hostEnd(i)
		if err := i.PushBack().Start(); err == nil || !strings.Contains(err.Error(), "generic") {
			t.Error(err)
		}
		must(t, i.Attach(everything()))
		must(t, w.far.SetLink("far", false))
		err := i.PushBack().Start()
		if err == nil || !strings.Contains(err.Error(), "far, the host's end of the veth, is down") {
			t.Error(err)
		}
		must(t, w.far.SetLink("far", true))
		must(t, w.near.SetLink("near", false))
		if err := i.PushBack().Start(); err == nil || !strings.Contains(err.Error(), "the interface is down") {
			t.Error(err)
		}
		if e := w.hostEnd(i); e.Qdisc != before.Qdisc || e.Segments != before.Segments || len(i.PushBack().Pumps()) > 0 {
			t.Errorf("before %+v, after %+v", before, e)
		}
		must(t, i.Release())
	})
}

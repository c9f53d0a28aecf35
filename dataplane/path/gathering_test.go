package path

import (
	"fmt"
	"slices"
	"testing"

	"uelink/dataplane/frame"
	"uelink/dataplane/frame/frametest"
	"uelink/dataplane/mem"
	"uelink/llr"
)

// gathering kicks the devices that have left frames at Flush, and notes what happens.
type gathering struct {
	left  []frame.Device
	order []string
	each  func() // around all that happens; may be nil
}

func (g *gathering) note(call string) {
	g.order = append(g.order, call)
	if g.each != nil {
		g.each()
	}
}

func (g *gathering) Flush() {
	if len(g.left) == 0 {
		return
	}
	g.note("flush")
	for _, d := range g.left {
		_ = d.Kick()
	}
	g.left = g.left[:0]
	g.note("flushed")
}

// gatheringDevice leaves all its frames for the Flush.
type gatheringDevice struct {
	*mem.Device
	name string
	g    *gathering
	fd   int
}

func (d *gatheringDevice) KickTogether(g frame.Gathering) (left bool, err error) {
	d.g.note(d.name + " waits")
	d.g.left = append(d.g.left, d.Device)
	return true, nil
}

func (d *gatheringDevice) Kick() error {
	d.g.note(d.name)
	return d.Device.Kick()
}

func (d *gatheringDevice) FD() int { return d.fd }

// gatherAt makes frames of an edge port leave for the Flush of g.
func (g *gathering) gatherAt(edge *Port, name string, fd int) {
	edge.Replace([]frame.Device{&gatheringDevice{edge.device().(*mem.Device), name, g, fd}})
}

// hear gives the end of each pair a frame from the link.
func hear(t *testing.T, pairs []*pair, frames int) {
	t.Helper()
	var buf [256]byte
	for _, p := range pairs {
		for range frames {
			if !p.b.host.Send(frametest.Numbered(buf[:], 1)) {
				t.Fatal("the edge port has no room")
			}
		}
		for range frames/batch + 1 {
			p.b.x.Step(p.now)
		}
	}
}

// Few frames of several domains wait for the end of the round, and leave with one Flush.
func TestFewFramesWaitForTheEndOfTheRound(t *testing.T) {
	w, pairs, now := workerAtRest(t, 2, defaults())
	g := &gathering{}
	w.Gathering = g
	w.gather(true)
	for i, p := range pairs {
		g.gatherAt(p.a.edge, fmt.Sprint("edge", i), -1)
	}
	before := pairs[1].a.host.Pending()
	hear(t, pairs, 3)
	w.step(now, true)
	if want := []string{"edge0 waits", "edge1 waits", "flush", "flushed"}; !slices.Equal(g.order, want) {
		t.Errorf("%v, want %v", g.order, want)
	}
	if n := pairs[1].a.host.Pending() - before; n != 3 {
		t.Errorf("%d frames have left, want 3", n)
	}
	for _, c := range []struct {
		name string
		set  func(on bool)
	}{
		{"a wire that loses frames", func(on bool) {
			if pairs[0].a.l.pace = newPace(); on {
				pairs[0].a.l.pace.limit = paceLeast
			}
		}},
		{"acknowledged in the round", func(on bool) { pairs[0].a.x.prompt = on }},
		{"few ports", func(on bool) { w.gather(!on) }},
	} {
		c.set(true)
		g.order = nil
		hear(t, pairs[:1], 3)
		w.step(now, true)
		if !slices.Contains(g.order, "edge0") || slices.Contains(g.order, "edge0 waits") {
			t.Errorf("%s: %v", c.name, g.order)
		}
		c.set(false)
	}
}

// acknowledged is a pair whose end here leaves frames for the end of the round, and whose other end knows some frames
// as acknowledged.
type acknowledged struct {
	*pair
	g         *gathering
	sent      int
	delivered int // before
	most      int // acknowledged
}

// watchAcks makes the first end of the pair leave frames for g, and demands, whenever something happens, that no
// frame is acknowledged which has not left.
func watchAcks(t *testing.T, p *pair, g *gathering) *acknowledged {
	a := &acknowledged{pair: p, g: g, delivered: p.a.host.Pending()}
	g.gatherAt(p.a.edge, "edge", -1)
	g.each = func() {
		p.b.x.Step(p.now)
		if a.look(); a.most > a.left() {
			t.Fatalf("%v: %d frames are acknowledged, %d have left", g.order, a.most, a.left())
		}
	}
	return a
}

func (a *acknowledged) left() int { return a.a.host.Pending() - a.delivered }

func (a *acknowledged) look() {
	outstanding, _ := a.b.l.LLR.Tx.Outstanding()
	a.most = max(a.most, a.sent-outstanding)
}

// No frame is acknowledged before it has been handed to the kernel, though its domain has several steps in a round;
// afterwards all are.
func TestGatheredFramesAreNotAcknowledged(t *testing.T) {
	o := defaults()
	o.ring, o.profile.MaxOutstandingFrames = 2048, 2048
	w, pairs, now := workerAtRest(t, fewLinks+1, o)
	g := &gathering{}
	w.Gathering = g
	w.gather(true)
	a := watchAcks(t, pairs[0], g)
	for _, frames := range []int{3, 2*batch + 3, batch, 1} {
		g.order = nil
		hear(t, pairs[:1], frames)
		a.sent += frames
		for range 8 {
			now += 100e3
			a.now = now
			w.step(now, true)
			a.b.x.Step(now)
		}
		if a.look(); !slices.Contains(g.order, "flush") || a.left() != a.sent || a.most != a.sent {
			t.Errorf("%v: of %d frames %d have left, %d are acknowledged", g.order, a.sent, a.left(),
				a.most)
		}
	}
}

// Frames that wait for the end of the round leave before an LLR_NACK that acknowledges them.
func TestGatheredFramesLeaveBeforeNack(t *testing.T) {
	w, pairs, now := workerAtRest(t, 1, defaults())
	g := &gathering{}
	w.Gathering = g
	w.gather(true)
	a := watchAcks(t, pairs[0], g)
	hear(t, pairs, 5)
	a.sent = 5
	a.a.x.Step(now)
	hear(t, pairs, 3)
	a.sent = 8
	loseNext(t, a.a.l)
	a.a.l.deliver(a.a.x, now)
	if a.left() != 0 || a.a.l.LLR.Rx.State() != llr.RxSendNack {
		t.Fatalf("%v: %d frames have left, the receiver is in %v", g.order, a.left(), a.a.l.LLR.Rx.State())
	}
	a.a.x.flushBeforeNack(&a.a.l.Port)
	if want := []string{"edge waits", "edge"}; a.left() != 5 || !slices.Equal(g.order, want) {
		t.Errorf("%v, want %v; %d frames have left, want 5", g.order, want, a.left())
	}
}

// A worker with more sockets than it polls one by one makes its domains leave few frames for the end of the round.
func TestWorkersOfManyPortsGather(t *testing.T) {
	w, pairs, _ := workerAtRest(t, maxPolled+1, defaults())
	g := &gathering{}
	w.Gathering = g
	fds := openEventfds(t)
	defer closeAll(fds)
	gathers := func() (n int) {
		for _, p := range pairs {
			if p.a.x.gathering != nil {
				n++
			}
		}
		return n
	}
	for i, p := range pairs {
		w.WatchDevices()
		if n := gathers(); n != 0 {
			t.Errorf("with %d sockets %d domains gather", i, n)
		}
		g.gatherAt(p.a.edge, "edge", fds[i])
	}
	w.WatchDevices()
	if n := gathers(); n != len(pairs) {
		t.Errorf("with %d sockets %d domains gather, want all", len(pairs), n)
	}
	w.Remove(pairs[0].a.x)
	if n := gathers(); n != 0 {
		t.Errorf("with %d sockets again %d domains gather", len(pairs)-1, n)
	}
}

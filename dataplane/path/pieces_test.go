package path

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"uelink/dataplane/bridge"
	"uelink/dataplane/fault"
	"uelink/dataplane/frame"
	"uelink/dataplane/frame/frametest"
	"uelink/dataplane/mem"
	"uelink/dataplane/netif"
	"uelink/wire"
)

// want takes frames from a host until all of these have come.
func (e *end) want(t *testing.T, p *pair, frames ...[]byte) {
	t.Helper()
	for _, f := range frames {
		var got []byte
		if !p.until(func() bool { got = e.host.Recv(); return got != nil }, time.Second) {
			t.Fatalf("host %s: %d octets are lost\na: %v\nb: %v", e.name, len(f), p.a, p.b)
		}
		if !bytes.Equal(got, f) {
			t.Fatalf("host %s: %d octets became %d", e.name, len(f), len(got))
		}
	}
}

// Every frame of an MTU of 9000 crosses a bad wire once and in order, both ways.
func TestJumboFramesOverABadWire(t *testing.T) {
	o := jumbo(4096, 9000)
	o.wire = fault.Config{Loss: 0.02, Corrupt: 0.01, Duplicate: 0.01, Reorder: 0.01}
	p := up(t, o)
	for size := 4000; size <= 9014; size += 4 * 37 {
		frames := [][]byte{frametest.Long(size), frametest.Long(size + 37), frametest.Long(60), frametest.Long(size + 2*37)}
		for _, e := range []*end{p.a, p.b} {
			for _, f := range frames {
				if !e.host.Send(f) {
					t.Fatalf("%d octets: host %s has no room", len(f), e.name)
				}
			}
		}
		p.a.want(t, p, frames...)
		p.b.want(t, p, frames...)
	}
	if err := p.settle(); err != nil {
		t.Error(err)
	}
	if c := p.a.l.LLR.Counters(); c.TxReplay == 0 {
		t.Error("nothing was replayed")
	}
}

// A frame of several chunks is charged by its octets, takes one place while it waits, and gives its
// credits back when it has left.
func TestJumboFramesUnderCredits(t *testing.T) {
	o := credited(30)
	o.chunk, o.mtu = 4096, 9000
	p := up(t, o)
	p.lossless(t)
	f := frametest.Long(9014)
	cost := o.ports.CBFC.Size.Credits(len(f))
	if cost != 9 {
		t.Fatalf("9014 octets cost %d credits of 1024", cost)
	}
	p.b.edge.egress.halted = 1<<4 - 1 // all its queues stand still
	for range 6 {
		if !p.a.host.Send(f) {
			t.Fatal("the host has no room")
		}
	}
	p.pass(20e6)
	if s := p.b.l.Port.sources[0]; s.waiting != 3 || p.b.l.cbfc.Rx.Held != 3*cost {
		t.Errorf("%d frames wait, of %d credits: 30 let in 3 of %d", s.waiting, p.b.l.cbfc.Rx.Held, cost)
	}
	p.b.edge.egress.halted = 0
	p.b.want(t, p, f, f, f, f, f, f)
	p.pass(20e6)
	if credits := p.b.l.cbfc.Rx.Held; credits != 0 {
		t.Errorf("%d credits are held by nothing", credits)
	}
	p.nothingDropped(t)
}

// What waits outlives its ingress, also where it lies in a place.
func TestJumboFramesOutliveTheirSockets(t *testing.T) {
	p := up(t, jumbo(4096, 9000))
	p.setCarrier(false)
	frames := [][]byte{frametest.Long(9014), frametest.Long(60), frametest.Long(4097), frametest.Long(9000)}
	for _, f := range frames {
		p.a.host.Send(f)
	}
	p.settleRounds()
	if p.a.l.Port.egress.waiting != len(frames) {
		t.Fatalf("%d frames wait", p.a.l.Port.egress.waiting)
	}
	p.a.x.Detach(p.a.edge, p.now)
	p.a.plugEdge(p)
	p.setCarrier(true)
	p.b.want(t, p, frames...)
	p.pass(20e6)
	p.nothingDropped(t)
}

// A frame that comes in more chunks than a slot of this end has is dropped and counted, and the next
// one comes.
func TestFramesInTooManyPieces(t *testing.T) {
	p := up(t, jumbo(4096, 9000))
	g := p.o.cut(frame.Geometry{RX: 128, Spare: 64, TX: 64}, 5000)
	dev, host := mem.NewPair(g, p.o.cut(frame.Geometry{RX: 128, TX: 64}, 9000), 64)
	p.a.x.Detach(p.a.edge, p.now)
	p.a.host = mem.NewHost(host)
	p.a.x.Attach(p.a.edge, []frame.Device{dev}, wire.MAC{2}, 5000)
	p.a.x.SetUp(p.a.edge, true, p.now)
	for _, f := range [][]byte{frametest.Long(8193), frametest.Long(5018)} {
		p.a.host.Send(f)
	}
	p.b.want(t, p, frametest.Long(5018))
	if s, _ := dev.Stats(); s.RxPiecesTooLong != 1 || s.RxPiecesNoPlace != 0 {
		t.Errorf("%+v", s.JoinDrops)
	}
}

// A frame that is as long as there may be any gets a tag on the way out, and is too long then.
func TestTagForTheLongestFrame(t *testing.T) {
	p := up(t, defaults())
	push := wire.Retag{Op: wire.RetagPush, TCI: 5}
	for _, out := range []*Port{p.a.edge, &p.a.l.Port} {
		before := p.a.edge.Counters.RxOversized
		if o := out.send(frametest.Long(netif.LargestFrame), 0, push, p.a.edge, p.now); o != dropped {
			t.Errorf("%v: outcome %d, not %d", out.settings.Role, o, dropped)
		}
		if n := p.a.edge.Counters.RxOversized - before; n != 1 {
			t.Errorf("%v: %d frames count as too long", out.settings.Role, n)
		}
	}
}

// A flooded frame lies in one place for all who get it, and a tag is put into it on the way out.
func TestJumboFramesThroughABridge(t *testing.T) {
	inOneGoroutine(t)
	o := jumbo(4096, 9000)
	o.spread = 9000
	n := newLAN(rand.New(rand.NewPCG(3, 6)), 2, 3, o, bridge.Settings{VLANFiltering: true, MaxEntries: 16})
	if err := n.until("LLR up", time.Second, n.established); err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		from := n.hosts[i%len(n.hosts)]
		if !n.send(from, []*lanHost{nil, n.hosts[(i+2)%len(n.hosts)]}[i%2]) {
			t.Fatalf("host %d has no room for frame %d", from.number, i)
		}
		if err := n.round(); err != nil {
			t.Fatal(err)
		}
	}
	err := n.until("all frames", time.Second, func() bool {
		waits := 0
		for _, h := range n.hosts {
			waits += h.waits()
		}
		return waits == 0
	})
	if err != nil {
		t.Error(err)
	}
	for _, h := range n.hosts {
		if h.missing > 0 {
			t.Errorf("host %d: %d frames never came", h.number, h.missing)
		}
	}
}

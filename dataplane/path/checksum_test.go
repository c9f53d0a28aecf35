package path

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"uelink/dataplane/bridge"
	"uelink/dataplane/frame/frametest"
	"uelink/dataplane/model"
)

// The host of an edge sends with checksum offload: the host at the other end of the xconnect gets finished checksums,
// and each frame counts once. Frames of the link, and finished ones, are not touched.
func TestUnfinishedChecksumsOfAnEdgeAreFinished(t *testing.T) {
	for name, o := range map[string]pairOptions{"transparent": defaults(), "addressed": addressed()} {
		p := up(t, o)
		p.pass(50e6)
		for n := 20; n < 420; n++ { // shorter frames arrive padded
			unfinished, finished := frametest.Unfinished(n)
			p.a.host.Send(unfinished)
			p.a.host.Send(finished)
			for range 2 {
				if got := p.getsAt(p.b); !bytes.Equal(got, finished) {
					t.Fatalf("%s, %d octets: %x, should be %x", name, n, got, finished)
				}
			}
		}
		if n := p.a.edge.Counters.RxUnfinishedChecksum; n != 400 {
			t.Errorf("%s: rx_unfinished_checksum is %d", name, n)
		}
		if c := [...]uint64{p.a.l.Port.Counters.RxUnfinishedChecksum, p.b.l.Port.Counters.RxUnfinishedChecksum,
			p.b.edge.Counters.RxUnfinishedChecksum}; c != [3]uint64{} {
			t.Errorf("%s: the other ports count %v", name, c)
		}
	}
}

// getsAt runs rounds until the host of an end gets a frame, and returns it; nil if none comes.
func (p *pair) getsAt(e *end) (f []byte) {
	p.until(func() bool {
		f = e.host.Recv()
		return f != nil
	}, time.Second)
	return f
}

// A bridge carries finished checksums from edge to edge, to one port and to many.
func TestUnfinishedChecksumsInABridgeAreFinished(t *testing.T) {
	n := newLAN(rand.New(rand.NewPCG(1, 1)), 1, 3, defaults(), bridge.Settings{MaxEntries: 64})
	unfinished, finished := frametest.Unfinished(77)
	n.hosts[0].host.Send(unfinished)
	for range 4 {
		n.now += 10e3
		n.domains[0].Step(n.now)
	}
	for _, h := range n.hosts[1:] {
		if got := h.host.Recv(); !bytes.Equal(got, finished) {
			t.Errorf("host %d got %x, should get %x", h.number, got, finished)
		}
	}
	if c := n.hosts[0].edge.Counters.RxUnfinishedChecksum; c != 1 {
		t.Errorf("rx_unfinished_checksum is %d", c)
	}
}

// A traced frame names the counter, and finishing allocates nothing.
func TestTraceNamesUnfinishedChecksums(t *testing.T) {
	p := up(t, defaults())
	p.pass(50e6)
	trace := p.traces(t, p.a, p.a.edge, model.TraceSettings{Count: 1})
	unfinished, _ := frametest.Unfinished(77)
	p.a.host.Send(unfinished)
	found := false
	for _, c := range p.ends(t, trace)[0].Counters {
		found = found || c.Counter == "rx_unfinished_checksum"
	}
	if !found {
		t.Error("the trace does not name rx_unfinished_checksum")
	}
	if n := testing.AllocsPerRun(100, func() {
		p.a.host.Send(unfinished)
		for range 4 {
			p.round()
		}
		for p.b.host.Recv() != nil {
		}
	}); n != 0 {
		t.Errorf("%v allocations for a frame", n)
	}
}

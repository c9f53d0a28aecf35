package path

import (
	"testing"
	"time"

	"uelink/dataplane/frame"
	"uelink/dataplane/frame/frametest"
	"uelink/dataplane/mem"
	"uelink/llr"
	"uelink/wire"
)

// replug gives both links other devices, with chunks of so many octets, while they are suspended.
// What was on the wire is lost; what the RX rings had is caught.
func (p *pair) replug(seed uint64, chunk int) {
	left := map[*end][][]byte{}
	for _, e := range []*end{p.a, p.b} {
		left[e] = e.x.Suspend(&e.l.Port, p.now)
		area := e.link.Area()
		clear(area)
	}
	p.o.chunk = chunk
	p.plugged(seed)
	for e, frames := range left {
		e.x.Catch(&e.l.Port, frames)
	}
}

// What LLR holds survives that the sockets of its link are opened anew, with larger chunks too:
// each frame is delivered once and in order, whatever was on its way.
func TestWhatLLRHoldsSurvivesNewSockets(t *testing.T) {
	inOneGoroutine(t)
	o := defaults()
	o.profile.ReInitOnFlush = false
	p := up(t, o)
	frames, rounds, seed := 0, 0, uint64(10)
	err := p.runWith(3000, 60*time.Second, func() {
		n, _ := p.a.l.LLR.Tx.Outstanding()
		if rounds++; n < 4 || rounds < 30 || seed >= 40 {
			return
		}
		rounds = 0
		frames += n
		seed++
		p.replug(seed, 1024<<(seed%2))
		for _, e := range []*end{p.a, p.b} {
			if err := e.x.conserved(); err != nil {
				t.Fatal(err)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []*end{p.a, p.b} {
		c := e.l.LLR.Counters()
		if e.gaps != 0 || c.TxFlush != 0 || c.TxReinit != 0 || c.TxFlushedFrames != 0 {
			t.Errorf("end %s: %d frames never came; %+v", e.name, e.gaps, c)
		}
	}
	if frames < 100 {
		t.Errorf("only %d frames were held when the sockets were opened anew: the test shows nothing", frames)
	}
}

// While a link is suspended, LLR may be given up: what it held goes, and nothing is left over.
func TestLLRThatIsGivenUpWhileItsLinkIsSuspended(t *testing.T) {
	for name, end := range map[string]func(p *pair){
		"reinit":   func(p *pair) { p.a.l.LLR.Tx.Reinit(p.now); p.a.l.Free() },
		"off":      func(p *pair) { p.a.l.AllowRemote(false, p.now) },
		"detached": func(p *pair) { p.a.x.Detach(&p.a.l.Port, p.now) },
	} {
		t.Run(name, func(t *testing.T) {
			p := up(t, defaults())
			p.a.offer(20)
			p.a.x.Step(p.now)
			if n, _ := p.a.l.LLR.Tx.Outstanding(); n == 0 {
				t.Fatal("nothing is outstanding")
			}
			p.a.x.Suspend(&p.a.l.Port, p.now)
			p.b.x.Suspend(&p.b.l.Port, p.now)
			end(p)
			for range 3 { // it is stepped without devices
				p.now += 1e6
				p.a.x.Step(p.now)
			}
			p.plugged(9)
			p.pass(1e9)
			if n, _ := p.a.l.LLR.Tx.Outstanding(); n != 0 {
				t.Errorf("%d frames are outstanding", n)
			}
			if free := p.a.l.Port.Slots.pool.Len() + used(&p.a.l.Port.Slots); free != len(p.a.l.Port.Slots.state) {
				t.Errorf("%d slots of %d", free, len(p.a.l.Port.Slots.state))
			}
			if err := p.a.x.conserved(); err != nil {
				t.Error(err)
			}
		})
	}
}

// used is how many slots are posted or held.
func used(s *slots) (n int) {
	for _, st := range s.state {
		if st.posted > 0 || st.unacked {
			n++
		}
	}
	return n
}

// What waits for an edge waits on while its sockets are opened anew, and what comes meanwhile
// waits with it: none is dropped, and the edge does not count as standing still.
func TestWhatWaitsForAnEdgeSurvivesNewSockets(t *testing.T) {
	p := up(t, defaults())
	for p.b.delivered < 20 {
		p.a.offer(1000)
		p.round()
		if err := p.b.take(); err != nil {
			t.Fatal(err)
		}
	}
	p.b.x.Suspend(p.b.edge, p.now)
	for range 200 {
		p.a.offer(1000)
		p.round()
	}
	if p.b.edge.egress.waiting == 0 || p.b.edge.findings.standstill.stands {
		t.Errorf("%d frames wait, stands still %v", p.b.edge.egress.waiting, p.b.edge.findings.standstill.stands)
	}
	old := p.b.host
	dev, host := p.edgeWire(frame.Geometry{RX: 2 * p.o.ring, Spare: p.o.ring, TX: p.o.ring})
	for f := old.Recv(); f != nil; f = old.Recv() { // what had left before
		p.b.delivered++
	}
	p.b.host = mem.NewHost(host)
	p.b.x.Attach(p.b.edge, []frame.Device{dev}, wire.MAC{2}, p.o.mtu)
	p.b.x.SetUp(p.b.edge, true, p.now)
	p.carry(t, 1000)
	if c := p.b.edge.Counters; c.TxDropDown != 0 || p.b.l.Port.Counters.RxDropNoBuffer != 0 {
		t.Errorf("%+v", c)
	}
	if s := p.b.l.LLR.Rx.State(); s != llr.RxSendAcks {
		t.Errorf("the receiver is in %v", s)
	}
}

// What the RX ring of an edge holds when its sockets are opened anew, and what is caught meanwhile, is forwarded before
// what comes to the new sockets: once, and in order.
func TestWhatIsCaughtComesFirst(t *testing.T) {
	p := up(t, defaults())
	number := uint64(0)
	send := func(n int) (frames [][]byte) {
		for range n {
			var buf [256]byte
			f := frametest.Numbered(buf[:], number)
			number++
			frames = append(frames, append([]byte(nil), f...))
		}
		return frames
	}
	for _, f := range send(20) {
		p.a.host.Send(f)
	}
	left := p.a.x.Suspend(p.a.edge, p.now)
	if len(left) != 20 {
		t.Fatalf("%d frames were left in the RX ring, want 20", len(left))
	}
	left = append(left, send(200)...)
	p.a.plugEdge(p)
	p.a.x.Catch(p.a.edge, left)
	for _, f := range send(20) {
		p.a.host.Send(f)
	}
	next := uint64(0)
	ok := p.until(func() bool {
		for f := p.b.host.Recv(); f != nil; f = p.b.host.Recv() {
			var buf [256]byte
			if string(f) != string(frametest.Numbered(buf[:], next)) {
				t.Fatalf("another frame came for frame %d", next)
			}
			next++
		}
		return next == number
	}, time.Second)
	if !ok || p.a.edge.caught != nil {
		t.Errorf("%d of %d frames came", next, number)
	}
	if err := p.a.x.conserved(); err != nil {
		t.Error(err)
	}
}

// What was caught and not received yet when the interface goes away is counted.
func TestWhatIsCaughtAndGivenUpIsCounted(t *testing.T) {
	p := up(t, defaults())
	p.a.x.Suspend(p.a.edge, p.now)
	p.a.plugEdge(p)
	p.a.x.Catch(p.a.edge, make([][]byte, 7))
	p.a.x.Detach(p.a.edge, p.now)
	if n := p.a.edge.Counters.RxDropDetached; n != 7 || p.a.edge.caught != nil {
		t.Errorf("%d frames are counted, want 7", n)
	}
	if err := p.a.x.conserved(); err != nil {
		t.Error(err)
	}
}

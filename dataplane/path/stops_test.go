package path

import (
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/wire"
)

// stopQueues makes a port of an end work by its settings with other stops of queues.
func (p *pair) stopQueues(e *end, port *Port, s model.QueueStops) {
	settings := port.settings
	settings.Stops = s
	e.x.Configure(port, settings, p.o.profile, p.now)
}

// arrived returns how many frames of each priority the host of b has got in order, each from 0 on.
func (p *pair) arrived(t *testing.T, got *[8]uint32) {
	t.Helper()
	for f := p.b.host.Recv(); f != nil; f = p.b.host.Recv() {
		priority := f[14] >> 5
		if n := binary.BigEndian.Uint32(f[18:]); n < got[priority] {
			t.Errorf("priority %d: frame %d after frame %d", priority, n, got[priority])
		}
		got[priority]++
	}
}

// No frame of a stopped queue leaves, of a link or of an edge; the other queues lose nothing, and neither does the
// stopped one, which sends in order when it is open again.
func TestStoppedQueueSendsNothing(t *testing.T) {
	const frames = 40
	for name, port := range map[string]func(*pair) (*end, *Port){
		"link": func(p *pair) (*end, *Port) { return p.a, &p.a.l.Port },
		"edge": func(p *pair) (*end, *Port) { return p.b, p.b.edge },
	} {
		t.Run(name, func(t *testing.T) {
			p := up(t, priorities(8))
			p.pass(5e6)
			e, stopped := port(p)
			p.stopQueues(e, stopped, model.QueueStops{Stopped: 1 << 2})
			for n := range uint32(frames) {
				for _, priority := range []uint8{1, 2, 5} {
					p.a.host.Send(tagged(priority, n))
					p.round()
				}
			}
			p.pass(10e6)
			var got [8]uint32
			if p.arrived(t, &got); got != [8]uint32{1: frames, 5: frames} {
				t.Fatalf("while queue 2 is stopped: %v", got)
			}
			q := stopped.State(p.now).QueueStats[1]
			if q.Queue != 2 || !q.Stopped || q.Closed || q.QueuedFrames != frames || q.Occupancy != frames*tagLen ||
				q.Dropped != 0 {
				t.Errorf("%+v", q)
			}
			if stopped.findings.standstill.stands || p.b.l.pushback.refusing || p.b.l.Port.Counters.RxRefused != 0 {
				t.Error("a stopped queue counts as a host that stands still")
			}
			p.stopQueues(e, stopped, model.QueueStops{})
			p.pass(10e6)
			if p.arrived(t, &got); got != [8]uint32{1: frames, 2: frames, 5: frames} {
				t.Errorf("after the stop: %v", got)
			}
			if err := p.a.invariant(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Frames beyond the room of a stopped queue are dropped and counted, and the other queues still lose nothing, behind a
// link and behind an edge.
func TestStoppedQueueLeavesRoomToOthers(t *testing.T) {
	for name, port := range map[string]func(*pair) (*end, *Port){
		"link": func(p *pair) (*end, *Port) { return p.a, &p.a.l.Port },
		"edge": func(p *pair) (*end, *Port) { return p.b, p.b.edge },
	} {
		o := priorities(8)
		p := up(t, o)
		p.pass(5e6)
		e, stopped := port(p)
		p.stopQueues(e, stopped, model.QueueStops{Stopped: 1 << 2})
		var got [8]uint32
		sent := uint32(3 * o.ring)
		for n := range sent {
			for _, priority := range []uint8{1, 2} {
				p.a.host.Send(tagged(priority, n))
				p.round()
			}
			p.arrived(t, &got)
		}
		p.pass(10e6)
		if p.arrived(t, &got); got != [8]uint32{1: sent} {
			t.Errorf("%s: got %v of %d", name, got, sent)
		}
		q := stopped.State(p.now).QueueStats[1]
		if q.QueuedFrames < o.ring/2 || uint32(q.QueuedFrames)+uint32(q.Dropped) != sent ||
			q.DroppedOctets != q.Dropped*tagLen || stopped.Counters.TxDropQueueFull != q.Dropped {
			t.Errorf("%s: %d sent: %+v, dropped by the port %d", name, sent, q, stopped.Counters.TxDropQueueFull)
		}
	}
}

// A closed queue sends the frames that wait in it, and drops and counts new ones, which are neither trimmed nor faults
// of a sender with credits.
func TestClosedQueueTakesNoFrames(t *testing.T) {
	p := up(t, priorities(8))
	p.pass(5e6)
	p.setCarrier(false)
	p.fills(2, 7)
	p.stopQueues(p.a, &p.a.l.Port, model.QueueStops{Closed: 1 << 2})
	p.fills(2, 5)
	p.fills(1, 3)
	q := p.queueOf(2)
	if !q.Closed || q.Stopped || q.QueuedFrames != 7 || q.Dropped != 5 || q.DroppedOctets != 5*tagLen {
		t.Errorf("%+v", q)
	}
	p.setCarrier(true)
	p.until(func() bool { return p.a.l.Port.egress.waiting == 0 }, time.Second)
	p.fills(2, 4) // nothing waits any more, and the frames could leave at once
	p.pass(5e6)
	var got [8]uint32
	if p.arrived(t, &got); got != [8]uint32{1: 3, 2: 7} {
		t.Errorf("got %v", got)
	}
	if c := p.a.l.Port.Counters; c.TxDropQueueClosed != 9 || c.TxDropQueueFull != 0 {
		t.Errorf("%+v", c)
	}
	s := p.a.l.Port.State(p.now)
	if _, tx := s.Dropped(); tx != 9 {
		t.Errorf("%d frames count as dropped", tx)
	}
	p.stopQueues(p.a, &p.a.l.Port, model.QueueStops{})
	p.a.host.Send(tagged(2, 99))
	p.pass(5e6)
	if p.arrived(t, &got); got[2] != 8 {
		t.Errorf("open again: %v", got)
	}
}

// A frame with credits that a closed queue of the edge drops gives its credits back.
func TestClosedQueueGivesCreditsBack(t *testing.T) {
	p := up(t, credited(16))
	p.lossless(t)
	p.stopQueues(p.b, p.b.edge, model.QueueStops{Closed: 1 << 1})
	p.fills(1, 100)
	p.pass(100e6)
	c := p.b.edge.Counters
	if c.TxDropQueueClosed != 100 || p.b.l.Port.Counters.RxDropLossless+p.b.l.Port.Counters.RxDropNoBuffer != 0 {
		t.Errorf("%d dropped by the queue; of the link: %+v", c.TxDropQueueClosed, p.b.l.Port.Counters)
	}
	if used := p.a.l.cbfc.Tx.Used; used != 0 {
		t.Errorf("%d credits are not back", used)
	}
}

// A queue that is stopped while it waits for credits does not count as waiting for them, and goes on afterwards.
func TestStoppedQueueWaitsForNoCredits(t *testing.T) {
	p := up(t, credited(16))
	p.lossless(t)
	p.stopQueues(p.b, p.b.edge, model.QueueStops{Stopped: 1 << 1})
	p.fills(1, 40)
	waits := func() bool { return p.a.l.cbfc.State(p.now).VCs[0].Sender.Blocked > 0 }
	if !waits() {
		t.Fatal("no frame waits for credits")
	}
	p.stopQueues(p.a, &p.a.l.Port, model.QueueStops{Stopped: 1 << 1})
	if p.pass(2 * time.Second); waits() || p.a.vc(1).Counters.Timeouts != 0 {
		t.Errorf("%+v", p.a.vc(1))
	}
	p.stopQueues(p.a, &p.a.l.Port, model.QueueStops{})
	p.stopQueues(p.b, p.b.edge, model.QueueStops{})
	p.pass(100e6)
	var got [8]uint32
	if p.arrived(t, &got); got[1] != 40 {
		t.Errorf("got %v", got)
	}
}

// While a queue is stopped, frames that have left before are replayed.
func TestReplaysOfAStoppedQueueGoOn(t *testing.T) {
	p := up(t, priorities(8))
	p.pass(5e6)
	lost := 0
	p.b.between.keeps = func(f []byte) bool {
		if wire.EtherType(f) == p.o.ports.EtherTypeData && lost < 3 {
			lost++
			return true
		}
		return false
	}
	for n := range uint32(3) {
		p.a.host.Send(tagged(2, n))
	}
	p.round()
	p.stopQueues(p.a, &p.a.l.Port, model.QueueStops{Stopped: 1 << 2})
	p.fills(2, 5)
	p.pass(50e6)
	var got [8]uint32
	if p.arrived(t, &got); lost != 3 || got[2] != 3 || p.a.l.LLR.Counters().TxReplay == 0 {
		t.Errorf("%d lost, got %v, %d replays", lost, got, p.a.l.LLR.Counters().TxReplay)
	}
}

// A stop is an event and a fault of the port while it lasts, and an end that leaves opens its queues.
func TestStopsAreTold(t *testing.T) {
	p := up(t, priorities(8))
	p.stopQueues(p.a, &p.a.l.Port, model.QueueStops{Stopped: 1<<2 | 1<<7, Closed: 1 << 3})
	p.pass(2e6)
	if !p.a.reports(model.EventQueue, "a client of SAI has stopped queue 2, 7 (PKT_DEQUEUE_ENABLE false)") {
		t.Error("not told")
	}
	s := p.a.l.Port.State(p.now)
	if !strings.Contains(s.Fault, "closed queue 3 (PKT_ENQUEUE_ENABLE false)") || len(s.FaultReasons) != 1 ||
		s.FaultReasons[0] != ReasonQueueStopped {
		t.Errorf("%q %v", s.Fault, s.FaultReasons)
	}
	p.fills(2, 5)
	p.a.x.OpenQueues()
	p.pass(5e6)
	var got [8]uint32
	if p.arrived(t, &got); got[2] != 5 {
		t.Errorf("an end that leaves holds frames back: %v", got)
	}
	if !p.a.reports(model.EventQueue, "all queues send and take frames again") || p.a.l.Port.State(p.now).Fault != "" {
		t.Error("the end is not told")
	}
}

// PFC of the host and a stop of SAI are told apart, and either alone stops the queue.
func TestStopBesidePFC(t *testing.T) {
	p := up(t, paused(16))
	p.lossless(t)
	p.b.stops(2, 0xFFFF)
	p.pass(1e6)
	p.stopQueues(p.b, p.b.edge, model.QueueStops{Stopped: 1 << 1})
	p.pass(1e6)
	s := p.b.edge.State(p.now)
	if s.PFC.Stopped != 1<<2 || p.b.edge.egress.halted != 1<<1|1<<2 {
		t.Errorf("stopped by PFC %b, in all %b", s.PFC.Stopped, p.b.edge.egress.halted)
	}
	p.fills(1, 3)
	p.fills(2, 3)
	p.b.stops(2, 0)
	p.pass(5e6)
	var got [8]uint32
	if p.arrived(t, &got); got != [8]uint32{2: 3} {
		t.Errorf("got %v", got)
	}
}

// The frames of an edge that trusts nothing stay in its ring while the only queue is stopped, and drop while it is
// closed.
func TestOnlyQueueIsStopped(t *testing.T) {
	o := defaults()
	p := up(t, o)
	p.stopQueues(p.a, &p.a.l.Port, model.QueueStops{Stopped: 1})
	p.fills(0, 2*o.ring)
	if q := p.queueOf(0); q.QueuedFrames != o.ring || q.Dropped != 0 || o.edge.QoS.Trust != qos.TrustNone {
		t.Errorf("stopped: %+v", q)
	}
	p.stopQueues(p.a, &p.a.l.Port, model.QueueStops{Closed: 1})
	p.pass(5e6)
	p.fills(0, 10)
	if q := p.queueOf(0); q.QueuedFrames != 0 || q.Dropped < 10 {
		t.Errorf("closed: %+v", q)
	}
}

package path

import (
	"slices"
	"testing"
	"time"
	"uelink/dataplane/model"
)

// tagLen is the octets of a frame of tagged.
const tagLen = 80

// fills has the host of a send so many frames of a priority, which wait while the link is down.
func (p *pair) fills(priority uint8, frames int) {
	for n := range frames {
		p.a.host.Send(tagged(priority, uint32(n)))
		p.round()
	}
}

// queueOf is the state of a queue of a's link.
func (p *pair) queueOf(queue int) model.QueueState {
	for _, q := range p.a.l.Port.egress.state(p.a.l.Port.settings.Stops) {
		if q.Queue == queue {
			return q
		}
	}
	return model.QueueState{}
}

// What is beyond the octets of a channel's queue is dropped and counted; the others have the room that they had.
func TestQueueOctetsOfAChannel(t *testing.T) {
	o := priorities(4)
	o.ports.QueueOctets[1] = 12*tagLen + tagLen/2
	p := up(t, o)
	p.pass(5e6)
	p.setCarrier(false)
	p.fills(1, 30)
	p.fills(2, 20)
	want := model.QueueState{
		Queue: 1, QueuedFrames: 12, Occupancy: 12 * tagLen, Watermark: 12 * tagLen, Bound: 12*tagLen + tagLen/2,
		QueueCounters: model.QueueCounters{Dropped: 18, DroppedOctets: 18 * tagLen},
	}
	if got := p.queueOf(1); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := p.queueOf(2); got.QueuedFrames != 20 || got.Dropped+uint64(got.Bound) != 0 {
		t.Errorf("the queue beside it: %+v", got)
	}
	if c := p.a.l.Port.Counters; c.TxDropQueueFull != 18 || p.a.edge.Counters.RxDropNoBuffer != 0 {
		t.Errorf("%+v", c)
	}
	if p.pass(2e6); !p.a.reports(model.EventDrops, "more come than can leave") {
		t.Error("it is not told")
	}
	p.setCarrier(true)
	p.until(func() bool { return p.a.l.Port.egress.waiting == 0 }, time.Second)
	want.QueuedFrames, want.Occupancy, want.TxFrames, want.TxOctets = 0, 0, 12, 12*tagLen
	if got := p.queueOf(1); got != want {
		t.Errorf("at rest %+v, want %+v", got, want)
	}
	p.a.l.Port.Clear(p.now)
	if got, want := p.queueOf(1), (model.QueueState{Queue: 1, Bound: want.Bound}); got != want {
		t.Errorf("cleared %+v, want %+v", got, want)
	}
}

// The frames of an edge that trusts nothing have one channel, and stay in its ring where that is full; with a bound
// they are dropped at it.
func TestQueueOctetsOfTheOnlyChannel(t *testing.T) {
	for _, bound := range []int{0, 10 * tagLen} {
		o := defaults()
		o.ports.QueueOctets[0] = bound
		p := up(t, o)
		p.setCarrier(false)
		p.fills(0, 3*o.ring)
		q := p.queueOf(0)
		if bound == 0 && (q.Dropped > 0 || q.QueuedFrames != o.ring) ||
			bound > 0 && (q.QueuedFrames != 10 || q.Dropped != uint64(3*o.ring-10)) {
			t.Errorf("bound %d: %+v", bound, q)
		}
	}
}

// A lossless channel has no bound, however it came to be one; when it is best effort again it has.
func TestQueueOctetsOfALosslessChannel(t *testing.T) {
	o := credited(16)
	o.ports.QueueOctets[1], o.ports.QueueOctets[3] = 5*tagLen, 5*tagLen
	p := up(t, o)
	p.lossless(t)
	bounds := func(want ...int) {
		t.Helper()
		if got := []int{p.queueOf(1).Bound, p.queueOf(3).Bound}; !slices.Equal(got, want) {
			t.Errorf("bounds of VC 1 and 3: %v, want %v", got, want)
		}
	}
	bounds(0, 5*tagLen)
	p.b.edge.egress.halted = 1 << 1
	p.fills(1, 40) // 16 credits, and 24 that wait
	if q := p.queueOf(1); q.QueuedFrames != 24 || q.Dropped != 0 {
		t.Errorf("%+v", q)
	}
	for vc, lossless := range map[int]bool{1: false, 3: true} {
		if err := p.a.l.SetVC(vc, lossless, p.now); err != nil {
			t.Fatal(err)
		}
	}
	bounds(5*tagLen, 0)
	p.a.l.configure(o.ports, o.profile, 0, p.now)
	bounds(0, 5*tagLen)
}

// A frame whose host was told to stop by PFC has a chunk of its own, and no bound drops it.
func TestQueueOctetsAndPFC(t *testing.T) {
	o := priorities(4)
	o.edge.PFC = model.PFCSettings{Priorities: 1 << 1, XOff: 8, XOn: 2, Headroom: 8, Rate: 1e9}
	o.ports.QueueOctets[1] = 5 * tagLen
	p := up(t, o)
	p.pass(5e6)
	p.setCarrier(false)
	p.fills(1, 16)
	if q := p.queueOf(1); q.QueuedFrames != 16 || q.Dropped != 0 {
		t.Errorf("%+v", q)
	}
	if p.fills(1, 1); p.queueOf(1).Dropped != 1 {
		t.Errorf("beyond the headroom: %+v", p.queueOf(1))
	}
}

// What is beyond the bound of a channel that trims is trimmed, and what the bound of the trimmed frames' own channel
// does not take counts as dropped there.
func TestQueueOctetsTrim(t *testing.T) {
	o := priorities(8)
	o.edge.QoS.Trust = 0
	o.ports.Trimming = model.PortTrimming{Queues: 1, DSCP: dscpTrimmed}
	o.ports.QueueOctets[0], o.ports.QueueOctets[queueTrimmed] = 4*500, 3*128
	p := up(t, o)
	p.a.x.ConfigureTrimming(trimTo(128))
	p.setCarrier(false)
	c := &congested{lan: &lan{hosts: []*lanHost{{}, {}, {number: 2}}}, sent: make([]uint32, 3)}
	for range 10 {
		p.a.host.Send(c.packet(0, 2, dscpTrimmable, 500))
		p.round()
	}
	if q := p.queueOf(0); q.Occupancy != 4*500 || q.Dropped != 6 ||
		q.QueueCounters.TrimCounters != (model.TrimCounters{TrimPackets: 6, DroppedTrimPackets: 3}) {
		t.Errorf("%+v", q)
	}
	if q := p.queueOf(queueTrimmed); q.QueuedFrames != 3 || q.Occupancy != 3*128 {
		t.Errorf("of trimmed frames: %+v", q)
	}
	if err := p.a.invariant(); err != nil {
		t.Error(err)
	}
	p.setCarrier(true)
	p.until(func() bool { return p.a.l.Port.egress.waiting == 0 }, time.Second)
	if q := p.queueOf(queueTrimmed); q.Occupancy != 0 || p.queueOf(0).QueueCounters.TxTrimPackets != 3 {
		t.Errorf("at rest %+v, of trimmed frames %+v", p.queueOf(0), q)
	}
}

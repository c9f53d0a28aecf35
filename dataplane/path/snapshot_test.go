package path

import (
	"slices"
	"testing"
	"time"

	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

// A snapshot names the queues that hold frames, and those that have sent or dropped some.
func TestQueuesInASnapshot(t *testing.T) {
	var e egress
	e.counters[3] = model.QueueCounters{TxFrames: 7, Dropped: 2}
	e.counters[31].Dropped = 1
	e.queues[5].length, e.queues[5].octets, e.queues[5].watermark = 4, 300, 400
	e.queues[6].bound = 5000
	want := []model.QueueState{
		{Queue: 3, QueueCounters: model.QueueCounters{TxFrames: 7, Dropped: 2}},
		{Queue: 5, QueuedFrames: 4, Occupancy: 300, Watermark: 400},
		{Queue: 6, Bound: 5000},
		{Queue: 31, QueueCounters: model.QueueCounters{Dropped: 1}},
	}
	if got := e.state(model.QueueStops{}); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if got := new(egress).state(model.QueueStops{}); got != nil {
		t.Errorf("nothing has happened: %+v", got)
	}
}

// Frames are in the state of their queue while they wait, and are counted there when they leave.
func TestQueuesOfALink(t *testing.T) {
	p := up(t, priorities(8))
	p.pass(5e6)
	p.setCarrier(false)
	for i := range uint32(24) {
		p.a.host.Send(tagged(uint8(i%3), i))
		p.round()
	}
	waiting := make([]model.QueueState, 3)
	for i := range waiting {
		waiting[i] = model.QueueState{Queue: i, QueuedFrames: 8, Occupancy: 8 * tagLen, Watermark: 8 * tagLen}
	}
	if s := p.a.l.Port.State(0); !slices.Equal(s.QueueStats, waiting) || s.QueuedFrames != 24 ||
		s.OperStatus != model.OperDown {
		t.Errorf("%s: %d frames wait: %+v", s.OperStatus, s.QueuedFrames, s.QueueStats)
	}
	p.setCarrier(true)
	p.until(func() bool { return p.a.l.Port.egress.waiting == 0 }, time.Second)
	sent := slices.Clone(waiting)
	for i := range sent {
		sent[i] = model.QueueState{Queue: i, Watermark: 8 * tagLen,
			QueueCounters: model.QueueCounters{TxFrames: 8, TxOctets: 8 * tagLen}}
	}
	if s := p.a.l.Port.State(0); !slices.Equal(s.QueueStats, sent) || s.QueuedFrames != 0 || s.OperStatus != model.OperUp {
		t.Errorf("%s: %d frames wait: %+v", s.OperStatus, s.QueuedFrames, s.QueueStats)
	}
	p.a.l.Port.Clear(p.now)
	if s := p.a.l.Port.State(0); s.QueueStats != nil {
		t.Errorf("cleared: %+v", s.QueueStats)
	}
}

// What a snapshot says of a link and its edge is typed: no word is read again.
func TestSnapshotOfALink(t *testing.T) {
	p := up(t, defaults())
	link, edge := p.a.l.Port.State(0), p.a.l.Port.Other.State(0)
	if link.Role != model.RoleLink || link.OperStatus != model.OperUp || link.XConnect != edge.Name ||
		link.Sockets != nil {
		t.Errorf("%+v", link)
	}
	s := link.LLR
	if s.Mode != model.LLRStatic || s.Dialect != wire.DialectSeed ||
		s.TxStatus != llr.TxAdvance || s.RxStatus != llr.RxSendAcks {
		t.Errorf("%+v", s)
	}
	if !s.PartnerKnown || s.PartnerMAC != p.b.l.Port.iface.mac || s.Negotiation != nil || len(link.ErrorStatus) != 0 {
		t.Errorf("%+v", s)
	}
	if edge.Role != model.RoleEdge || edge.LLR != nil || edge.XConnect != link.Name {
		t.Errorf("%+v", edge)
	}
}

package path

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"slices"
	"testing"
	"time"

	"uelink/dataplane/bridge"
	"uelink/dataplane/fault"
	"uelink/dataplane/frame/frametest"
	"uelink/dataplane/model"
	"uelink/wire"
)

// traces begins a trace of n frames of a port of an end.
func (p *pair) traces(t *testing.T, e *end, port *Port, s model.TraceSettings) *Trace {
	t.Helper()
	trace := e.x.Trace(port, s, time.Unix(1, 0), p.now)
	if trace == nil {
		t.Fatal("there is a trace already")
	}
	return trace
}

// ends runs rounds until all frames of a trace have ended, and returns them by their numbers.
func (p *pair) ends(t *testing.T, trace *Trace) (all []model.TracedFrame) {
	t.Helper()
	if !p.until(func() bool {
		list, over := trace.Take(false)
		all = append(all, list...)
		return over
	}, 10*time.Second) {
		rest, _ := trace.Take(true)
		t.Fatalf("%d frames have ended; under way: %+v", len(all), rest)
	}
	slices.SortFunc(all, func(a, b model.TracedFrame) int { return a.Number - b.Number })
	return all
}

// A frame is followed from an edge to its acknowledgement, and at the other end from the link to the edge, under one
// number.
func TestTraceFollowsAFrameAcross(t *testing.T) {
	p := newPair(defaults(), 1)
	p.until(p.established, time.Second)
	out := p.traces(t, p.a, p.a.edge, model.TraceSettings{Count: 3})
	in := p.traces(t, p.b, &p.b.l.Port, model.TraceSettings{Count: 3})
	if p.a.x.Trace(&p.a.l.Port, model.TraceSettings{Count: 1}, time.Time{}, p.now) != nil {
		t.Error("a second trace of a domain begins")
	}
	first := int64(p.a.l.LLR.Tx.NextSeq())
	for range 5 {
		p.a.offer(5)
	}
	sent, came := p.ends(t, out), p.ends(t, in)
	for i := range 3 {
		s, c := sent[i], came[i]
		if s.Result != model.TraceAcknowledged || len(s.Copies) != 1 || s.Copies[0].Port != "link0" || s.Port != "edge0" ||
			s.Copies[0].Sequence != (first+int64(i))&wire.SeqMask || s.Copies[0].EndNS < s.Copies[0].SentNS ||
			s.Copies[0].Replays != 0 || len(s.Counters) != 0 || s.Octets != c.Octets || s.RxSequence != -1 {
			t.Errorf("sent: %+v", s)
		}
		if c.Result != model.TraceSent || c.Port != "link0" || c.RxSequence != s.Copies[0].Sequence || len(c.Copies) != 1 ||
			c.Copies[0].Port != "edge0" || c.EtherType != s.EtherType || c.To != s.To || len(c.Counters) != 0 {
			t.Errorf("came: %+v", c)
		}
	}
	p.a.x.EndTrace(out)
	if p.a.x.Traces(out) {
		t.Error("a trace that was ended goes on")
	}
}

// Over a wire that loses frames each frame is acknowledged in the end, some after replays; frames that come twice, or
// too early, are dropped with LLR's counter.
func TestTraceOfALossyWire(t *testing.T) {
	inOneGoroutine(t)
	o := defaults()
	o.wire = fault.Config{Loss: 0.1}
	p := newPair(o, 7)
	p.until(p.established, time.Second)
	out := p.traces(t, p.a, p.a.edge, model.TraceSettings{Count: 300})
	in := p.traces(t, p.b, &p.b.l.Port, model.TraceSettings{Count: 300})
	if err := p.run(1000, 60*time.Second); err != nil {
		t.Fatal(err)
	}
	replays, waited := 0, 0
	sent := p.ends(t, out)
	for i, f := range sent {
		c := f.Copies[0]
		if f.Result != model.TraceAcknowledged || i > 0 && c.Sequence <= sent[i-1].Copies[0].Sequence &&
			sent[i-1].Copies[0].Sequence-c.Sequence < 1<<18 {
			t.Fatalf("%+v", f)
		}
		replays += c.Replays
		if c.Waited {
			waited++
		}
	}
	dropped := map[string]int{}
	for _, f := range p.ends(t, in) {
		if f.Result == model.TraceDropped {
			dropped[fmt.Sprint(f.Counters)]++
		}
	}
	if replays == 0 || waited == 0 || len(dropped) == 0 {
		t.Errorf("%d replays, %d frames waited; dropped: %v", replays, waited, dropped)
	}
	t.Logf("of 300 frames: %d replays, %d waited; at the other end dropped: %v", replays, waited, dropped)
}

// A dropped frame has the counters of the reason.
func TestTraceNamesTheReason(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(p *pair, tr *[]byte)
		want []model.TracedCount
		end  string // which end's which port is traced
	}{
		{"longer than the link carries", func(p *pair, f *[]byte) {
			*f = frametest.Long(700)
			p.a.x.SetMTU(&p.a.l.Port, 600)
		},
			[]model.TracedCount{{Port: "edge0", Counter: "rx_oversized"}}, "a.edge"},
		{"LLDP", func(_ *pair, f *[]byte) { (*f)[12], (*f)[13] = 0x88, 0xCC },
			[]model.TracedCount{{Port: "edge0", Counter: "rx_lldp"}}, "a.edge"},
		{"edge down", func(p *pair, _ *[]byte) { p.b.x.SetUp(p.b.edge, false, p.now) },
			[]model.TracedCount{{Port: "edge0", Counter: "tx_drop_down"}}, "b.link"},
	} {
		o := defaults()
		o.mtu = 800
		p := newPair(o, 3)
		p.until(p.established, time.Second)
		f := frametest.Long(200)
		c.do(p, &f)
		e, port := p.a, p.a.edge
		if c.end == "b.link" {
			e, port = p.b, &p.b.l.Port
		}
		trace := p.traces(t, e, port, model.TraceSettings{Count: 1})
		p.a.host.Send(f)
		if got := p.ends(t, trace)[0]; got.Result != model.TraceDropped || !reflect.DeepEqual(got.Counters, c.want) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// Frames that LLR gives up are dropped by tx_flushed_frames; a frame that waits when the trace ends says so.
func TestTraceOfAFlush(t *testing.T) {
	o := defaults()
	o.profile.PCSLostTimeout, o.profile.MaxOutstandingFrames = 5*time.Millisecond, 4
	p := newPair(o, 5)
	p.until(p.established, time.Second)
	p.b.x.SetUp(&p.b.l.Port, false, p.now) // takes nothing
	trace := p.traces(t, p.a, p.a.edge, model.TraceSettings{Count: 7})
	for range 6 {
		p.a.host.Send(frametest.Long(100))
	}
	for range 3 {
		p.round()
	}
	p.a.x.SetUp(&p.a.l.Port, false, p.now)
	var all []model.TracedFrame
	p.until(func() bool {
		list, _ := trace.Take(false)
		all = append(all, list...)
		return len(all) == 4
	}, time.Second)
	flushed := []model.TracedCount{{Port: "link0", Counter: "tx_flushed_frames"}}
	for _, f := range all {
		if f.Result != model.TraceDropped || !reflect.DeepEqual(f.Copies[0].Counters, flushed) {
			t.Errorf("%+v", f)
		}
	}
	rest, over := trace.Take(true)
	if len(all) != 4 || len(rest) != 2 || over || rest[0].Result != model.TraceWaits || rest[0].Copies[0].EndNS != -1 {
		t.Errorf("%d flushed; the others: %+v", len(all), rest)
	}
}

// The filter chooses the frames, and they alone are counted.
func TestTraceFilters(t *testing.T) {
	ip := make([]byte, 100)
	copy(ip, []byte{2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8, 0x81, 0, 0, 5, 0x08, 0, 0x45})
	copy(ip[18+12:], []byte{10, 0, 0, 1, 10, 0, 0, 2})
	for name, c := range map[string]struct {
		filter model.TraceFilter
		takes  bool
	}{
		"all":                {model.TraceFilter{}, true},
		"destination":        {model.TraceFilter{MACs: []model.Address{{2, 0, 0, 0, 0, 9}}}, true},
		"source":             {model.TraceFilter{MACs: []model.Address{{2, 0, 0, 0, 0, 8}}}, true},
		"another address":    {model.TraceFilter{MACs: []model.Address{{2, 0, 0, 0, 0, 7}}}, false},
		"IP behind a tag":    {model.TraceFilter{IPs: []netip.Addr{netip.MustParseAddr("10.0.0.2")}}, true},
		"another IP":         {model.TraceFilter{IPs: []netip.Addr{netip.MustParseAddr("10.0.0.3")}}, false},
		"type behind a tag":  {model.TraceFilter{EtherTypes: []uint16{0x0800}}, true},
		"another type":       {model.TraceFilter{EtherTypes: []uint16{0x8100}}, false},
		"queue":              {model.TraceFilter{Queues: []uint8{0}}, true},
		"another queue":      {model.TraceFilter{Queues: []uint8{3}}, false},
		"one of two, and no": {model.TraceFilter{MACs: []model.Address{{2, 0, 0, 0, 0, 8}}, EtherTypes: []uint16{1}}, false},
	} {
		p := newPair(defaults(), 1)
		p.until(p.established, time.Second)
		trace := p.traces(t, p.a, p.a.edge, model.TraceSettings{Count: 2, Filter: c.filter})
		for range 3 {
			p.a.host.Send(ip)
			p.a.host.Send(make([]byte, 60))
			p.round()
		}
		p.until(func() bool { return false }, 10*time.Millisecond)
		list, _ := trace.Take(true)
		if got := slices.ContainsFunc(list, func(f model.TracedFrame) bool { return f.EtherType == 0x0800 }); got != c.takes {
			t.Errorf("%s: %t: %+v", name, got, list)
		}
	}
}

// A frame that a bridge floods has a copy for each port by which it leaves.
func TestTraceOfABridge(t *testing.T) {
	n := newLAN(rand.New(rand.NewPCG(1, 1)), 1, 4, defaults(), bridge.Settings{})
	trace := n.domains[0].Trace(n.hosts[0].edge, model.TraceSettings{Count: 1}, time.Time{}, n.now)
	f := make([]byte, 60)
	copy(f, []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x90, 0})
	n.step(n.hosts[0], func(int) []byte { return f }, 1)
	n.domains[0].Step(n.now + 1e6)
	list, over := trace.Take(false)
	if !over || len(list) != 1 || len(list[0].Copies) != 3 || list[0].Result != model.TraceSent {
		t.Errorf("over %t: %+v", over, list)
	}
	f[6] |= 1 // a group as source
	n.domains[0].EndTrace(trace)
	trace = n.domains[0].Trace(n.hosts[0].edge, model.TraceSettings{Count: 1}, time.Time{}, n.now)
	n.step(n.hosts[0], func(int) []byte { return f }, 1)
	list, _ = trace.Take(false)
	if len(list) != 1 || list[0].Result != model.TraceDropped || len(list[0].Counters) != 1 ||
		list[0].Counters[0].Counter != "rx_drop_source" {
		t.Errorf("%+v", list)
	}
}

// A trace changes nothing: with and without one, the same frames come at the same time, and count the same.
func TestTraceChangesNothing(t *testing.T) {
	inOneGoroutine(t)
	var ends [2]string
	for i := range ends {
		o := defaults()
		o.wire = fault.Config{Loss: 0.02, Reorder: 0.02, Duplicate: 0.01}
		p := newPair(o, 11)
		p.until(p.established, time.Second)
		if err := p.runWith(3000, 60*time.Second, func() {
			for _, e := range []*end{p.a, p.b} {
				if i == 1 && e.x.trace == nil {
					p.traces(t, e, e.edge, model.TraceSettings{Count: model.MostTraced})
				} else if i == 1 && len(e.x.trace.frames) == model.MostTraced {
					e.x.EndTrace(e.x.trace)
					p.traces(t, e, &e.l.Port, model.TraceSettings{Count: model.MostTraced})
				}
			}
		}); err != nil {
			t.Fatal(err)
		}
		ends[i] = fmt.Sprintf("%d: %v; %v; %+v; %+v", p.now, p.a, p.b, p.a.edge.Counters, p.b.l.Port.Counters)
	}
	if ends[0] != ends[1] {
		t.Errorf("without a trace:\n%s\nwith:\n%s", ends[0], ends[1])
	}
}

// A trace ends when the ports of its domain change, and Take still has the frames.
func TestTraceEndsWithThePorts(t *testing.T) {
	p := newPair(defaults(), 1)
	p.until(p.established, time.Second)
	trace := p.traces(t, p.a, p.a.edge, model.TraceSettings{Count: 10})
	p.a.offer(3)
	p.a.x.Step(p.now)
	p.a.x.Detach(&p.a.l.Port, p.now)
	p.a.x.Step(p.now)
	list, over := trace.Take(true)
	if p.a.x.Traces(trace) || over || len(list) != 3 || list[0].Result != model.TraceOutstanding {
		t.Errorf("%t, %+v", over, list)
	}
}

package partner

import (
	"slices"
	"testing"

	"uelink/wire"
)

const ms = 1_000_000

// controlFrame is a control frame from an address, of n octets.
func controlFrame(last byte, n int) []byte {
	f := make([]byte, n)
	copy(f, wire.ControlDA[:])
	copy(f[wire.AddrLen:], []byte{2, 0, 0, 0, 0, last})
	return f
}

// says passes the STATION of a partner with a start id.
func says(p *Partner, report wire.Station, now wire.Time) {
	p.ReceivedControl(controlFrame(9, wire.MinFrameLen), report.Items(nil), now)
	p.ReceivedStation(report.Items(nil), report.Start, now)
}

// other is a partner that fits self.
var (
	self  = wire.Station{Largest: 1532, Local: true, Remote: true, Live: true, FCS: true, EtherType: wire.EtherTypeData}
	other = wire.Station{
		Largest: 1532, Longest: 1532, Local: true, Remote: true, Live: true, FCS: true, SeenShim: true,
		EtherType: wire.EtherTypeData, Start: 7, VCs: 1,
	}
)

func TestPartnerIsKnownWhileItSpeaks(t *testing.T) {
	p := New(1)
	if p.Present() || p.SendsStation() || p.Silent(wire.Never) || p.MaxFrame() != unlimited {
		t.Error("there is none, yet it is known")
	}
	p.ReceivedControl(controlFrame(9, 60), nil, 5)
	if !p.Present() || p.SendsStation() || p.MAC() != (wire.MAC{2, 0, 0, 0, 0, 9}) {
		t.Errorf("known %v, speaks %v, %v", p.Present(), p.SendsStation(), p.MAC())
	}
	if p.Silent(wire.Time(5+Silence)) || !p.Silent(wire.Time(6+Silence)) {
		t.Error("silent at the wrong time")
	}
	says(&p, other, 10)
	p.ReceivedShim()
	if !p.SendsStation() || !p.SendsShims() {
		t.Errorf("speaks %v, shims %v", p.SendsStation(), p.SendsShims())
	}
	p.Forget(true)
	p.UpdateProblem(self, 0, 20)
	if p.Present() || p.SendsStation() || p.SendsShims() || p.Problem() != Silent {
		t.Errorf("forgotten: %+v", p)
	}
}

// A partner is lost if its frames are missed; then it has the abilities that it had. Nothing of it is the next one's.
func TestLostPartner(t *testing.T) {
	got := other
	got.Takes, got.TakesVCs, got.VCs = true, true, 8
	for _, missed := range []bool{false, true} {
		p := New(1)
		says(&p, got, 10)
		p.Forget(missed)
		abilities := p.AcceptsAddressed() && p.VCs() == 8
		if p.Lost() != missed || abilities != missed || p.MAC() != (wire.MAC{2, 0, 0, 0, 0, 9}) {
			t.Errorf("missed %v: lost %v, %d virtual channels", missed, p.Lost(), p.VCs())
		}
		next := (&wire.Station{Start: 8, Largest: 100}).Items(nil)
		p.ReceivedControl(controlFrame(8, wire.MinFrameLen), next, 20)
		p.ReceivedStation(next, 8, 20)
		if p.Lost() || !p.SendsStation() || p.AcceptsAddressed() || p.VCs() != 1 || p.reported.Largest != 100 {
			t.Errorf("the next partner: lost %v, %+v", p.Lost(), p.reported)
		}
	}
}

// The first STATION counts when it is whole: without an item that was lost on the way no frame would be short enough,
// or frames would leave in a form that the partner does not take.
func TestStationWithoutAnItem(t *testing.T) {
	for _, lost := range []wire.StationItem{wire.StationFrames, wire.StationServices} {
		p := New(1)
		list := slices.DeleteFunc(other.Items(nil), func(c wire.CtlOS) bool { return c.Item == lost })
		p.ReceivedControl(controlFrame(9, wire.MinFrameLen), list, 10)
		p.ReceivedStation(list, other.Start, 10)
		if p.SendsStation() || !p.Introducing() || p.MaxFrame() != unlimited {
			t.Errorf("without item %d it counts: frames of %d octets", lost, p.MaxFrame())
		}
		says(&p, other, 20)
		if !p.SendsStation() || p.Introducing() || p.MaxFrame() != int(other.Largest) {
			t.Errorf("frames of %d octets", p.MaxFrame())
		}
	}
}

// A known partner is waited for until its STATION; a partner that never sends STATION for a while.
func TestPartnerIntroducesItself(t *testing.T) {
	p := New(1)
	p.ReceivedControl(controlFrame(9, 60), nil, 5)
	if !p.Introducing() || p.Deadline() > wire.Time(5+introduction) {
		t.Errorf("introduces itself: %v, deadline %d", p.Introducing(), p.Deadline())
	}
	p.ReceivedControl(controlFrame(9, 60), nil, 10)
	p.UpdateProblem(self, 0, wire.Time(4+introduction))
	older := p
	if older.UpdateProblem(self, 0, wire.Time(5+introduction)); !p.Introducing() || older.Introducing() {
		t.Errorf("after the time it introduces itself: %v, before: %v", older.Introducing(), p.Introducing())
	}
	if says(&p, other, 20); p.Introducing() {
		t.Error("it has said what it is")
	}
	if p.Forget(true); p.Introducing() {
		t.Error("it is not there")
	}
	if says(&p, other, 30); p.Introducing() {
		t.Error("it has come back and said what it is")
	}
}

// STATION of another station is ignored; a restart is a partner whose frames may come
// without a shim again.
func TestOnlyThePartnerIsListenedTo(t *testing.T) {
	p := New(1)
	says(&p, other, 0)
	p.ReceivedShim()
	forged := other
	forged.Start, forged.Largest = 8, 64
	p.ReceivedStation(forged.Items(nil), 7, 1)
	if p.MaxFrame() != 1532 || !p.SendsShims() {
		t.Errorf("carries %d, shims %v", p.MaxFrame(), p.SendsShims())
	}
	p.ReceivedStation(forged.Items(nil), 8, 2)
	if p.MaxFrame() != 64 || p.SendsShims() {
		t.Errorf("it is believed: carries %d, shims %v", p.MaxFrame(), p.SendsShims())
	}
}

// saidIn counts how often STATION is said in a time, asked each millisecond.
func saidIn(p *Partner, report wire.Station, from, to wire.Time, asked bool) (n int) {
	for now := from; now < to; now += ms {
		if len(p.AppendStation(report, nil, asked, now)) > 0 {
			n++
		}
	}
	return n
}

func TestWhenStationIsSaid(t *testing.T) {
	p := New(1)
	if n := saidIn(&p, self, 1000*ms, 3000*ms, false); n != 2 {
		t.Errorf("with nobody there: %d times in 2 s", n)
	}
	says(&p, other, 3000*ms)
	if n := saidIn(&p, self, 3000*ms, 4000*ms, false); n != earlyStations {
		t.Errorf("a partner is there: %d times in 1 s", n)
	}
	changed := self
	changed.Live = false
	if n := saidIn(&p, changed, 4500*ms, 4600*ms, false); n != 1 {
		t.Errorf("a change: %d times", n)
	}
	if n := saidIn(&p, changed, 4700*ms, 4710*ms, true); n != 10 {
		t.Errorf("on request: %d times in 10 ms", n)
	}
	init := []wire.CtlOS{{Type: wire.LLRInit}}
	if list := p.AppendStation(changed, init, false, 4709*ms+1); len(list) != 4 || list[0] != init[0] ||
		list[1].Type != wire.StationCtlOS {
		t.Errorf("with LLR_INIT: %v", list)
	}
	ack := []wire.CtlOS{{Type: wire.LLRAck}}
	if list := p.AppendStation(changed, ack, false, 4709*ms+2); len(list) != 1 {
		t.Errorf("with LLR_ACK: %v", list)
	}
}

// An end that has LLR off answers one that has it on, and nobody else: two such ends would
// never end.
func TestEndWithoutLLROnlyAnswers(t *testing.T) {
	off := self
	off.Local, off.Remote = false, false
	p := New(1)
	if n := saidIn(&p, off, 0, 5000*ms, true); n != 0 || p.Deadline() != wire.Never {
		t.Errorf("%d times with nobody there", n)
	}
	says(&p, other, 5000*ms)
	if n := saidIn(&p, off, 5000*ms, 6000*ms, false); n != earlyStations {
		t.Errorf("%d answers", n)
	}
	says(&p, other, 6000*ms)
	if n := saidIn(&p, off, 6000*ms, 7000*ms, false); n != 1 {
		t.Errorf("%d answers to one more", n)
	}
	quiet := other
	quiet.Local, quiet.Remote = false, false
	says(&p, quiet, 7000*ms)
	if n := saidIn(&p, off, 7000*ms, 9000*ms, false); n != 0 {
		t.Errorf("%d answers to one that has LLR off too", n)
	}
}

// The deadline is when something is said by itself.
func TestDeadlineIsKept(t *testing.T) {
	p := New(1)
	p.AppendStation(self, nil, false, 100*ms)
	says(&p, other, 200*ms)
	p.SetLongest(1532, 1532)
	for now := wire.Time(200 * ms); now < 5000*ms; {
		at := p.Deadline()
		if at > now.Add(stationInterval) {
			t.Fatalf("at %d ms the next is due at %d ms", now/ms, at/ms)
		}
		now = max(now+1, at)
		sent := len(p.AppendStation(self, nil, false, now)) > 0
		_, probed := p.Probe(now)
		if !sent && !probed {
			t.Fatalf("nothing is said at the deadline, %d ns", now)
		}
		says(&p, other, now)
	}
}

// The longest recent control frame is reported.
func TestLongestThatCame(t *testing.T) {
	var l longest
	l.received(100, 0)
	l.received(1500, 10)
	for _, c := range []struct {
		at   wire.Time
		want uint16
	}{{20, 1500}, {wire.Time(remember), 1500}, {wire.Time(2*remember - 1), 1500}, {wire.Time(2 * remember), 0}} {
		if got := l.octets(c.at); got != c.want {
			t.Errorf("after %d: %d, want %d", c.at, got, c.want)
		}
	}
	l.received(70000, wire.Time(10*remember))
	if got := l.octets(wire.Time(10 * remember)); got != unlimited-1 {
		t.Errorf("%d", got)
	}
}

func TestNothingAllocates(t *testing.T) {
	p := probing()
	frame, list, now := controlFrame(9, 60), other.Items(nil), wire.Time(0)
	out := make([]wire.CtlOS, 0, wire.MaxCtlOS)
	if n := testing.AllocsPerRun(1000, func() {
		now += 100 * ms
		p.ReceivedControl(frame, nil, now)
		p.ReceivedStation(list, 7, now)
		p.SetLongest(1532, 1532)
		p.UpdateProblem(self, uint64(now), now)
		out = p.AppendStation(self, out[:0], true, now)
		for _, ok := p.Probe(now); ok; _, ok = p.Probe(now) {
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// An item of STATION without the start id in the same frame says nothing: the partner always says who it is first, and
// whoever forges items need not know that.
func TestItemsWithoutTheStartIDAreNotTaken(t *testing.T) {
	for start := range uint32(3) {
		p := New(1)
		p.SetLongest(1514, 1514)
		got := wire.Station{Start: start, Largest: 1600, Longest: 1514, VCs: 4, TakesVCs: true, Takes: true}
		says(&p, got, 0)
		forged := wire.Station{Start: start, Largest: 61, Busy: true, CBFC: true}
		for i, item := range forged.Items(nil)[1:] {
			p.ReceivedStation([]wire.CtlOS{item}, start, 1)
			if p.reported != got {
				t.Errorf("start id %d, item %d alone: %+v", start, i+1, p.reported)
			}
		}
		forged.Start++
		p.ReceivedStation(forged.Items(nil), start, 1)
		if p.reported != got {
			t.Errorf("start id %d, items of another: %+v", start, p.reported)
		}
		got.Largest = 9000
		p.ReceivedStation(got.Items(nil), start, 2)
		if p.reported != got {
			t.Errorf("start id %d, its own items: %+v, want %+v", start, p.reported, got)
		}
	}
}

package partner

import (
	"testing"

	"uelink/wire"
)

// address is that of a station in controlFrame.
func address(last byte) wire.MAC { return wire.MAC{2, 0, 0, 0, 0, last} }

// pins is a partner of an end that keeps to one station, and has heard 9 with the start id of other.
func pins(to wire.MAC) Partner {
	p := New(1)
	p.Pin(true, to)
	says(&p, other, 0)
	return p
}

func TestPinnedPartner(t *testing.T) {
	p := pins(wire.MAC{})
	anew := other
	anew.Start = 8
	for _, c := range []struct {
		name  string
		from  byte
		list  []wire.CtlOS
		now   wire.Time
		other bool
	}{
		{"the partner", 9, nil, 1, false},
		{"the partner, started anew", 9, anew.Items(nil), 1, false},
		{"another station", 7, nil, 1, true},
		{"another that says who it is", 7, anew.Items(nil), 1, true},
		{"the partner under another address", 7, other.Items(nil), 1, false},
		{"another while the partner is just not silent", 7, nil, wire.Time(Silence), true},
		{"another when it is", 7, nil, wire.Time(Silence + 1), false},
	} {
		if got := p.OtherStation(controlFrame(c.from, 60), c.list, c.now); got != c.other {
			t.Errorf("%s: of another station: %v", c.name, got)
		}
	}
	nobody := New(1)
	nobody.Pin(true, wire.MAC{})
	for _, from := range []wire.MAC{{}, {3, 0, 0, 0, 0, 7}, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}} {
		f := controlFrame(7, 60)
		copy(f[wire.AddrLen:], from[:])
		if !nobody.OtherStation(f, other.Items(nil), 0) {
			t.Errorf("% x is taken for the address of a station", from)
		}
	}
	older := New(1)
	older.Pin(true, wire.MAC{})
	older.ReceivedControl(controlFrame(9, 60), nil, 0)
	if !older.OtherStation(controlFrame(7, 60), nil, 1) {
		t.Error("a partner that has said no start id has another address")
	}
	if older.OtherStation(controlFrame(7, 60), other.Items(nil), 1) {
		t.Error("a station that says its start id is refused for one whose address may have been damaged")
	}
	p.Pin(false, wire.MAC{})
	if p.OtherStation(controlFrame(7, 60), nil, 1) {
		t.Error("there are other stations for an end that keeps to nobody")
	}
	only := New(1)
	only.Pin(true, address(5))
	if !only.OtherStation(controlFrame(7, 60), nil, 0) || only.OtherStation(controlFrame(5, 60), nil, 0) {
		t.Error("the address that is configured is not the partner's")
	}
}

func TestWhereControlFramesGo(t *testing.T) {
	free := New(1)
	if free.ControlDA(0) != wire.ControlDA {
		t.Errorf("of a transparent link to %v", free.ControlDA(0))
	}
	p := New(1)
	p.Pin(true, wire.MAC{})
	if p.ControlDA(0) != wire.DiscoveryDA {
		t.Errorf("with no partner to %v", p.ControlDA(0))
	}
	says(&p, other, 10)
	if p.ControlDA(wire.Time(10+Silence)) != address(9) || p.ControlDA(wire.Time(11+Silence)) != wire.DiscoveryDA {
		t.Errorf("to %v, and when it is silent to %v", p.ControlDA(wire.Time(10+Silence)), p.ControlDA(wire.Time(11+Silence)))
	}
	p.AddressChanged(20)
	early, late := p.ControlDA(wire.Time(19+introduction)), p.ControlDA(wire.Time(20+introduction))
	if early != wire.DiscoveryDA || late != address(9) {
		t.Errorf("with another address to %v, later to %v", early, late)
	}
	if n := saidIn(&p, self, 30, 20*ms, false); n != earlyStations {
		t.Errorf("with another address STATION is said %d times at once", n)
	}
	p.Pin(true, address(5))
	if p.ControlDA(0) != address(5) {
		t.Errorf("to the configured partner: %v", p.ControlDA(0))
	}
}

// The problems of an addressed end with a partner that is not addressed.
func TestProblemsOfAnAddressedEnd(t *testing.T) {
	report := self
	report.Addressed = true
	for _, c := range []struct {
		reported wire.Station
		want     Problem
	}{
		{wire.Station{Takes: true, Addressed: true}, None}, {wire.Station{Addressed: true}, NoAddressed},
		{wire.Station{Takes: true}, SendsHosts}, {wire.Station{}, NoAddressed},
	} {
		p, reported := New(1), other
		reported.Takes, reported.Addressed = c.reported.Takes, c.reported.Addressed
		says(&p, reported, 0)
		p.UpdateProblem(report, 0, 1)
		if p.Problem() != c.want {
			t.Errorf("%+v: problem %d, want %d", c.reported, p.Problem(), c.want)
		}
		transparent := None
		if reported.Addressed {
			transparent = HostsHere
		}
		if p.UpdateProblem(self, 0, 1); p.Problem() != transparent {
			t.Errorf("%+v: problem %d of a transparent end", c.reported, p.Problem())
		}
		if p.SendsHosts() != !reported.Addressed || p.AcceptsAddressed() != reported.Takes {
			t.Errorf("%+v: sends hosts %v, takes addressed %v", c.reported, p.SendsHosts(), p.AcceptsAddressed())
		}
	}
	older := New(1)
	older.ReceivedControl(controlFrame(9, 60), nil, 0)
	if older.UpdateProblem(report, 0, 1); older.Problem() != None || older.SendsHosts() {
		t.Errorf("one that may still say what it takes: problem %d", older.Problem())
	}
	older.UpdateProblem(report, 0, wire.Time(introduction))
	if older.UpdateProblem(report, 0, wire.Time(introduction+1)); older.Problem() != NoAddressed || !older.SendsHosts() {
		t.Errorf("one that says nothing: problem %d", older.Problem())
	}
}

// Looped frames of this end are a problem until none came for a while; this problem precedes the partner's silence.
func TestFramesThatComeBack(t *testing.T) {
	p, report := New(1), self
	report.Addressed = true
	p.Pin(true, wire.MAC{})
	own, mine, theirs := address(9), report, report
	mine.Start, theirs.Start, theirs.Takes = 1, 2, true
	for _, c := range []struct {
		name      string
		from      byte
		list      []wire.CtlOS
		comesBack bool
	}{
		{"with another address", 7, mine.Items(nil), false},
		{"with another start id", 9, theirs.Items(nil), false},
		{"its own", 9, mine.Items(nil), true},
		{"without a start id", 9, nil, true},
	} {
		if got := p.ReceivedLooped(controlFrame(c.from, 60), c.list, own, 10); got != c.comesBack {
			t.Errorf("%s: it came back: %v", c.name, got)
		}
	}
	says(&p, theirs, 10)
	if p.ReceivedLooped(controlFrame(9, 60), nil, own, 0) {
		t.Error("what a partner with the same address says is taken for what came back")
	}
	for now, want := range map[wire.Time]Problem{11 + wire.Time(Silence): SameAddress, 12 + wire.Time(Silence): None} {
		p.ReceivedLooped(controlFrame(9, 60), theirs.Items(nil), own, 11)
		p.seen.cameBackAt = 0
		if p.UpdateProblem(report, 0, now); p.Problem() != want || !p.Finding(report).Acts {
			t.Errorf("a partner with the same address, at %d: problem %d, want %d", now, p.Problem(), want)
		}
	}
	p.Forget(true)
	p.seen.cameBackAt = 10
	const end = wire.Time(11 + Silence)
	for now, want := range map[wire.Time]Problem{11: Loop, end - 1: Loop, end: Silent} {
		if p.UpdateProblem(report, 0, now); p.Problem() != want {
			t.Errorf("at %d: problem %d, want %d", now, p.Problem(), want)
		}
	}
}

// After a frame with addresses of the link another one is another station's, until the partner starts again.
func TestOnlyAddressedFrames(t *testing.T) {
	p := pins(wire.MAC{})
	if p.OnlyAddressed() {
		t.Error("none has come")
	}
	p.ReceivedAddressed()
	if !p.OnlyAddressed() {
		t.Error("one has come")
	}
	if p.Restarted(); p.OnlyAddressed() {
		t.Error("the partner has started anew")
	}
}

// An end that is addressed speaks also where LLR is off: else nobody could find it.
func TestAddressedEndSpeaksWithoutLLR(t *testing.T) {
	p, report := New(1), wire.Station{Addressed: true}
	if n := saidIn(&p, report, 1000*ms, 4000*ms, false); n != 3 {
		t.Errorf("%d times in 3 s", n)
	}
}

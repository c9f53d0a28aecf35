package partner

import (
	"math"
	"strings"
	"testing"

	"uelink/wire"
)

const ms = int64(1_000_000)

// controlFrame is a control frame from an address, of n octets.
func controlFrame(last byte, n int) []byte {
	f := make([]byte, n)
	copy(f, wire.ControlDA[:])
	copy(f[wire.AddrLen:], []byte{2, 0, 0, 0, 0, last})
	return f
}

// says has the partner with a start id say what it is.
func says(p *Partner, is wire.Station, now int64) {
	p.Heard(controlFrame(9, wire.MinFrameLen), is.Items(nil), now)
	p.Listen(is.Items(nil), is.Start, now)
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
	if p.Known() || p.Speaks() || p.Silent(math.MaxInt64) || p.Carries() != unlimited {
		t.Error("there is none, yet it is known")
	}
	p.Heard(controlFrame(9, 60), nil, 5)
	if !p.Known() || p.Speaks() || p.MAC() != (wire.MAC{2, 0, 0, 0, 0, 9}) {
		t.Errorf("known %v, speaks %v, %v", p.Known(), p.Speaks(), p.MAC())
	}
	if p.Silent(5+Silence) || !p.Silent(6+Silence) {
		t.Error("silent at the wrong time")
	}
	says(&p, other, 10)
	p.Shimmed()
	if !p.Speaks() || !p.Shims() {
		t.Errorf("speaks %v, shims %v", p.Speaks(), p.Shims())
	}
	p.Forget(true)
	p.Review(self, 0, 20)
	if p.Known() || p.Speaks() || p.Shims() || p.Problem() != Silent {
		t.Errorf("forgotten: %+v", p)
	}
}

// A partner that is there is waited for until it says what it takes; one that never does for a while.
func TestPartnerIntroducesItself(t *testing.T) {
	p := New(1)
	p.Heard(controlFrame(9, 60), nil, 5)
	if !p.Introduces() || p.Deadline() > 5+introduction {
		t.Errorf("introduces itself: %v, deadline %d", p.Introduces(), p.Deadline())
	}
	p.Heard(controlFrame(9, 60), nil, 10)
	p.Review(self, 0, 4+introduction)
	older := p
	if older.Review(self, 0, 5+introduction); !p.Introduces() || older.Introduces() {
		t.Errorf("after the time it introduces itself: %v, before: %v", older.Introduces(), p.Introduces())
	}
	if says(&p, other, 20); p.Introduces() {
		t.Error("it has said what it is")
	}
	if p.Forget(true); p.Introduces() {
		t.Error("it is not there")
	}
	if says(&p, other, 30); p.Introduces() {
		t.Error("it has come back and said what it is")
	}
}

// What another station says is passed over; a restart is a partner whose frames may come
// without a shim again.
func TestOnlyThePartnerIsListenedTo(t *testing.T) {
	p := New(1)
	says(&p, other, 0)
	p.Shimmed()
	forged := other
	forged.Start, forged.Largest = 8, 64
	p.Listen(forged.Items(nil), 7, 1)
	if p.Carries() != 1532 || !p.Shims() {
		t.Errorf("carries %d, shims %v", p.Carries(), p.Shims())
	}
	p.Listen(forged.Items(nil), 8, 2)
	if p.Carries() != 64 || p.Shims() {
		t.Errorf("it is believed: carries %d, shims %v", p.Carries(), p.Shims())
	}
}

// saidIn counts how often STATION is said in a time, asked each millisecond.
func saidIn(p *Partner, is wire.Station, from, to int64, asked bool) (n int) {
	for now := from; now < to; now += ms {
		if len(p.Say(is, nil, asked, now)) > 0 {
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
	if list := p.Say(changed, init, false, 4709*ms+1); len(list) != 4 || list[0] != init[0] ||
		list[1].Type != wire.StationCtlOS {
		t.Errorf("with LLR_INIT: %v", list)
	}
	ack := []wire.CtlOS{{Type: wire.LLRAck}}
	if list := p.Say(changed, ack, false, 4709*ms+2); len(list) != 1 {
		t.Errorf("with LLR_ACK: %v", list)
	}
}

// An end that has LLR off answers one that has it on, and nobody else: two such ends would
// never end.
func TestEndWithoutLLROnlyAnswers(t *testing.T) {
	off := self
	off.Local, off.Remote = false, false
	p := New(1)
	if n := saidIn(&p, off, 0, 5000*ms, true); n != 0 || p.Deadline() != math.MaxInt64 {
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
	p.Say(self, nil, false, 100*ms)
	says(&p, other, 200*ms)
	p.Want(1532)
	for now := int64(200 * ms); now < 5000*ms; {
		at := p.Deadline()
		if at > now+stationInterval {
			t.Fatalf("at %d ms the next is due at %d ms", now/ms, at/ms)
		}
		now = max(now+1, at)
		said := len(p.Say(self, nil, false, now)) > 0
		_, probed := p.Probe(now)
		if !said && !probed {
			t.Fatalf("nothing is said at the deadline, %d ns", now)
		}
		says(&p, other, now)
	}
}

// The longest control frame of the last while is told.
func TestLongestThatCame(t *testing.T) {
	var l longest
	l.came(100, 0)
	l.came(1500, 10)
	for _, c := range []struct {
		at   int64
		want uint16
	}{{20, 1500}, {remember, 1500}, {2*remember - 1, 1500}, {2 * remember, 0}} {
		if got := l.octets(c.at); got != c.want {
			t.Errorf("after %d: %d, want %d", c.at, got, c.want)
		}
	}
	l.came(70000, 10*remember)
	if got := l.octets(10 * remember); got != unlimited-1 {
		t.Errorf("%d", got)
	}
}

// wireOf lets probes run over a wire that carries so many octets to a partner that says
// each second, and when the longest changes, what has come; it returns the probes sent.
func wireOf(p *Partner, octets int, from, to int64) (probes int) {
	var came longest
	is, last := other, int64(0)
	for now := from; now < to; now += 10 * ms {
		for n, ok := p.Probe(now); ok; n, ok = p.Probe(now) {
			probes++
			if n <= octets {
				came.came(n, now)
			}
		}
		is.Longest = max(came.octets(now), wire.MinFrameLen)
		if is.Longest != p.told.Longest || now-last >= stationInterval {
			says(p, is, now)
			last = now
		}
	}
	return probes
}

// probing is a partner of an end that has LLR on and has said STATION.
func probing() Partner {
	p := New(1)
	p.Say(self, nil, false, 0)
	is := other
	is.Longest = wire.MinFrameLen
	says(&p, is, 0)
	p.Want(1532)
	return p
}

func TestProbesFindWhatTheWireCarries(t *testing.T) {
	for _, octets := range []int{60, 61, 100, 777, 1500, 1518, 1531} {
		p := probing()
		wireOf(&p, octets, 0, 6000*ms)
		if got := p.Carries(); got > octets || got < octets-1 {
			t.Errorf("a wire of %d octets: %d", octets, got)
		}
		wireOf(&p, 1532, 6000*ms, 8000*ms)
		if got := p.Carries(); got != 1532 {
			t.Errorf("a wire of %d octets, mended: %d", octets, got)
		}
	}
}

// A wire that carries everything is probed with one frame each half second.
func TestGoodWireIsProbedSeldom(t *testing.T) {
	p := probing()
	wireOf(&p, 2000, 0, 1000*ms)
	if n := wireOf(&p, 2000, 1000*ms, 11_000*ms); n > 22 || n < 18 {
		t.Errorf("%d probes in 10 s", n)
	}
	if p.Carries() != 1532 {
		t.Errorf("carries %d", p.Carries())
	}
}

// A partner that reports nothing at all hears nothing: that is no limit of length.
func TestPartnerThatHearsNothingIsNoLimit(t *testing.T) {
	p := probing()
	is := other
	is.Longest = 0
	for now := int64(0); now < 10_000*ms; now += 10 * ms {
		for _, ok := p.Probe(now); ok; _, ok = p.Probe(now) {
		}
		says(&p, is, now)
	}
	if p.Carries() != 1532 {
		t.Errorf("carries %d", p.Carries())
	}
}

func TestProblems(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(p *Partner, is *wire.Station)
		want   Problem
		text   string
	}{
		{"none", func(*Partner, *wire.Station) {}, None, ""},
		{"control EtherType", func(p *Partner, _ *wire.Station) { p.OtherEtherType(0x9102) }, EtherType, "under EtherType 0x9102"},
		{"dialect by a frame", func(p *Partner, _ *wire.Station) { p.OtherDialect() }, Dialect, "dialect ue1, this port seed"},
		{"dialect", func(_ *Partner, is *wire.Station) { is.UE1 = true }, Dialect, "dialect ue1, this port seed"},
		{"data EtherType", func(_ *Partner, is *wire.Station) { is.EtherType = 0x9101 }, DataEtherType, "under EtherType 0x9101, this port under 0x88b5"},
		{"FCS", func(_ *Partner, is *wire.Station) { is.FCS = false }, FCS, "partner sends no FCS image"},
		{"LLR there", func(_ *Partner, is *wire.Station) { is.Local = false }, NoLLRThere, "does not accept LLR"},
		{"shorter frames", func(_ *Partner, is *wire.Station) { is.Largest = 1514 }, Largest, "up to 1514 octets, this port may have to send 1532"},
	} {
		p := probing()
		is := other
		says(&p, is, 0)
		for now := int64(0); now < 2000*ms; now += 100 * ms {
			c.change(&p, &is)
			if c.want != EtherType {
				says(&p, is, now)
			}
			p.Review(self, 0, now)
		}
		if p.Problem() != c.want || !strings.Contains(p.Text(self, wire.EtherTypeControl), c.text) {
			t.Errorf("%s: %d, %q", c.name, p.Problem(), p.Text(self, wire.EtherTypeControl))
		}
		if c.want == None {
			continue
		}
		p.Understood()
		says(&p, other, 3000*ms)
		p.Review(self, 0, 3000*ms)
		if p.Problem() != None {
			t.Errorf("%s: mended, yet %q", c.name, p.Text(self, wire.EtherTypeControl))
		}
	}
}

// Data frames that nobody has seen there a second later.
func TestDataThatIsMissed(t *testing.T) {
	p := probing()
	is := other
	is.SeenShim = false
	for i := range int64(30) {
		says(&p, is, i*100*ms)
		p.Review(self, uint64(i), i*100*ms)
	}
	if p.Problem() != NoData {
		t.Errorf("%q", p.Text(self, 0))
	}
	says(&p, other, 3100*ms)
	p.Review(self, 40, 3100*ms)
	if p.Problem() != None {
		t.Errorf("%q", p.Text(self, 0))
	}
}

func TestNothingAllocates(t *testing.T) {
	p := probing()
	frame, list, now := controlFrame(9, 60), other.Items(nil), int64(0)
	out := make([]wire.CtlOS, 0, wire.MaxCtlOS)
	if n := testing.AllocsPerRun(1000, func() {
		now += 100 * ms
		p.Heard(frame, nil, now)
		p.Listen(list, 7, now)
		p.Want(1532)
		p.Review(self, uint64(now), now)
		out = p.Say(self, out[:0], true, now)
		for _, ok := p.Probe(now); ok; _, ok = p.Probe(now) {
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// An end that takes no frames says so at once, each 20 ms while that lasts, and when it is
// over.
func TestBusyIsSaidAgainAndAgain(t *testing.T) {
	p := New(1)
	self := wire.Station{Local: true, Largest: 1514}
	said := func(now int64) (times int, busy bool) {
		for end := now + 200*ms; now < end; now += ms {
			for _, c := range p.Say(self, nil, false, now) {
				var is wire.Station
				if is.Take(c) && c.Item == wire.StationServices {
					times, busy = times+1, is.Busy
				}
			}
		}
		return times, busy
	}
	said(0)
	if n, _ := said(300 * ms); n != 0 {
		t.Errorf("%d times with nothing to say", n)
	}
	self.Busy = true
	if n, busy := said(500 * ms); n != 10 || !busy {
		t.Errorf("busy is said %d times in 200 ms, %v", n, busy)
	}
	self.Busy = false
	if n, busy := said(700 * ms); n != 1 || busy {
		t.Errorf("that it is over is said %d times, busy %v", n, busy)
	}
}

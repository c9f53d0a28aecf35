package partner

import (
	"testing"

	"uelink/wire"
)

func TestProblems(t *testing.T) {
	otherType := controlFrame(9, wire.MinFrameLen)
	otherType[12], otherType[13] = 0x91, 0x02
	for _, c := range []struct {
		name   string
		change func(p *Partner, report *wire.Station)
		want   Problem
	}{
		{"none", func(*Partner, *wire.Station) {}, None},
		{"control EtherType", func(p *Partner, _ *wire.Station) { p.ReceivedOtherEtherType(otherType, nil) }, EtherType},
		{"dialect by a frame", func(p *Partner, _ *wire.Station) { p.ReceivedOtherDialect() }, Dialect},
		{"dialect", func(_ *Partner, report *wire.Station) { report.UE1 = true }, Dialect},
		{"data EtherType", func(_ *Partner, report *wire.Station) { report.EtherType = 0x9101 }, DataEtherType},
		{"FCS", func(_ *Partner, report *wire.Station) { report.FCS = false }, FCS},
		{"LLR there", func(_ *Partner, report *wire.Station) { report.Local = false }, NoLLRThere},
		{"fewer virtual channels there", func(_ *Partner, report *wire.Station) { report.VCs = 0 }, None},
		{"virtual channels", func(_ *Partner, report *wire.Station) { report.TakesVCs, report.VCs = true, 4 }, VCsHere},
		{"selective replay", func(_ *Partner, report *wire.Station) { report.Trouble.Number = uint8(Replay) }, ReplayHere},
		{"shorter frames", func(_ *Partner, report *wire.Station) { report.Largest = 1514 }, Largest},
	} {
		p := probing()
		got := other
		says(&p, got, 0)
		for now := wire.Time(0); now < 2000*ms; now += 100 * ms {
			c.change(&p, &got)
			if c.want != EtherType {
				says(&p, got, now)
			}
			p.UpdateProblem(self, 0, now)
		}
		if p.Problem() != c.want || p.Finding(self).Problem != c.want {
			t.Errorf("%s: %q", c.name, p.Problem().Reason())
		}
		if c.want == None {
			continue
		}
		p.ReceivedGoodData()
		says(&p, other, 3000*ms)
		p.UpdateProblem(self, 0, 3000*ms)
		if p.Problem() != None {
			t.Errorf("%s: mended, yet %q", c.name, p.Problem().Reason())
		}
	}
}

// Data frames that nobody has seen there a second later.
func TestDataThatIsMissed(t *testing.T) {
	p := probing()
	got := other
	got.SeenShim = false
	for i := range wire.Time(30) {
		says(&p, got, i*100*ms)
		p.UpdateProblem(self, uint64(i), i*100*ms)
	}
	if p.Problem() != NoData {
		t.Errorf("%q", p.Problem().Reason())
	}
	says(&p, other, 3100*ms)
	p.UpdateProblem(self, 40, 3100*ms)
	if p.Problem() != None {
		t.Errorf("%q", p.Problem().Reason())
	}
}

// An end that takes no frames says so at once, each 20 ms while that lasts, and when it is
// over.
func TestBusyIsSaidAgainAndAgain(t *testing.T) {
	p := New(1)
	self := wire.Station{Local: true, Largest: 1514}
	read := func(now wire.Time) (times int, busy bool) {
		for end := now + 200*ms; now < end; now += ms {
			for _, c := range p.AppendStation(self, nil, false, now) {
				var report wire.Station
				if report.Update(c) && c.Item == wire.StationServices {
					times, busy = times+1, report.Busy
				}
			}
		}
		return times, busy
	}
	read(0)
	if n, _ := read(300 * ms); n != 0 {
		t.Errorf("%d times with nothing to say", n)
	}
	self.Busy = true
	if n, busy := read(500 * ms); n != 10 || !busy {
		t.Errorf("busy is said %d times in 200 ms, %v", n, busy)
	}
	self.Busy = false
	if n, busy := read(700 * ms); n != 1 || busy {
		t.Errorf("that it is over is said %d times, busy %v", n, busy)
	}
}

// A VLAN tag on control frames is a problem while no untagged control frame comes.
func TestTaggedControlFrames(t *testing.T) {
	p := New(1)
	p.Forget(true)
	p.ReceivedTagged(10)
	for _, c := range []struct {
		now  wire.Time
		want Problem
	}{{11, Tagged}, {wire.Time(10 + Silence), Tagged}, {wire.Time(11 + Silence), Silent}} {
		if p.UpdateProblem(self, 0, c.now); p.Problem() != c.want {
			t.Errorf("at %d: problem %d, want %d", c.now, p.Problem(), c.want)
		}
	}
	says(&p, other, 20)
	if p.UpdateProblem(self, 0, 21); p.Problem() != None {
		t.Errorf("with a partner: problem %d", p.Problem())
	}
}

package partner

import (
	"testing"

	"uelink/wire"
)

// wireOf lets probes run over a wire that carries so many octets to a partner that says
// each second, and when the longest changes, what has come; it returns the probes sent.
func wireOf(p *Partner, octets int, from, to wire.Time) (probes int) {
	var came longest
	report, last := other, wire.Time(0)
	for now := from; now < to; now += 10 * ms {
		for n, ok := p.Probe(now); ok; n, ok = p.Probe(now) {
			probes++
			if n <= octets {
				came.received(n, now)
			}
		}
		report.Longest = max(came.octets(now), wire.MinFrameLen)
		if report.Longest != p.reported.Longest || now.Sub(last) >= stationInterval {
			says(p, report, now)
			last = now
		}
	}
	return probes
}

// probing returns a partner of an end with LLR on that has sent STATION.
func probing() Partner {
	p := New(1)
	p.AppendStation(self, nil, false, 0)
	got := other
	got.Longest = wire.MinFrameLen
	says(&p, got, 0)
	p.SetLongest(1532, 1532)
	return p
}

func TestProbesFindWhatTheWireCarries(t *testing.T) {
	for _, octets := range []int{60, 61, 100, 777, 1500, 1518, 1531} {
		p := probing()
		wireOf(&p, octets, 0, 6000*ms)
		if got := p.MaxFrame(); got > octets || got < octets-1 {
			t.Errorf("a wire of %d octets: %d", octets, got)
		}
		wireOf(&p, 1532, 6000*ms, 8000*ms)
		if got := p.MaxFrame(); got != 1532 {
			t.Errorf("a wire of %d octets, mended: %d", octets, got)
		}
	}
}

// A length that this end may send, and that nobody has to carry, is no problem where it is missing: at the partner, or
// on the wire, whose limit is still found.
func TestRoomThatIsNotRequiredIsNoProblem(t *testing.T) {
	for missing := range 6 {
		for _, ok := range []bool{true, false} {
			p := probing()
			p.SetLongest(1532, 1528)
			report, carries := other, 1532-missing
			if ok {
				report.Largest, carries = uint16(carries), 2000
				says(&p, report, 0)
			}
			want := None
			switch {
			case missing > 4 && ok:
				want = Largest
			case missing > 4:
				want = WireLimit
			}
			if !ok {
				wireOf(&p, carries, 0, 6000*ms)
			}
			p.UpdateProblem(self, 0, 6000*ms)
			if p.Problem() != want || p.MaxFrame() > 1532-missing+1 && missing > 0 {
				t.Errorf("%d octets missing, at the partner %v: problem %v, longest frame %d", missing, ok, p.Problem(),
					p.MaxFrame())
			}
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
	if p.MaxFrame() != 1532 {
		t.Errorf("carries %d", p.MaxFrame())
	}
}

// A partner that reports nothing at all hears nothing: that is no limit of length.
func TestPartnerThatHearsNothingIsNoLimit(t *testing.T) {
	p := probing()
	got := other
	got.Longest = 0
	for now := wire.Time(0); now < 10_000*ms; now += 10 * ms {
		for _, ok := p.Probe(now); ok; _, ok = p.Probe(now) {
		}
		says(&p, got, now)
	}
	if p.MaxFrame() != 1532 {
		t.Errorf("carries %d", p.MaxFrame())
	}
}

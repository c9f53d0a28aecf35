package path

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"uelink/dataplane/fault"
	"uelink/dataplane/frame"
	"uelink/dataplane/partner"
	"uelink/wire"
	"uelink/wire/micropacket"
)

// measuredPair is a pair whose ends have measured the loop, and carried 200 frames.
func measuredPair(t *testing.T) *hippiPair {
	t.Helper()
	p := readyPair(t, hippiDefaults())
	if err := p.run(200, time.Minute, func() {}); err != nil {
		t.Fatal(err)
	}
	return p
}

// limitedPair is a pair whose wire carries frames of up to n octets, once its link carries frames; 0: of all lengths.
func limitedPair(t *testing.T, n *int) *hippiPair {
	t.Helper()
	p := measuredPair(t)
	for _, e := range p.ends {
		between := &between{Device: e.link, keeps: func(f []byte) bool { return *n > 0 && len(f) > *n }}
		p.now = p.now.Add(time.Millisecond)
		e.linkIn = fault.New(between, fault.Config{}, func() wire.Time { return p.now })
		e.h.Port.Replace([]frame.Device{e.linkIn})
	}
	return p
}

// A wire that carries less than the interface gets shorter frames: every frame arrives, the operator is told, and
// frames become long again when the wire carries them.
func TestHIPPIWireThatCarriesLess(t *testing.T) {
	inOneGoroutine(t)
	for _, limit := range []int{75, 300, 1000} {
		n := limit
		p := limitedPair(t, &n)
		if err := p.run(2000, time.Minute, func() {}); err != nil {
			t.Fatal(err)
		}
		begun := p.now
		p.trickle(t, 5*time.Second, func() bool {
			return p.ends[0].h.problem(p.now).kind == partner.WireLimit && p.ends[1].h.problem(p.now).kind == partner.WireLimit
		})
		t.Logf("limit %d: told %v after the first 2000 frames", limit, p.now.Sub(begun))
		for _, e := range p.ends {
			problem := e.h.problem(p.now)
			reason, text := problem.kind.Reason(), e.h.remedy(problem).Text
			most := micropacket.FrameLen(e.h.out.length.good, true)
			if reason != partner.WireLimit.Reason() || !strings.Contains(text, "raise the MTU of what is on the way") ||
				most > limit || 4*most < limit {
				t.Errorf("limit %d, frames of up to %d octets: %q", limit, most, text)
			}
			if c := e.h.End.Counters; c.Shutdowns > 0 || c.LinkResets != 1 || e.missing > 0 {
				t.Errorf("%d frames missing, %+v", e.missing, c)
			}
		}
		n, begun = 0, p.now
		long := func() bool { return p.ends[0].h.out.length.good+p.ends[1].h.out.length.good == 0 }
		p.trickle(t, 20*time.Second, long)
		t.Logf("limit %d: frames are as long as before %v after the wire carries them", limit, p.now.Sub(begun))
		if p.ends[0].h.problem(p.now) != (hippiProblem{}) || !long() {
			t.Errorf("a wire that carries all again: %+v", p.ends[0].h.out.length)
		}
		if err := p.atRest(); err != nil {
			t.Fatal(err)
		}
	}
}

// trickle carries a frame each millisecond both ways until done, or for d.
func (p *hippiPair) trickle(t *testing.T, d time.Duration, done func() bool) {
	t.Helper()
	for until := p.now.Add(d); p.now < until && !done(); {
		for _, e := range p.ends {
			p.offer(e, e.sent[0]+1)
			if err := p.take(e); err != nil {
				t.Fatal(err)
			}
		}
		for next := p.now.Add(time.Millisecond); p.now < next; {
			p.round()
		}
	}
}

// A wire that carries nothing for a while, with little traffic before and after it, is not taken for a short one, and
// frames are as long as before: nothing but full frames would have shown that they cross.
func TestHIPPIOutageIsNoShortWire(t *testing.T) {
	inOneGoroutine(t)
	for _, outage := range []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 300 * time.Millisecond} {
		p := measuredPair(t)
		p.o.sizes = [2]int{100, 0}
		for range 3 {
			for _, e := range p.ends {
				e.linkIn.SetConfig(fault.Config{Loss: 1})
			}
			p.trickle(t, outage, func() bool { return false })
			for _, e := range p.ends {
				e.linkIn.SetConfig(fault.Config{})
			}
			p.trickle(t, 2*time.Second, func() bool { return false })
		}
		for _, e := range p.ends {
			if problem := e.h.problem(p.now); problem != (hippiProblem{}) || e.h.out.length.good > 0 {
				t.Errorf("outages of %v: %q, %+v", outage, e.h.remedy(problem).Text, e.h.out.length)
			}
		}
	}
}

// A wire that goes dark again and again, or loses most of what it carries, is not taken for a short one either.
func TestHIPPIBadWireIsNoShortWire(t *testing.T) {
	inOneGoroutine(t)
	dark := func(period wire.Time, share float64) func(*hippiPair) bool {
		return func(p *hippiPair) bool { return float64(p.now%period) < share*float64(period) }
	}
	r := rand.New(rand.NewPCG(1, 9))
	lossy := func(share float64) func(*hippiPair) bool { return func(*hippiPair) bool { return r.Float64() < share } }
	for name, loses := range map[string]func(*hippiPair) bool{
		"dark for half of 125 ms": dark(125e6, 0.5), "dark for 90 % of 125 ms": dark(125e6, 0.9),
		"dark for half of 400 ms": dark(400e6, 0.5), "dark for 90 % of 700 ms": dark(700e6, 0.9),
		"dark for 10 % of 60 ms": dark(60e6, 0.1), "loses half": lossy(0.5), "loses 80 %": lossy(0.8),
	} {
		o := hippiDefaults()
		o.settings.HIPPI.Profile.Retries, o.settings.HIPPI.Profile.Silence = 1e6, 0
		p := readyPair(t, o)
		for _, e := range p.ends {
			e.linkIn = fault.New(&between{Device: e.link, keeps: func([]byte) bool { return loses(p) }}, fault.Config{},
				func() wire.Time { return p.now })
			e.h.Port.Replace([]frame.Device{e.linkIn})
		}
		reported := func() bool { return p.ends[0].h.problem(p.now).kind|p.ends[1].h.problem(p.now).kind != partner.None }
		if p.trickle(t, 6*time.Second, reported); reported() {
			t.Errorf("%s: %q after %v", name, p.ends[0].h.remedy(p.ends[0].h.problem(p.now)).Text, time.Duration(p.now))
		}
	}
}

// Losses in a row on a wire that carries long frames shorten the frames for some milliseconds only.
func TestHIPPIOutageShortensNoFramesForLong(t *testing.T) {
	inOneGoroutine(t)
	p := measuredPair(t)
	for _, e := range p.ends {
		e.linkIn.SetConfig(fault.Config{Loss: 1})
	}
	outage := p.now.Add(300 * time.Millisecond)
	p.until(func() bool { p.offer(p.ends[0], 300); return p.now > outage }, time.Second)
	if l := p.ends[0].h.out.length; l.good != 1 {
		t.Errorf("during the outage frames of %+v", l)
	}
	for _, e := range p.ends {
		e.linkIn.SetConfig(fault.Config{})
	}
	begun := p.now
	for sent := uint64(500); p.ends[0].h.out.length.good > 0 && sent < 100_000; sent += 500 {
		if err := p.run(sent, time.Minute, func() {}); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("frames are as long as before %v after the outage", p.now.Sub(begun))
	if p.ends[0].h.out.length.good != 0 || p.now.Sub(begun) > 100*time.Millisecond {
		t.Errorf("%+v %v after the outage", p.ends[0].h.out.length, p.now.Sub(begun))
	}
}

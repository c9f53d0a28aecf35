package path

import (
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
		e.h.Replace([]frame.Device{e.linkIn})
	}
	return p
}

// A wire that carries less than the interface gets shorter frames: every frame arrives, the operator is told, and
// frames become long again when the wire carries them.
func TestHIPPIWireThatCarriesLess(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: one goroutine for many frames")
	}
	for _, limit := range []int{75, 300, 1000} {
		n := limit
		p := limitedPair(t, &n)
		if err := p.run(2000, time.Minute, func() {}); err != nil {
			t.Fatal(err)
		}
		until := p.now.Add(2 * lengthTold)
		if !p.until(func() bool { p.now = p.now.Add(time.Millisecond); return p.now > until }, time.Minute) {
			t.Fatal(p)
		}
		for _, e := range p.ends {
			problem := e.h.problem(p.now)
			reason, text := problem.is.Reason(), e.h.problemText(problem)
			most := micropacket.FrameLen(e.h.length.good, true)
			if reason != partner.WireLimit.Reason() || !strings.Contains(text, "longer ones do not") || most > limit ||
				4*most < limit {
				t.Errorf("limit %d, frames of up to %d octets: %q", limit, most, text)
			}
			if c := e.h.End.Counters; c.Shutdowns > 0 || c.LinkResets != 1 || e.missing > 0 {
				t.Errorf("%d frames missing, %+v", e.missing, c)
			}
		}
		n = 0
		long := func() bool { return p.ends[0].h.length.good+p.ends[1].h.length.good == 0 }
		begun := p.now
		for sent := uint64(2500); !long() && p.now < begun.Add(10*time.Second); sent += 500 {
			if err := p.run(sent, time.Minute, func() {}); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("limit %d: frames are as long as before %v after the wire carries them", limit, p.now.Sub(begun))
		if p.ends[0].h.problem(p.now) != (hippiProblem{}) || !long() {
			t.Errorf("a wire that carries all again: %+v", p.ends[0].h.length)
		}
		if err := p.atRest(); err != nil {
			t.Fatal(err)
		}
	}
}

// Losses in a row on a wire that carries long frames shorten the frames for some milliseconds only.
func TestHIPPIOutageShortensNoFramesForLong(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: one goroutine for many frames")
	}
	p := measuredPair(t)
	for _, e := range p.ends {
		e.linkIn.SetConfig(fault.Config{Loss: 1})
	}
	outage := p.now.Add(300 * time.Millisecond)
	p.until(func() bool { p.offer(p.ends[0], 300); return p.now > outage }, time.Second)
	if l := p.ends[0].h.length; l.good != 1 {
		t.Errorf("during the outage frames of %+v", l)
	}
	for _, e := range p.ends {
		e.linkIn.SetConfig(fault.Config{})
	}
	begun := p.now
	for sent := uint64(500); p.ends[0].h.length.good > 0 && sent < 100_000; sent += 500 {
		if err := p.run(sent, time.Minute, func() {}); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("frames are as long as before %v after the outage", p.now.Sub(begun))
	if p.ends[0].h.length.good != 0 || p.now.Sub(begun) > 100*time.Millisecond {
		t.Errorf("%+v %v after the outage", p.ends[0].h.length, p.now.Sub(begun))
	}
}

package path

import (
	"strings"
	"testing"
	"time"

	"uelink/dataplane/fault"
	"uelink/dataplane/model"
	"uelink/hippi"
	"uelink/internal/events"
)

// hippiEvents returns the hippi events so far.
func (e *hippiEnd) hippiEvents() (got []model.Event) {
	for {
		select {
		case e := <-e.events:
			if e.Kind == model.EventHIPPI {
				got = append(got, e)
			}
		default:
			return got
		}
	}
}

// levelOf returns the level of the latest event with a text.
func levelOf(t *testing.T, list []model.Event, text string) (l events.Level) {
	t.Helper()
	found := false
	for _, e := range list {
		if strings.Contains(e.Text, text) {
			l, found = e.Level, true
		}
	}
	if !found {
		t.Errorf("no event %q in %v", text, list)
	}
	return l
}

// The event of a shutdown is an error, and names the reason of this shutdown, none of an earlier one.
func TestHIPPIShutdownNamesItsOwnReason(t *testing.T) {
	inOneGoroutine(t)
	o := hippiDefaults()
	o.settings.HIPPI.Profile.Retries, o.settings.HIPPI.Profile.Credit = 4, 2*time.Second
	o.settings.HIPPI.Recover = 0
	p := readyPair(t, o)
	a, b := p.ends[0], p.ends[1]
	shutdown := func(number uint64) []model.Event {
		t.Helper()
		down := func() bool {
			p.offer(a, 1e6)
			return a.h.End.Counters.Shutdowns == number
		}
		if !p.until(down, 10*time.Second) {
			t.Fatal(p)
		}
		for until := p.now.Add(2 * time.Second); p.now < until; {
			p.round()
		}
		return a.hippiEvents()
	}
	b.linkIn.SetConfig(fault.Config{Loss: 1})
	p.offer(a, 4)
	first := shutdown(1)
	if l := levelOf(t, first, "shut down: 4 retransmissions in a row without success (retries);"); l != events.Error {
		t.Errorf("level %v", l)
	}
	b.linkIn.SetConfig(fault.Config{})
	if err := a.h.Command(hippi.CommandReset, p.now); err != nil || !p.until(p.ready, time.Second) {
		t.Fatal(err, p)
	}
	b.edge.sources[0].device = &held{Device: b.edge.device(), hold: true}
	second := shutdown(2)
	if l := levelOf(t, second, "shut down: VC0 without credit for 2s (credit_timeout)"); l != events.Error {
		t.Errorf("level %v", l)
	}
	if l := levelOf(t, second, "were lost (tx_lost_at_reset, rx_lost_at_reset)"); l != events.Error {
		t.Errorf("level %v", l)
	}
}

// A signal that goes away is a warning, and its return is none.
func TestHIPPISignalEvents(t *testing.T) {
	p := readyPair(t, hippiDefaults())
	a := p.ends[0]
	p.round()
	if l := levelOf(t, a.hippiEvents(), "Normal"); l != events.Info {
		t.Errorf("Normal: level %v", l)
	}
	a.linkIn.SetConfig(fault.Config{Loss: 1})
	for until := p.now.Add(2 * time.Second); p.now < until; {
		p.round()
	}
	if l := levelOf(t, a.hippiEvents(), "no signal"); l != events.Warning {
		t.Errorf("no signal: level %v", l)
	}
}

// A link that replaces another, because its settings need a new one, continues the counters. It reports nothing that
// the other has reported.
func TestHIPPIReplacementReportsNothingAgain(t *testing.T) {
	inOneGoroutine(t)
	p := readyPair(t, hippiDefaults())
	a := p.ends[0]
	if err := a.h.Command(hippi.CommandReset, p.now); err != nil || !p.until(p.ready, time.Second) {
		t.Fatal(err, p)
	}
	a.h.End.Counters.Shutdowns, a.h.End.Events.RetryFailureError = 1, 1
	for until := p.now.Add(2 * time.Second); p.now < until; {
		p.round()
	}
	a.hippiEvents()
	resets := a.h.End.Counters.LinkResets
	next := NewHIPPI(p.o.settings, Identity{Nonce: [2]byte{77}}, p.now)
	a.x.Detach(&a.h.Port, p.now)
	a.x.Exchange(&a.h.Port, &next.Port)
	a.h = next
	a.x.report(a.hub, p.now)
	if got := a.hippiEvents(); len(got) > 0 || next.End.Counters.LinkResets != resets || next.End.Counters.Shutdowns != 1 {
		t.Errorf("%v, %+v", got, next.End.Counters)
	}
}

package fault

import (
	"strings"
	"testing"
	"time"

	"uelink/dataplane/fault/netem"
)

// words returns the configuration of netem's words.
func words(t *testing.T, text string) Config {
	t.Helper()
	s, err := netem.Parse(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return Config{Netem: &s, Seed: 5}
}

// The counters of a wire by netem's words are what is seen at its end, and every chunk comes back.
func TestNetemCountersAreWhatIsSeen(t *testing.T) {
	for _, text := range []string{
		"loss 10% duplicate 10%",
		"loss 5% 25% delay 1ms 500us distribution normal duplicate 5%",
		"delay 1ms reorder 25% gap 5",
		"loss gemodel 2% 20% corrupt 10% delay 10us",
		"rate 100mbit limit 20",
		"loss 10% ecn slot 500us packets 3 delay 1ms 500us",
	} {
		t.Run(text, func(t *testing.T) {
			b := newBench(t, words(t, text))
			var numbers []uint64
			for range 300 {
				b.send(10)
				for range 2 { // 16 frames each, that leave or arrive
					got, _ := b.take(false)
					numbers = append(numbers, got...)
				}
				b.now = b.now.Add(500 * time.Microsecond)
			}
			numbers = append(numbers, b.drain()...)
			times, late, highest := map[uint64]int{}, uint64(0), uint64(0)
			for _, n := range numbers {
				if n < highest {
					late++
				}
				highest = max(highest, n)
				times[n]++
			}
			twice := uint64(0)
			for _, n := range times {
				twice += uint64(n - 1)
			}
			c := b.dev.Counters()
			if strings.Contains(text, "corrupt") { // damaged numbers are others
				late, twice = c.Reordered, c.Duplicated
			}
			want := Counters{Forwarded: uint64(len(numbers)), Dropped: c.Dropped, Corrupted: c.Corrupted, Duplicated: twice,
				Reordered: c.Reordered, Overrun: c.Overrun}
			if c != want || c.Forwarded+c.Dropped+c.Overrun-c.Duplicated != b.sent || c.Reordered < late {
				t.Errorf("counted %+v\nseen    %+v, %d late", c, want, late)
			}
			b.allFree()
		})
	}
}

// A change of the wire leaves the frames that are on it.
func TestFramesStayWhenNetemEnds(t *testing.T) {
	b := newBench(t, words(t, "delay 5ms"))
	b.send(5)
	b.take(false)
	b.dev.SetConfig(Config{})
	b.send(1)
	if got, _ := b.take(false); len(got) != 1 || got[0] != 5 {
		t.Errorf("frames %v came at once", got)
	}
	if got := b.drain(); len(got) != 5 || b.now.Sub(0) < 5*time.Millisecond {
		t.Errorf("frames %v came after %v", got, b.now.Sub(0))
	}
}

func TestNetemStandsForAllOtherFaults(t *testing.T) {
	c := words(t, "loss 1%")
	c.Loss = 0.1
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "netem cannot be combined with other faults") {
		t.Error(err)
	}
}

// RX queues of one interface share its rate.
func TestRateIsShared(t *testing.T) {
	c := Config{RateBPS: 512_000} // 64 octets each millisecond
	a, b := newBench(t, c), newBench(t, c)
	b.dev.ShareRate(a.dev)
	a.send(10)
	b.send(10)
	a.take(false)
	b.take(false)
	if got := b.drain(); len(got) != 10 || b.now.Sub(0) != 20*time.Millisecond {
		t.Errorf("%d frames, the last after %v", len(got), b.now.Sub(0))
	}
}

func TestQueueIsBounded(t *testing.T) {
	b := newBench(t, Config{RateBPS: 512_000, Queue: 10})
	b.send(40)
	for range 4 {
		b.take(false)
	}
	b.drain()
	if c := b.dev.Counters(); c != (Counters{Forwarded: 10, Overrun: 30}) {
		t.Errorf("counted %+v", c)
	}
}

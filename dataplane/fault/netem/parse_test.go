package netem

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

// noFile is the file function of tests without distribution files.
func noFile(name string) ([]int16, error) {
	if name == "mine" {
		return []int16{-1, 0, 1}, nil
	}
	return nil, errors.New("no such file")
}

func percent(p float64) Share { return ShareOf(p / 100) }

func TestParse(t *testing.T) {
	normal, _ := Distribution("normal")
	for text, want := range map[string]Spec{
		"":                     {},
		"limit 10":             {Limit: 10},
		"loss 1%":              {Loss: Loss{Random: Chance{P: percent(1)}}},
		"loss 1":               {Loss: Loss{Random: Chance{P: percent(1)}}},
		"drop 1% 25%":          {Loss: Loss{Random: Chance{percent(1), percent(25)}}},
		"loss random 0.5% 10%": {Loss: Loss{Random: Chance{percent(0.5), percent(10)}}},
		"loss gemodel 1%":      {Loss: Loss{Model: GilbertElliott, P: percent(1), R: All - percent(1)}},
		"loss gemodel 1% 10% 70% 0.1%": {Loss: Loss{Model: GilbertElliott, P: percent(1), R: percent(10),
			H: All - percent(70), K: percent(0.1)}},
		"loss gemodel 1% 10%": {Loss: Loss{Model: GilbertElliott, P: percent(1), R: percent(10)}},
		"loss state 1%":       {Loss: Loss{Model: FourStates, P13: percent(1), P31: All - percent(1), P23: All}},
		"loss state 1% 20% 3% 40% 5%": {Loss: Loss{Model: FourStates, P13: percent(1), P31: percent(20), P32: percent(3),
			P23: percent(40), P14: percent(5)}},
		"delay 10":        {Latency: 10 * time.Microsecond},
		"delay 10ms 3ms":  {Latency: 10 * time.Millisecond, Jitter: 3 * time.Millisecond},
		"latency 1.5MSEC": {Latency: 1500 * time.Microsecond},
		"d 1s 5000ns 25%": {Latency: time.Second, Jitter: 5 * time.Microsecond, DelayCorrelation: percent(25)},
		"delay 10ms 3ms distribution normal": {Latency: 10 * time.Millisecond, Jitter: 3 * time.Millisecond,
			Distribution: "normal", Table: normal},
		"delay 10ms 3ms distribution mine": {Latency: 10 * time.Millisecond, Jitter: 3 * time.Millisecond,
			Distribution: "mine", Table: []int16{-1, 0, 1}},
		"delay 1ms reorder 25% 50%":   {Latency: time.Millisecond, Reorder: Chance{percent(25), percent(50)}, Gap: 1},
		"delay 1ms reorder 25% gap 5": {Latency: time.Millisecond, Reorder: Chance{P: percent(25)}, Gap: 5},
		"duplicate 1% 2%":             {Duplicate: Chance{percent(1), percent(2)}},
		"dup 1%":                      {Duplicate: Chance{P: percent(1)}},
		"corrupt 0.1%":                {Corrupt: Chance{P: percent(0.1)}},
		"rate 100mbit":                {Rate: Rate{BPS: 100_000_000}},
		"rate 1MBps 20 100 -5":        {Rate: Rate{BPS: 8_000_000, PacketOverhead: 20, CellSize: 100, CellOverhead: -5}},
		"rate 64kibit -14":            {Rate: Rate{BPS: 65536, PacketOverhead: -14}},
		"seed 7":                      {Seed: 7, Seeded: true},
		"loss 1% ecn":                 {Loss: Loss{Random: Chance{P: percent(1)}}, ECN: true},
		"slot 1ms":                    {Slot: Slot{Least: time.Millisecond, Most: time.Millisecond}},
		"slot 800us 1ms packets 42 bytes 64kb": {Slot: Slot{Least: 800 * time.Microsecond, Most: time.Millisecond, Frames: 42,
			Octets: 64 << 10}},
		"slot distribution normal 1ms 300us p 3 seed 7": {Slot: Slot{Delay: time.Millisecond, Jitter: 300 * time.Microsecond,
			Distribution: "normal", Table: normal, Frames: 3}, Seed: 7, Seeded: true},
		"tc qdisc add dev eth0 root netem loss 1%": {Loss: Loss{Random: Chance{P: percent(1)}}},
	} {
		if want.Limit == 0 {
			want.Limit = DefaultLimit
		}
		if got, err := Parse(text, noFile); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

func TestParseTellsThePosition(t *testing.T) {
	for text, want := range map[string]string{
		"loss":                     `at position 5, behind the last word: the share of lost frames is missing`,
		"loss 1x%":                 `"1x%" at position 6: not a percentage`,
		"loss 101%":                `"101%" at position 6: not a percentage`,
		"loss -1%":                 `"-1%" at position 6: neither a share nor one of random, gemodel, state`,
		"loss NaN":                 `"NaN" at position 6`,
		"loss 1% loss 2%":          `"loss" at position 9: loss was given before`,
		"loss 1% 2% 3%":            `"3%" at position 12: not an option of netem`,
		"delay":                    `at position 6, behind the last word: the delay is missing`,
		"delay 10m":                `"10m" at position 7: not a time, such as 10ms`,
		"delay ms":                 `"ms" at position 7: not a time`,
		"delay 11s":                `"11s" at position 7: more than 10s`,
		"delay -1ms":               `"-1ms" at position 7: not a time`,
		"loss 1%  wibble":          `"wibble" at position 10: not an option of netem; the options are: limit, latency`,
		"reorder 25%":              `"reorder" at position 1: reorder needs a delay`,
		"delay 1ms gap 5":          `"gap" at position 11: a gap needs reorder`,
		"delay 1ms distribution x": `"x" at position 24: none of uniform, normal, pareto, paretonormal, and no file: no such`,
		"distribution normal":      `"distribution" at position 1: a distribution needs a delay and a jitter`,
		"distribution":             `the name of the distribution of times (such as normal) is missing`,
		"rate 1":                   `"1" at position 6: not a rate, such as 100mbit`,
		"rate 10furlong":           `"10furlong" at position 6: not a rate`,
		"rate 1mbit 99999999":      `"99999999" at position 12: not a whole number`,
		"limit 0":                  `"0" at position 7: not a whole number from 1`,
		"seed -1":                  `"-1" at position 6: not an integer from 0 to 2^64-1`,
		"corrupt":                  `the share of damaged frames is missing`,
		"gap":                      `the gap is missing`,
		"loss state":               `p13 is missing`,
		"loss gemodel":             `p is missing`,
		"loss random":              `the share of lost frames is missing`,
		"delay 1ms 1ms 200%":       `"200%" at position 15: not a percentage`,
		"\u00e9tat loss 1%":        "\"\u00e9tat\" at position 1: not an option",
		"loss 1e999%":              `"1e999%" at position 6`,
		"delay 1e":                 `"1e" at position 7`,

		"slot":                           `at position 5, behind the last word: the time between two slots for sending (or distribution) is missing`,
		"slot x":                         `"x" at position 6: neither a time nor distribution`,
		"slot 2ms 1ms":                   `"1ms" at position 10: the longest time between two slots for sending is less than the shortest, 2ms`,
		"slot distribution normal 1ms 0": `"0" at position 30: a distribution needs a jitter`,
		"slot distribution x":            `"x" at position 19: none of uniform`,
		"slot 1ms packets x":             `"x" at position 18: not a whole number from 0`,
		"slot 1ms bytes 1x":              `"1x" at position 16: not a size, such as 64kb`,
		"slot 1ms bytes 5 packets 1":     `"packets" at position 18: not an option of netem`,
		"delay 1ms ecn":                  `"ecn" at position 11: ecn needs a loss`,
	} {
		_, err := Parse(text, noFile)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Any text is refused with a position inside it, or gives options that a Model and a Queue take.
func FuzzParse(f *testing.F) {
	f.Add("loss 1% 25% delay 10ms 3ms 25% distribution normal reorder 25% 50% gap 5 duplicate 1% corrupt 0.1% rate 1mbit")
	f.Add("loss state 1% 2% 3% 4% 5% limit 7 rate 1kbps 1 2 3")
	f.Add("loss 5% ecn slot 1ms 2ms packets 3 bytes 1kb delay 1ms slot distribution pareto 1ms 1ms")
	f.Add("loss gemodel 1% 2% 3% 4% seed 1")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text, noFile)
		var syntax *SyntaxError
		if errors.As(err, &syntax) {
			if syntax.Position < 1 || syntax.Position > len(text)+1 {
				t.Errorf("position %d of %d octets", syntax.Position, len(text))
			}
			return
		}
		m, q := NewModel(s, 1), NewQueue[int](s, 1, 10)
		for i := range 20 {
			fate := m.Next(i%2 == 0)
			for _, c := range fate.Copies[:fate.N] {
				q.Put(i, 60, c, 0)
			}
		}
		for q.Len() > 0 {
			now := q.Next()
			if _, _, ok := q.Take(now); !ok && q.Next() <= now {
				t.Fatal("a frame whose time has come stays")
			}
		}
	})
}

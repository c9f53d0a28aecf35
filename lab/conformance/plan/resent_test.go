package plan

import (
	"slices"
	"testing"
	"time"
)

// A replay of the timer begins with the first frame; a copy of the last frame alone is none, and the timer runs on.
func TestResent(t *testing.T) {
	const timer = 40 * time.Millisecond
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	for name, c := range map[string]struct {
		sent   string // numbers as letters, in order
		at     []int  // ms
		waits  []time.Duration
		probes int
		astray int
	}{
		"two replays":                 {"abcabab", []int{0, 0, 0, 40, 40, 80, 80}, []time.Duration{ms(40), ms(40)}, 0, 0},
		"a probe before":              {"abccab", []int{0, 0, 0, 11, 40, 40}, []time.Duration{ms(40)}, 1, 0},
		"a replay of all":             {"abcabc", []int{0, 0, 0, 40, 40, 40}, []time.Duration{ms(40)}, 0, 0},
		"the last frame twice":        {"abccc", []int{0, 0, 0, 11, 40}, []time.Duration{ms(40)}, 1, 1},
		"a replay from the second on": {"abcbc", []int{0, 0, 0, 40, 40}, []time.Duration{ms(40)}, 0, 1},
		"one frame":                   {"aaa", []int{0, 40, 80}, []time.Duration{ms(40), ms(40)}, 0, 0},
		"nothing is sent":             {"", nil, nil, 0, 0},
	} {
		earlier := map[rune]bool{}
		var sent []seen
		for i, letter := range c.sent {
			f := seen{at: time.Unix(0, int64(ms(c.at[i]))), out: true, data: true, seq: uint32(letter),
				repeated: earlier[letter]}
			earlier[letter] = true
			sent = append(sent, f)
		}
		r := resentOf(sent, timer)
		if !slices.Equal(r.waits, c.waits) || r.probes != c.probes || r.astray != c.astray {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

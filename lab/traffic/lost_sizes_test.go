package traffic

import (
	"slices"
	"strings"
	"testing"
	"time"

	"uelink/wire"
)

// What a wire with too small an MTU loses is named by its length, and so is the cause. What it loses by chance is named
// by length alone.
func TestLostSizesAreNamed(t *testing.T) {
	for _, c := range []struct {
		name, size string
		loses      func(i, octets int) bool
		text       []string
		not        string
	}{
		{"an MTU", imix, func(_, n int) bool { return n > 600 },
			[]string{"A -> B: no frame of 1514 octets arrived: an MTU on the way is too small. A link needs 14 octets more"},
			"lost frames of"},
		{"an MTU, of every size", sweep, func(_, n int) bool { return n > 1486 },
			[]string{"A -> B: no frame of 1487 to 1514 octets arrived"}, "lost frames"},
		{"one of ten", imix, func(i, _ int) bool { return i%10 == 0 }, []string{"A -> B: lost frames of 60 octets (",
			" 590 octets ("}, "an MTU"},
		{"an MTU, and one of ten", imix, func(i, n int) bool { return i%10 == 0 || n > 600 },
			[]string{"no frame of 1514 octets arrived", "lost frames of 60 octets (", "590 octets ("}, "1514 octets ("},
		{"one of ten, of every size", sweep, func(i, _ int) bool { return i%10 == 0 }, []string{"A -> B: lost frames of 60 to "},
			"an MTU"},
		{"short ones", imix, func(_, n int) bool { return n < 100 }, []string{"lost frames of 60 octets ("}, "an MTU"},
		{"none", imix, func(int, int) bool { return false }, nil, "A -> B"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := testConfig()
			config.Size, config.LossTimeout, config.Spin = c.size, 10*time.Millisecond, time.Hour
			w := newFaultyWire(t, func(direction, i int, octets []byte) [][]byte {
				if direction == 0 && c.loses(i, len(octets)) {
					return nil
				}
				return [][]byte{octets}
			})
			e := w.engine(config)
			e.clock = func() wire.Time {
				w.turn()
				return w.now
			}
			r, err := e.run(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			text := r.text()
			for _, said := range c.text {
				if !strings.Contains(text, said) {
					t.Errorf("it does not say %q: %q", said, text)
				}
			}
			if strings.Contains(text, c.not) || strings.Contains(text, "B -> A") {
				t.Errorf("it says %q", text)
			}
			lost := uint64(0)
			for _, s := range r.Directions[0].LostSizes {
				lost += s.Lost
			}
			if lost != r.Directions[0].Lost {
				t.Errorf("%d were lost, by size %d", r.Directions[0].Lost, lost)
			}
		})
	}
}

// A few of the longest that are lost may have been lost by chance. Where nothing arrived, no length is to blame.
func TestTooFewToBlameAnMTU(t *testing.T) {
	few := Direction{Delivered: 100, LostSizes: []LostSize{{1514, byChance - 1, byChance - 1}}, longest: 1514}
	none := Direction{LostSizes: []LostSize{{60, 100, 100}}, longest: 60}
	longer := Direction{Delivered: 100, LostSizes: []LostSize{{590, 100, 100}}, longest: 1514}
	all := Direction{Delivered: 100, LostSizes: []LostSize{{590, 100, 1}, {1500, 4, 4}, {1514, 4, 4}}, longest: 1514}
	if few.tooLong() != nil || none.tooLong() != nil || longer.tooLong() != nil {
		t.Errorf("%v, %v, %v", few.tooLong(), none.tooLong(), longer.tooLong())
	}
	if !slices.Equal(all.tooLong(), all.LostSizes[1:]) {
		t.Errorf("%v", all.tooLong())
	}
}

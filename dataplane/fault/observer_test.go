package fault

import (
	"encoding/binary"
	"testing"
	"time"

	"uelink/dataplane/fault/rule"
	"uelink/wire"
)

// sightings counts what an observer sees, by the number in the frame.
type sightings struct{ arrived, lost, left map[uint64]int }

func (s *sightings) Arrived(_ int, octets []byte, _ wire.Time) { s.arrived[number(octets)]++ }
func (s *sightings) Lost(_ int, octets []byte, _ wire.Time)    { s.lost[number(octets)]++ }
func (s *sightings) Left(_ int, octets []byte, _ wire.Time)    { s.left[number(octets)]++ }

func number(octets []byte) uint64 { return binary.BigEndian.Uint64(octets) }

func observed(b *bench) *sightings {
	s := &sightings{map[uint64]int{}, map[uint64]int{}, map[uint64]int{}}
	b.dev.SetObserver(s, 1)
	return s
}

// Every frame that arrives is lost or leaves, by rules and by chance.
func TestObserver(t *testing.T) {
	b := newBench(t, Config{Loss: 0.1, Duplicate: 0.1, Reorder: 0.1, Seed: 5})
	w := rule.New(rule.Settings{Names: [2]string{"a", "b"}})
	for _, text := range []string{"every=10 drop", "every=7 hold=1ms", "every=9 duplicate"} {
		r, err := rule.Parse(text, [2]string{"a", "b"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Add(r, 0); err != nil {
			t.Fatal(err)
		}
	}
	b.dev.SetRules(w, 1, 2)
	s := observed(b)
	left := map[uint64]int{}
	for range 100 {
		b.send(8)
		for range 4 {
			got, _ := b.take(false)
			for _, n := range got {
				left[n]++
			}
			b.now = b.now.Add(time.Millisecond)
		}
	}
	c := b.dev.Counters()
	lost := uint64(0)
	for n := range b.sent {
		lost += uint64(s.lost[n])
		if s.arrived[n] != 1 || s.left[n] != left[n] || s.left[n]+s.lost[n] == 0 {
			t.Errorf("frame %d: arrived %d, lost %d, left %d, want %d", n, s.arrived[n], s.lost[n], s.left[n], left[n])
		}
	}
	if lost != c.Dropped+c.Overrun || c.Dropped == 0 || c.Made == 0 || c.Duplicated == 0 {
		t.Errorf("%d lost, counters %+v", lost, c)
	}
}

// Frames that find the line full are lost, too.
func TestObserverOfAFullLine(t *testing.T) {
	b := newBench(t, Config{Delay: time.Second, Queue: 4})
	s := observed(b)
	b.send(10)
	b.take(false)
	b.take(false)
	if len(s.lost) != 6 || len(s.left) != 0 {
		t.Errorf("%d lost, %d left", len(s.lost), len(s.left))
	}
}

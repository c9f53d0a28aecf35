package bridge

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Nothing that a frame goes through allocates, whatever becomes of it.
func TestFramesDoNotAllocate(t *testing.T) {
	s := guarded()
	s.VLANFiltering, s.MaxEntries, s.Ageing, s.BlockTime = true, 30, 5*time.Millisecond, time.Millisecond
	member := PortSettings{PVID: 1, Tagged: vids(10), Broadcast: 10, Unknown: 1000}
	l := newLab(t, s, member, member, PortSettings{PVID: 10, Isolated: true}, PortSettings{PVID: 10, Isolated: true})
	r := rand.New(rand.NewPCG(1, 2))
	rests := [][]byte{octets(t, "0800"), octets(t, "8100 A000 0800"), octets(t, "8100 600A 0800"), octets(t, "8808")}
	frame, events, left := make([]byte, 12), make([]Event, 0, eventsKept), 0
	one := func() {
		l.now += 20_000
		copy(frame, []byte{2, 0, 0, 0, 0, byte(r.IntN(100)), 2, 0, 0, 0, 0, byte(r.IntN(100))})
		if r.IntN(10) == 0 {
			copy(frame, everybody[:])
		}
		in := r.IntN(5)
		v := l.Decide(in, frame, rests[r.IntN(len(rests))], l.now)
		if l.Admit(in, frame, &v, l.now) {
			for _, out := range l.Members(&v) {
				if _, ok := l.Egress(in, int(out), &v); ok {
					left++
				}
			}
		}
		l.Poll(l.now)
		events = l.Events(events[:0])
	}
	if n := testing.AllocsPerRun(20_000, one); n != 0 {
		t.Errorf("%v allocations", n)
	}
	c := l.Counters()
	if left == 0 || c.FDBFull == 0 || c.FDBMoves == 0 || c.FDBAged == 0 || c.FDBFlapping == 0 {
		t.Errorf("too little has happened: %d left, %+v", left, c)
	}
}

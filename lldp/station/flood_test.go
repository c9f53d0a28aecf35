package station_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"time"

	"uelink/lldp"
	"uelink/lldp/lldptest"
)

// cpu is how long the thread that the agents run on has worked.
func (r *running) cpu(t *testing.T) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/schedstat", r.thread))
	must(t, err)
	var worked, waited, slices int64
	_, err = fmt.Sscan(string(text), &worked, &waited, &slices)
	must(t, err)
	return time.Duration(worked)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A flood of 100,000 frames a second of stations that never were: the neighbour
// that was there stays, memory stays, and when it is over nothing is left to do.
func TestFlood(t *testing.T) {
	const frames, perMillisecond = 300_000, 100
	w := newWorld(t)
	c := on("right")
	c.Ports[0].Timers = lldp.Timers{TxInterval: 1, TxHold: 4, FastTx: 1, TxFastInit: 4, ReinitDelay: 2, TxCreditMax: 5}
	a := start(t, w.a, on("left"))
	start(t, w.b, c)
	a.expect(t, "neighbor_added")
	in, rng := newInjector(t, w.b, "right"), rand.New(rand.NewPCG(1, 2))
	pool := make([][]byte, 20_000)
	for i := range pool {
		pool[i] = lldptest.Stranger(rng, 65535)
	}
	measure := func(word string, f func()) {
		began, worked := time.Now(), a.cpu(t)
		f()
		took := time.Since(began)
		t.Logf("%s: %v, the agents worked %.2f %% of it, heap %d KiB", word, took.Round(time.Millisecond),
			100*float64(a.cpu(t)-worked)/float64(took), heap()>>10)
	}
	measure("before", func() { time.Sleep(time.Second) })
	before := heap()
	measure("during", func() {
		began := time.Now()
		for i := range frames {
			f := pool[i%len(pool)]
			binary.BigEndian.PutUint32(f[18:], uint32(i)) // another chassis id each time
			in.send(t, f)
			if i%perMillisecond == 0 {
				time.Sleep(time.Until(began.Add(time.Duration(i/perMillisecond) * time.Millisecond)))
			}
		}
	})
	measure("after", func() { time.Sleep(time.Second) })
	if after := heap(); after > before+1<<20 {
		t.Errorf("the heap grew from %d to %d octets", before, after)
	}
	s := a.Statistics()[0]
	t.Logf("%d frames taken, %d dropped by the socket, %d neighbours had no room", s.Rx.TotalFrames,
		s.SocketDrops, s.Remote.Drops)
	n := a.Neighbors()
	if len(n) != lldp.DefaultMaxNeighbors || string(n[0].Info.SystemName) != "host-right" || s.Remote.Deletes != 0 {
		t.Errorf("%d neighbours, the first is %q, %+v", len(n), n[0].Info.SystemName, s.Remote)
	}
	if s.Remote.Drops == 0 || !a.Interfaces()[0].TooManyNeighbors {
		t.Errorf("no flood: %+v", s.Remote)
	}
}

// A flood of new and leaving stations: the number of events is limited.
func TestFloodOfComingAndGoing(t *testing.T) {
	w := newWorld(t)
	a := start(t, w.a, on("left"))
	a.waitUp(t)
	in, rng := newInjector(t, w.b, "right"), rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		f := lldptest.Stranger(rng, 100)
		in.send(t, f)
		ttl := 14 + 2 + 7 + 2 + 9 + 2 // in the frame
		f[ttl], f[ttl+1] = 0, 0
		in.send(t, f)
	}
	eventually(t, "the flood is over", func() bool {
		s := a.Statistics()[0]
		return s.Rx.TotalFrames+s.SocketDrops >= 40_000
	})
	s := a.Statistics()[0]
	t.Logf("%d inserts, %d deletes, %d events suppressed, %d dropped by the socket", s.Remote.Inserts, s.Remote.Deletes,
		s.EventsSuppressed, s.SocketDrops)
	if s.EventsSuppressed == 0 || s.Tx.TotalFrames > 20 {
		t.Errorf("%+v", s)
	}
}

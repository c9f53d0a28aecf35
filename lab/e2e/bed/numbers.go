package bed

import (
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/lab/bench/kernel"
)

// Numbers is a stream of numbered frames between hostA and hostB, in both directions, sent and checked in the kernel:
// at a high rate they cost a tenth of the CPU time of Load.
type Numbers struct {
	t    testing.TB
	ways [2]numbersWay
}

// numbersWay is one direction of Numbers: load counts the arrivals, and source sends since the time began.
type numbersWay struct {
	name   string
	load   *kernel.Load
	source *kernel.Source
	began  time.Time
}

// numbersOctets is the length of the frames of Numbers.
const numbersOctets = 254

// Numbers sends numbered frames between hostA and hostB in the background until End, at a rate in frames a second each
// way, and returns when frames have arrived at both hosts.
func (top *Topology) Numbers(t testing.TB, rate float64) *Numbers {
	t.Helper()
	n := &Numbers{t: t}
	hosts := [2]*netns.NS{top.HostA, top.HostB}
	// A veth takes frames sent by XDP only if its other end has an XDP program, so both hosts get one before any frame.
	for i, at := range hosts {
		index, err := at.Ifindex("eth0")
		Must(t, err)
		load, err := kernel.New(kernel.Config{Ifindex: index})
		Must(t, err)
		n.ways[i] = numbersWay{name: []string{"hostA to hostB", "hostB to hostA"}[i], load: load}
		t.Cleanup(func() { Must(t, load.Close()) })
		Must(t, load.Check(hosts[1-i], "eth0"))
	}
	for i := range n.ways {
		w := &n.ways[i]
		frame := kernel.Frame(numbersOctets)
		frame[5], frame[11] = byte(2-i), byte(1+i) // the two hosts
		var err error
		w.began = time.Now()
		w.source, err = w.load.Number(hosts[i], frame, rate)
		Must(t, err)
	}
	t.Cleanup(n.stop)
	Eventually(t, "numbered frames both ways", func() string {
		for i := range n.ways {
			if n.ways[i].arrived(t).Frames == 0 {
				return n.ways[i].name + ": none"
			}
		}
		return ""
	})
	return n
}

// arrived returns the counts of the frames of one direction at its receiver.
func (w *numbersWay) arrived(t testing.TB) kernel.Arrivals {
	t.Helper()
	a, err := w.load.Arrived()
	Must(t, err)
	return a
}

// NewSpan begins the time in which Gap looks for the longest pause.
func (n *Numbers) NewSpan() {
	n.t.Helper()
	for _, w := range n.ways {
		Must(n.t, w.load.NewSpan())
	}
}

// Gap returns the longest time between two deliveries in either direction since NewSpan.
func (n *Numbers) Gap() (longest time.Duration) {
	n.t.Helper()
	for i := range n.ways {
		longest = max(longest, n.ways[i].arrived(n.t).Gap)
	}
	return longest
}

// SetRate changes the rate, in frames a second each way.
func (n *Numbers) SetRate(rate float64) {
	for i := range n.ways {
		n.ways[i].source.SetRate(rate)
	}
}

// Waiting returns how many frames of the direction with the most were sent and have not arrived.
func (n *Numbers) Waiting() (frames uint64) {
	n.t.Helper()
	for i := range n.ways {
		w := &n.ways[i]
		next := w.arrived(n.t).Next // read first: frames sent between the two readings count as waiting
		sent, err := w.load.Numbered()
		Must(n.t, err)
		frames = max(frames, sent-next)
	}
	return frames
}

// stop ends the sending of both directions, if it has not ended yet.
func (n *Numbers) stop() {
	for i := range n.ways {
		if s := n.ways[i].source; s != nil {
			n.ways[i].source = nil
			Must(n.t, s.Stop())
		}
	}
}

// End ends the sending, and reports an error of the test unless each frame has arrived once, in order and unchanged. It
// logs the numbers and the rates.
func (n *Numbers) End() {
	n.t.Helper()
	n.stop()
	for i := range n.ways {
		w := &n.ways[i]
		took := time.Since(w.began)
		sent, err := w.load.Numbered()
		Must(n.t, err)
		for deadline := time.Now().Add(Resumption); time.Now().Before(deadline) && w.arrived(n.t).Next < sent; {
			time.Sleep(time.Millisecond)
		}
		a := w.arrived(n.t)
		n.t.Logf("%s: %d frames in %v, %.0f a second: %d lost, %d twice or out of order, %d damaged", w.name, sent,
			took.Round(time.Millisecond), float64(sent)/took.Seconds(), a.Missing, a.Behind, a.Damaged)
		if a.Missing+a.Behind+a.Damaged > 0 || a.Frames != sent {
			n.t.Errorf("%s: %d frames were sent: %+v", w.name, sent, a)
		}
	}
}

package dataplane

import (
	"io"
	"math"
	"runtime"
	"testing"

	"uelink/dataplane/model"
	"uelink/dataplane/pcap"
)

// A watch goes on when the sockets are opened anew, and does not keep the memory of the taps of before.
func TestWatchOfSocketsThatAreOpenedAnew(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	w, err := l.a.WatchFrames("ea")
	l.must(err)
	c := pcap.New(discard{io.Discard}, "watch", math.MaxInt64)
	w.Begin(c, 1)
	before := live()
	const times = 16
	for range times {
		l.a.mu.Lock()
		g, a := l.a.find("ea")
		renewed := g.renew(a, func() error { return a.host.reopen(a.geometry()) })
		l.a.mu.Unlock()
		if !renewed {
			t.Fatal("the sockets are not opened anew")
		}
	}
	l.send(20)
	l.whole()
	l.eventually("the frames in the capture", func() bool { return c.Counts().Frames == 20 })
	if more := int(live()-before) / times; more > 256<<10 {
		t.Errorf("%d octets more each time", more)
	}
	w.Stop()
	l.must(c.Close())
}

// discard is a reader of a watch who takes every frame.
type discard struct{ io.Writer }

// Close does nothing.
func (discard) Close() error { return nil }

// live is the octets of memory that are in use.
func live() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

package bridge

import (
	"math"
	"testing"
	"time"

	"uelink/wire"
)

func TestLimitOfEachClass(t *testing.T) {
	group := [6]byte{1, 0, 0x5E, 0, 0, 1}
	for _, c := range []struct {
		name   string
		port   PortSettings
		da     [6]byte
		reason string
	}{
		{"broadcast", PortSettings{Broadcast: 5}, everybody, "broadcast limit"},
		{"unknown", PortSettings{Unknown: 5}, host(99), "limit of frames to unknown addresses"},
		{"multicast", PortSettings{Multicast: 5}, group, "multicast limit"},
	} {
		l := newLab(t, plain(), c.port, PortSettings{})
		l.send(1, host(50), everybody)
		for range 5 {
			l.want(c.name, l.send(0, host(1), c.da), "1")
		}
		l.want(c.name+" beyond the limit", l.send(0, host(2), c.da), c.reason)
		l.wantAt(host(2), 0, -1) // nothing is learned from what is too much
		for _, other := range [][6]byte{everybody, host(99), group, host(50)} {
			if other != c.da {
				l.want("another class", l.send(0, host(1), other), "1")
			}
		}
		l.want("from another port", l.send(1, host(3), c.da), "0")
		l.now += second / 5
		l.want(c.name+" after a while", l.send(0, host(1), c.da), "1")
		l.want(c.name+" and no more", l.send(0, host(1), c.da), c.reason)
	}
}

// passed is how many of the frames that come at even intervals for a second get through after
// the burst.
func passed(b *bucket, start wire.Time, every time.Duration) (n int) {
	for now := start; now < start+second; now = now.Add(every) {
		if b.take(now) {
			n++
		}
	}
	return n
}

func TestBucketKeepsTheRate(t *testing.T) {
	for _, c := range []struct {
		rate  uint32
		burst int
	}{
		{1, 1}, {5, 5}, {8, 8}, {100, 8}, {400, 8}, {1000, 20}, {10_000, 200}, {1_000_000, 20_000},
		{math.MaxUint32, math.MaxUint32 / 50},
	} {
		b := newBucket(c.rate)
		n := 0
		for n <= 100_000 && b.take(1) {
			n++
		}
		if n != min(c.burst, 100_001) {
			t.Errorf("rate %d: %d at once, want %d", c.rate, n, c.burst)
		}
		if c.rate > 10_000 {
			continue
		}
		if got := passed(&b, 1+second/wire.Time(c.rate), second/10_000/4); got != int(c.rate) {
			t.Errorf("rate %d: %d in a second", c.rate, got)
		}
	}
}

func TestBucketWithoutALimit(t *testing.T) {
	b := newBucket(0)
	for range 1000 {
		if !b.take(0) {
			t.Fatal("limited")
		}
	}
}

// Time that jumps neither fills a bucket beyond its burst nor blocks it for ever.
func TestBucketAndTime(t *testing.T) {
	b := newBucket(math.MaxUint32)
	for _, now := range []wire.Time{0, wire.Never, 0, wire.Never, 5} {
		if !b.take(now) || b.tokens > b.capacity() || b.tokens < 0 {
			t.Errorf("at %d: %d billionths of a token", now, b.tokens)
		}
	}
}

// A limit that does not change is not filled up by SetPort.
func TestSetPortKeepsWhatALimitHas(t *testing.T) {
	limited := PortSettings{Learning: true, Broadcast: 1}
	l := newLab(t, plain(), limited, PortSettings{})
	l.want("the first", l.send(0, host(1), everybody), "1")
	for range 3 {
		_ = l.SetPort(0, limited)
		l.want("the next", l.send(0, host(1), everybody), "broadcast limit")
	}
	limited.Broadcast = 2
	_ = l.SetPort(0, limited)
	l.want("with another limit", l.send(0, host(1), everybody), "1")
}

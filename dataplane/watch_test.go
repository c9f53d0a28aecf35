package dataplane

import (
	"context"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"uelink/dataplane/model"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

// churn changes an interface until the kernel has no room left for what it has to tell of that.
func (b networkBed) churn() {
	b.t.Helper()
	for n := range 2000 {
		b.must(netlink.LinkSetMTU(b.link("far"), 1400+n%2))
	}
}

// A subscription that the kernel has ended, for there was too much to tell, is followed by another.
func TestSubscriptionThatOverruns(t *testing.T) {
	b := newHostBed(t)
	var c linkChanges
	for range 2 {
		b.must(c.subscribe())
		b.churn()
		overran := time.After(10 * time.Second)
		for open := true; open; {
			select {
			case _, open = <-c.changed:
			case <-overran:
				t.Fatal("it has not ended")
			}
		}
		c.end()
		c.end()
	}
	b.must(c.subscribe())
	defer c.end()
	b.must(netlink.LinkSetMTU(b.link("far"), 1300))
	select {
	case _, open := <-c.changed:
		if !open {
			t.Error("it has ended")
		}
	case <-time.After(10 * time.Second):
		t.Error("nothing is told")
	}
	c.drain()
}

// The data plane says that it has missed changes, and is told of those that come after.
func TestWatchSubscribesAgain(t *testing.T) {
	ns := nstest.New(t, "watch")
	b := networkBed{t}
	b.must(netns.Veth(ns, "near", ns, "far", 1500))
	core, logs := observer.New(zap.WarnLevel)
	d := &Dataplane{log: zap.New(core), hub: &model.Hub{}}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- ns.Do(func() error { return d.watch(ctx) }) }()
	for late := time.Now().Add(10 * time.Second); logs.Len() == 0 && time.Now().Before(late); {
		d.mu.Lock() // so the watch stands still, and what the kernel tells piles up
		b.must(ns.Do(func() error { b.churn(); return nil }))
		d.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
	stop()
	if err := <-ended; err != nil || logs.Len() == 0 {
		t.Errorf("%v, %d warnings", err, logs.Len())
	}
}

package traffic

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cilium/ebpf/link"

	"uelink/bpf"
	"uelink/dataplane/frame"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/wire"
)

// betweenVeths is a run over a plain veth between two namespaces.
func betweenVeths(t *testing.T) (c Config, left, right *netns.NS) {
	t.Helper()
	a, b := nstest.New(t, "a"), nstest.New(t, "b")
	if err := netns.Veth(a, "left", b, "right", 1500); err != nil {
		t.Fatal(err)
	}
	c = DefaultConfig()
	c.From, c.To = End{Interface: "left", NetNS: a.Name()}, End{Interface: "right", NetNS: b.Name()}
	return c, a, b
}

// linkOf is the number of the bpf_link that holds the program on an interface.
func linkOf(t *testing.T, ns *netns.NS, ifname string) link.ID {
	t.Helper()
	a, err := ns.Link(ifname)
	if err != nil {
		t.Fatal(err)
	}
	all := new(link.Iterator)
	defer all.Close()
	for all.Next() {
		info, err := all.Link.Info()
		if err == nil && a.Xdp != nil && uint32(info.Program) == a.Xdp.ProgId {
			return info.ID
		}
	}
	t.Fatalf("no bpf_link holds a program on %s: %v", ifname, all.Err())
	return 0
}

// replacePrograms replaces the programs at both ends the given number of times, each time by a program with other
// settings and the same sockets.
func replacePrograms(ends [2]*attached, times int) error {
	for n := range times {
		for _, end := range ends {
			program := end.owned.Program().(*bpf.Program)
			if err := program.Reconfigure(bpf.Config{Link: n%2 == 0, EtherTypeData: 0x9001}); err != nil {
				return err
			}
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

// While frames cross as fast as they can, the programs at both ends are replaced again and
// again. The window keeps the rings from overrunning, so that not one frame may be missing.
// The links stay.
func TestNothingIsLostWhileProgramsAreReplaced(t *testing.T) {
	c, left, right := betweenVeths(t)
	c.Size, c.Frames = "60", 0
	ends, err := c.open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := closeAll(ends); err != nil {
			t.Error(err)
		}
	}()
	links := func() string { return fmt.Sprint(linkOf(t, left, "left"), linkOf(t, right, "right")) }
	before, start := links(), time.Now()
	devices := [2][]frame.Device{ends[0].devices, ends[1].devices}
	e, err := newEngine(c, devices, 1500, func() wire.Time { return wire.Time(time.Since(start)) })
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	replaced := make(chan error)
	go func() {
		err := replacePrograms(ends, 30)
		stop()
		replaced <- err
	}()
	r, err := e.run(ctx, nil)
	if err := errors.Join(err, <-replaced); err != nil {
		t.Fatal(err)
	}
	for _, d := range r.Directions {
		if !d.Clean() || d.Delivered == 0 || d.EdgeOverrun != 0 {
			t.Errorf("%+v", d)
		}
		t.Logf("%s -> %s: %d frames", d.From, d.To, d.Delivered)
	}
	if after := links(); after != before {
		t.Errorf("links %s, before they were %s", after, before)
	}
}

// A run that is over, and one that could not begin, leave both ends as they were.
func TestEndsArePutBack(t *testing.T) {
	c, left, right := betweenVeths(t)
	c.Frames = 100
	state := func() string {
		a, errA := left.Link("left")
		b, errB := right.Link("right")
		if err := errors.Join(errA, errB); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(a.MTU, a.Promisc, a.Xdp, b.MTU, b.Promisc, b.Xdp)
	}
	before := state()
	if _, err := Run(context.Background(), c, nil); err != nil {
		t.Fatal(err)
	}
	if after := state(); after != before {
		t.Errorf("after a run: %s, before it was %s", after, before)
	}
	c.To.Interface = "none"
	if _, err := Run(context.Background(), c, nil); err == nil {
		t.Error("a run with one end began")
	}
	if after := state(); after != before {
		t.Errorf("after a run that did not begin: %s, before it was %s", after, before)
	}
}

package traffic_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/traffic"
)

// vethConfig is a run over a plain veth between two namespaces.
func vethConfig(t *testing.T) traffic.Config {
	t.Helper()
	a, b := nstest.New(t, "a"), nstest.New(t, "b")
	if err := netns.Veth(a, "left", b, "right", 1500); err != nil {
		t.Fatal(err)
	}
	c := traffic.DefaultConfig()
	c.From = traffic.End{Interface: "left", NetNS: a.Name()}
	c.To = traffic.End{Interface: "right", NetNS: b.Name()}
	return c
}

func run(t *testing.T, c traffic.Config) traffic.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := traffic.Run(ctx, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestVethCarriesEverySizeAndTag(t *testing.T) {
	c := vethConfig(t)
	c.Size, c.Frames = "sweep", 10*1455
	for _, c.VLANs = range [][]uint16{nil, {100}, {100, 200}} {
		r := run(t, c)
		if !r.Clean() || r.Directions[0].Delivered != c.Frames || r.Directions[1].Delivered != c.Frames {
			t.Errorf("VLANs %v: %+v", c.VLANs, r)
		}
	}
}

func TestVethClosedLoopNeverOverruns(t *testing.T) {
	c := vethConfig(t)
	c.Size, c.Frames = "60", 300_000
	r := run(t, c)
	for _, d := range r.Directions {
		if !d.Clean() || d.EdgeOverrun != 0 || d.Delivered != c.Frames {
			t.Errorf("%+v", d)
		}
		t.Logf("%s -> %s: %d frames/s, p50 %.0f us, p99.9 %.0f us", d.From, d.To, d.PPS, d.Latency.P50, d.Latency.P999)
	}
}

func TestVethAtARateForADuration(t *testing.T) {
	c := vethConfig(t)
	c.Rate, c.Duration, c.Frames = 10_000, 300*time.Millisecond, 0
	r := run(t, c)
	for _, d := range r.Directions {
		if d.Sent == 0 || d.Sent > 3000 || d.Lost > 0 && d.EdgeOverrun == 0 {
			t.Errorf("%+v", d)
		}
	}
}

func TestInterfaceIsFreeAgainAfterARun(t *testing.T) {
	c := vethConfig(t)
	c.Frames = 100
	for range 3 {
		run(t, c)
	}
}

func TestWhatCannotBeOpenedIsNamed(t *testing.T) {
	good := vethConfig(t)
	for name, change := range map[string]func(c *traffic.Config){
		"right@":                    func(c *traffic.Config) { c.To.Interface, c.To.NetNS = "right", c.From.NetNS },
		"nothere":                   func(c *traffic.Config) { c.From.Interface = "nothere" },
		"nowhere":                   func(c *traffic.Config) { c.From.NetNS = "nowhere" },
		"lo":                        func(c *traffic.Config) { c.From.Interface = "lo" },
		"frames of 1515 octets":     func(c *traffic.Config) { c.Size = "1515" },
		"frames of 59 octets":       func(c *traffic.Config) { c.Size = "59" },
		`size "big": want a number`: func(c *traffic.Config) { c.Size = "big" },
	} {
		c := good
		change(&c)
		_, err := traffic.Run(context.Background(), c, nil)
		var coded interface{ ExitCode() int }
		if err == nil || !strings.Contains(err.Error(), name) || !errors.As(err, &coded) || coded.ExitCode() != 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r := run(t, good); !r.Clean() { // what failed left nothing behind
		t.Errorf("%+v", r)
	}
}

func TestOccupiedInterfaceIsNamed(t *testing.T) {
	c := vethConfig(t)
	c.Frames, c.Duration = 0, 20*time.Second
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	running, ended := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		_, err := traffic.Run(ctx, c, func(traffic.Progress) {
			select {
			case running <- struct{}{}:
			default:
			}
		})
		ended <- err
	}()
	select {
	case <-running:
	case err := <-ended:
		t.Fatal(err)
	}
	_, err := traffic.Run(ctx, c, nil)
	if err == nil || !strings.Contains(err.Error(), "uelink_steer") {
		t.Errorf("error %v", err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestVethCarriesPrioritiesSideBySide(t *testing.T) {
	c := vethConfig(t)
	c.Size, c.Frames, c.Priorities, c.Window = "imix", 20_000, []uint8{0, 1, 6, 7}, 48
	for _, c.VLANs = range [][]uint16{nil, {100}} {
		r := run(t, c)
		if len(r.Directions) != 8 || !r.Clean() {
			t.Errorf("%d directions: %+v", len(r.Directions), r)
		}
		for i, d := range r.Directions {
			if d.Priority != c.Priorities[i/2] || d.Delivered != c.Frames {
				t.Errorf("direction %d: %+v", i, d)
			}
		}
	}
}

// PFC passes the XDP program and the socket at the other end and pauses the sender: a sink that drains a tenth of the
// offered rate loses nothing.
func TestVethSlowSinkStopsItsSender(t *testing.T) {
	c := vethConfig(t)
	c.Rate, c.Duration, c.Frames, c.Priorities, c.Window = 5000, time.Second, 0, []uint8{0, 3}, 64
	c.SinkRate[3] = 500
	// The sink has room for what the sender sends in 150 ms, and a pause lasts 336 ms: the kernel may deliver frames and
	// pauses of a veth that much later while others have the CPU.
	c.RingSize, c.PFCRate = 4096, 100e6
	r := run(t, c)
	for i, d := range r.Directions {
		t.Logf("%s -> %s, priority %d: sent %d, held back %d, paused %.2f s, %d pauses, %d received", d.From, d.To,
			d.Priority, d.Sent, d.HeldBack, d.PausedSeconds, d.PausesSent, d.PausesReceived)
		if !d.Clean() || d.EdgeOverrun != 0 {
			t.Errorf("%+v", d)
		}
		if slow := i == 2; slow != (d.HeldBack > 0) || slow != (d.PausesReceived > 0) || slow != (d.PausedSeconds > 0) {
			t.Errorf("%+v", d)
		}
	}
}

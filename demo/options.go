package demo

import (
	"fmt"
	"time"

	"uelink/dataplane/fault"
	"uelink/traffic"
	"uelink/wire"
)

// edgeMTU is that of the hosts; the link's is larger by what the shim needs.
const edgeMTU = 1500

// linkWindow is the default window. A lost frame has all that follow it replayed
// (Go-Back-N), so on a bad wire a larger one carries less: at the default faults
// 192 carries half as much as 48.
const linkWindow = 48

// Options is what is to be shown.
type Options struct {
	Fault   fault.Config   // how bad the wire is
	Traffic traffic.Config // what crosses it; the ends are the demo's to set
	VCs     int            // lossless virtual channels, each with a priority of its own; 0 = none
	Stall   int            // one of them that stands still at host B for half of the run; -1 = none
	Dialect string         // layout of the preamble image: "seed" or "ue1"
	Capture string         // directory for a capture of each link port, "" = none
	Daemon  string         // path of uelinkd, "" = beside the running program
	Tool    string         // path of uelink, "" = the running program
}

// DefaultOptions is half a million frames each way over a bad wire.
func DefaultOptions() Options {
	t := traffic.DefaultConfig()
	t.Window = linkWindow
	t.From, t.To = traffic.End{Interface: "eth0", Label: "hostA"}, traffic.End{Interface: "eth0", Label: "hostB"}
	return Options{
		Fault:   fault.Config{Loss: 1e-2, Burst: 1, Corrupt: 1e-3, Duplicate: 1e-3, Reorder: 1e-3, Seed: 1},
		Traffic: t,
		Dialect: wire.DialectSeed.String(), Stall: -1,
	}
}

// channelRate is how many frames a second each virtual channel carries, unless the options say; channelTime is for
// how long, unless they say how many.
const (
	channelRate = 5000
	channelTime = 8 * time.Second
	channelRing = 8192 // of the hosts: nothing is to be lost when a host does not get its core for a while
)

// setChannels makes a flow of each virtual channel, at a fixed rate. frames is how many each
// sends, 0 for as many as channelTime takes.
func (o *Options) setChannels(frames uint64) {
	t := &o.Traffic
	if t.Rate == 0 {
		t.Rate = channelRate
	}
	t.Priorities = nil
	for p := range uint8(o.VCs) {
		t.Priorities = append(t.Priorities, p)
	}
	t.Frames, t.Duration, t.RingSize = 0, channelTime, channelRing
	if frames > 0 {
		t.Duration = time.Duration(float64(frames) / t.Rate * 1e9)
	}
	if o.Stall >= 0 {
		t.Stall = traffic.Stall{Priority: uint8(o.Stall), Begin: t.Duration / 4, Duration: t.Duration / 2}
	}
}

// Validate names the first thing that is wrong, before anything is built.
func (o *Options) Validate() error {
	if err := o.Fault.Validate(); err != nil {
		return err
	}
	if o.Fault.Loss == 1 || o.Fault.Corrupt == 1 {
		return fmt.Errorf("a wire that lets nothing through cannot be mended")
	}
	if o.Dialect != wire.DialectSeed.String() && o.Dialect != wire.DialectUE1.String() {
		return fmt.Errorf("dialect %q: want %q or %q", o.Dialect, wire.DialectSeed, wire.DialectUE1)
	}
	if o.VCs < 0 || o.VCs > wire.Priorities || o.Stall >= max(o.VCs, 0) {
		return fmt.Errorf("%d virtual channels, of which %d stands still: want up to %d, and one of them", o.VCs,
			o.Stall, wire.Priorities)
	}
	if o.Traffic.Frames == 0 && o.VCs == 0 {
		return fmt.Errorf("no frames: at least one is needed")
	}
	t := o.Traffic
	t.From.NetNS, t.To.NetNS = "hostA", "hostB"
	if err := t.Validate(); err != nil {
		return err
	}
	return traffic.CheckSize(t.Size, edgeMTU)
}

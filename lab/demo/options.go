package demo

import (
	"fmt"
	"time"

	"uelink/dataplane/fault"
	"uelink/dataplane/model"
	"uelink/lab/traffic"
	"uelink/wire"
)

// edgeMTU is the MTU of the hosts. The MTU of the link is larger by the shim.
const edgeMTU = 1500

// linkWindow is the default window. After a lost frame, all later frames are replayed (Go-Back-N), so on a bad wire a
// larger window carries less: at the default faults a window of 192 carries half as much as 48.
const linkWindow = 48

// Options is a run of the demo.
type Options struct {
	Fault    fault.Config   // faults of the wire
	Traffic  traffic.Config // traffic; the demo sets its ends
	VCs      int            // lossless virtual channels, each with its own priority; 0 = none
	Stall    int            // number of the channel that stalls at host B for half of the run; -1 = none
	Protocol string         // protocol of the link: "llr" or "hippi6400"
	Dialect  string         // layout of the preamble image: "seed" or "ue1"
	Capture  string         // directory for a capture of each link port, "" = none
	Daemon   string         // path of uelinkd, "" = beside the running program
	Tool     string         // path of uelink, "" = the running program
}

// DefaultOptions returns the options of a run with half a million frames each way over a bad wire.
func DefaultOptions() Options {
	t := traffic.DefaultConfig()
	t.Window = linkWindow
	t.From, t.To = traffic.End{Interface: "eth0", Label: "hostA"}, traffic.End{Interface: "eth0", Label: "hostB"}
	return Options{
		Fault:    fault.Config{Loss: 1e-2, Burst: 1, Corrupt: 1e-3, Duplicate: 1e-3, Reorder: 1e-3, Seed: 1},
		Traffic:  t,
		Protocol: model.LLR.String(), Dialect: wire.DialectSeed.String(), Stall: -1,
	}
}

// Defaults of runs with virtual channels.
const (
	channelRate = 5000            // frames a second of each channel
	channelTime = 8 * time.Second // how long a channel sends, unless the number of frames is given
	channelRing = 8192            // places in a host's ring: many, so that a host without CPU for a while loses nothing
)

// setChannels changes the traffic of the options to a flow for each virtual channel, at a fixed rate and with a
// priority of its own. Each flow sends as long as the given number of frames takes; 0: for channelTime. A stall,
// if wanted, takes the middle half of this time.
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

// Validate returns the first error in the options, before anything is built.
func (o *Options) Validate() error {
	if err := o.Fault.Validate(); err != nil {
		return err
	}
	if o.Fault.Loss == 1 || o.Fault.Corrupt == 1 {
		return fmt.Errorf("the wire loses or damages every frame, so that no link comes up: choose a share below 1")
	}
	if o.Dialect != wire.DialectSeed.String() && o.Dialect != wire.DialectUE1.String() {
		return fmt.Errorf("dialect %q: want %q or %q", o.Dialect, wire.DialectSeed, wire.DialectUE1)
	}
	if o.Protocol != model.LLR.String() && o.Protocol != hippi {
		return fmt.Errorf("protocol %q: want %q or %q", o.Protocol, model.LLR, model.HIPPI6400)
	}
	if o.Protocol == hippi && (o.VCs > hippiChannels || o.Dialect != wire.DialectSeed.String()) {
		return fmt.Errorf("protocol %s allows at most %d virtual channels, and only the dialect %s", hippi, hippiChannels,
			wire.DialectSeed)
	}
	if o.VCs < 0 || o.VCs > wire.Priorities || o.Stall >= max(o.VCs, 0) {
		return fmt.Errorf("%d virtual channels, channel %d stalled: want at most %d channels, and the number of the "+
			"stalled channel below the number of channels", o.VCs, o.Stall, wire.Priorities)
	}
	if o.Traffic.Frames == 0 && o.VCs == 0 {
		return fmt.Errorf("the number of frames is 0: at least one is needed")
	}
	t := o.Traffic
	t.From.NetNS, t.To.NetNS = "hostA", "hostB"
	if err := t.Validate(); err != nil {
		return err
	}
	return traffic.CheckSize(t.Size, edgeMTU)
}

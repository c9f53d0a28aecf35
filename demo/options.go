package demo

import (
	"fmt"

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
	Dialect string         // layout of the preamble image: "seed" or "ue1"
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
		Dialect: wire.DialectSeed.String(),
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
	if o.Traffic.Frames == 0 {
		return fmt.Errorf("no frames: at least one is needed")
	}
	t := o.Traffic
	t.From.NetNS, t.To.NetNS = "hostA", "hostB"
	if err := t.Validate(); err != nil {
		return err
	}
	return traffic.CheckSize(t.Size, edgeMTU)
}

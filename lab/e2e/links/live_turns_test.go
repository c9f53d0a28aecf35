package links

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"uelink/control/api"
	"uelink/dataplane/xsk"
	"uelink/internal/netns/nstest"
	"uelink/lab/conformance"
	"uelink/lab/demo"
	"uelink/lab/e2e/bed"
)

var (
	turnsFrames = flag.Uint64("turns.frames", 10_000, "how many frames TestBothWaysUnderDaemons sends each way")
	turnsAll    = flag.Bool("turns.all", false,
		"TestBothWaysUnderDaemons also has daemons that send large batches alone live, and all conformance cases")
)

// inTurn builds a uelinkd whose frames leave in turn live and by AF_XDP, however few they are.
func inTurn(t *testing.T) (binary string) {
	t.Helper()
	binary = filepath.Join(t.TempDir(), "uelinkd")
	build := exec.Command("go", "build", "-trimpath", "-o", binary, "-ldflags",
		"-X "+reflect.TypeFor[xsk.Socket]().PkgPath()+".alternating=yes", "./cmd/uelinkd")
	build.Dir, build.Env = "../../..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build uelinkd: %v\n%s", err, out)
	}
	return binary
}

// sendsLive returns a program that sets tx_path: live for each port in the daemon's configuration, and then is the
// daemon.
func sendsLive(t *testing.T, daemon string) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "uelinkd-live")
	bed.Must(t, os.WriteFile(program, fmt.Appendf(nil, `#!/bin/sh
for config; do :; done # the last argument
sed -i 's/role: [a-z]*/&, tx_path: live/' "$config" && exec %s "$@"
`, daemon), 0o755))
	return program
}

// leftLive demands that frames have left a port live, and by AF_XDP as well if they leave in turn: at least a
// hundredth each way.
func leftLive(t *testing.T, name, station string, p api.Port) {
	t.Helper()
	live, all := p.Socket.TxLive, p.Counters.TxFrames
	t.Logf("%s: %d of %d frames left %s live", station, live, all, p.Name)
	if live == 0 || name == "in turn" && (live < all/100 || live > all-all/100) {
		t.Errorf("%s, %s: %d of %d frames left live: %s", station, p.Name, live, all, p.TxPathReason)
	}
}

// The demo, frames of every size and the cases of the conformance standard lose no frame over bad wires, and deliver
// none twice, late or changed: neither where all ports send their large batches live, nor where batches of any number
// leave in turn live and by AF_XDP.
func TestBothWaysUnderDaemons(t *testing.T) {
	nstest.New(t, "root") // or skip
	daemons := map[string]string{"in turn": inTurn(t)}
	if *turnsAll {
		daemons["live"] = bed.Program("uelinkd")
	}
	for name, daemon := range daemons {
		program := sendsLive(t, daemon)
		t.Run(name+", demo", func(t *testing.T) { liveDemo(t, name, program) })
		t.Run(name+", sizes", func(t *testing.T) { liveSizes(t, name, daemon) })
		t.Run(name+", conformance", func(t *testing.T) { liveConformance(t, program) })
	}
}

// liveDemo runs the demo with frames of usual sizes.
func liveDemo(t *testing.T, name, program string) {
	o := demo.DefaultOptions()
	o.Daemon, o.Tool = program, bed.Program("uelink")
	c := o.Traffic
	c.Frames, c.Size = *turnsFrames, "imix"
	bed.Must(t, demo.With(t.Context(), o, func(ctx context.Context, b *demo.Bed) error {
		bed.Eventually(t, "live frames of both stations", func() string {
			links, err := b.Links(ctx)
			if err != nil || links[0].TxPath != "live" || links[1].TxPath != "live" {
				return fmt.Sprintf("%s, %s: %v", links[0].TxPathReason, links[1].TxPathReason, err)
			}
			return ""
		})
		r, err := b.Stream(ctx, c)
		if err != nil {
			return err
		}
		for _, d := range r.Directions {
			t.Logf("%s to %s: %+v", d.From, d.To, d)
			if !d.Clean() || d.Delivered != c.Frames {
				t.Errorf("%s to %s: %+v", d.From, d.To, d)
			}
		}
		links, err := b.Links(ctx)
		for i, got := range links {
			leftLive(t, name, "station "+[]string{"A", "B"}[i], got)
		}
		return err
	}))
}

// liveSizes sends frames of every size over a bad wire. The longest are too long to leave live.
func liveSizes(t *testing.T, name, daemon string) {
	const mtu = 3700 // frames of one chunk; live frames have up to 3616 octets
	top := bed.Cabled(t)
	jumbo(top, mtu)
	top.Cable("--loss", "0.01", "--corrupt", "0.001", "--duplicate", "0.001", "--reorder", "0.001")
	s := bed.Settings{Profile: bed.Lossless.Profile, Link: "tx_path: live", Edge: "tx_path: live"}
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", s), B: bed.NewDaemon(t, top.B, "B", s)}
	p.A.Binary, p.B.Binary = daemon, daemon
	p.Start()
	for _, d := range []*bed.Daemon{p.A, p.B} {
		d.SendsBy("live", "")
	}
	c := top.Between()
	c.Size, c.Window = "sweep", 256
	load := bed.NewLoad(t, c)
	for _, d := range []*bed.Daemon{p.A, p.B} {
		d.EdgeSendsBy("live", "")
	}
	load.Reach(load.Least() + *turnsFrames)
	bed.NothingLost(t, load.End())
	for _, d := range []*bed.Daemon{p.A, p.B} {
		leftLive(t, name, d.Name, d.Link())
		leftLive(t, name, d.Name, d.Edge())
	}
	p.NoFlush(t)
}

// liveConformance runs cases of the conformance standard between real daemons.
func liveConformance(t *testing.T, program string) {
	cases, _ := conformance.Pick([]string{"LLR-01"})
	if *turnsAll {
		cases = conformance.Cases()
	}
	programs := conformance.Programs{Daemon: program, Tool: bed.Program("uelink")}
	r, err := conformance.OverVeth(t.Context(), cases, programs)
	bed.Must(t, err)
	if !r.Passed() {
		t.Errorf("%+v", r.Results)
	}
	t.Logf("%d values", len(r.Results))
}

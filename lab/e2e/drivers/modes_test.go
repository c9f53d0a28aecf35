package drivers

import (
	"fmt"
	"runtime"
	"testing"

	"uelink/control/api"
	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

func TestFramesCrossInEveryMode(t *testing.T) {
	for _, c := range []struct {
		name   string
		s      bed.Settings
		mode   string
		opener string // of the link
		path   string // tx_path of the link
	}{
		{"driver", bed.Settings{}, "driver", "native", "live"},
		{"driver, AF_XDP", bed.Settings{Link: "tx_path: af_xdp"}, "driver", "native", "af_xdp"},
		{"driver, asavie", bed.Settings{Link: "opener: asavie"}, "driver", "asavie", "af_xdp"},
		{"driver, live", bed.Settings{Link: "tx_path: live"}, "driver", "native", "live"},
		{"driver, live edges", bed.Settings{Link: "tx_path: live", Edge: "tx_path: live"}, "driver", "native", "live"},
		{"driver, native", bed.Settings{Link: "opener: native", Edge: "opener: native"}, "driver", "native", "live"},
		{"generic, live", bed.Settings{Link: "xdp: generic, tx_path: live", Edge: "xdp: generic"}, "generic", "native", "af_xdp"},
		{"generic, asavie", bed.Settings{Link: "xdp: generic, opener: asavie", Edge: "xdp: generic"}, "generic", "asavie", "af_xdp"},
		{"copy asked for", bed.Settings{Link: "xdp: driver, bind: copy", Edge: "bind: copy"}, "driver", "native", "live"},
		{"dialect ue1, live", bed.Settings{Link: "dialect: ue1, tx_path: live"}, "driver", "native", "live"},
		{"no FCS image", bed.Settings{Link: "fcs: false"}, "driver", "native", "live"},
		{"LLR off", bed.Settings{LLR: "mode: \"off\""}, "driver", "native", "live"},
		{"small rings and chunks, live", bed.Settings{Link: "ring_size: 64, chunk_size: 2048, tx_path: live",
			Edge:    "ring_size: 256, rx_ring_size: 256, chunk_size: 2048",
			Profile: bed.Patient + ", max_outstanding_frames: 32"}, "driver", "native", "live"},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := bed.Direct(t)
			p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", c.s), B: bed.NewDaemon(t, top.B, "B", c.s)}
			p.A.Start()
			p.B.Start()
			p.A.OperStatus("link0", "up")
			p.B.OperStatus("link0", "up")
			if c.s.LLR == "" {
				p.Advance()
			}
			run := top.Between()
			run.Frames, run.Size = 3000, "imix"
			bed.Untouched(t, run)
			for _, port := range []api.Port{p.A.Link(), p.A.Edge()} {
				if port.XDPMode != c.mode || port.BindMode != "copy" {
					t.Errorf("%s: XDP in %s mode, bound in %s mode", port.Name, port.XDPMode, port.BindMode)
				}
			}
			bed.Eventually(t, "the opener and the way of the link", func() string {
				if got := p.A.Link(); got.Opener != c.opener || got.TxPath != c.path {
					return fmt.Sprintf("opened by %s, %s: %s", got.Opener, got.TxPath, got.TxPathReason)
				}
				return ""
			})
		})
	}
}

// tooManyTXQueues makes the driver of a veth refuse XDP: its other end has two TX queues, and it has one RX queue.
func tooManyTXQueues(t *testing.T, ns *netns.NS, other string) {
	t.Helper()
	if runtime.NumCPU() < 2 {
		t.Skip("skipped: a veth has as many queues as there are CPUs, and here is one")
	}
	bed.Channels(t, ns, other, 1, 2)
}

func TestDriverThatRefusesXDPIsFallenBackFrom(t *testing.T) {
	top := bed.Direct(t)
	tooManyTXQueues(t, top.HostA, "eth0")
	tooManyTXQueues(t, top.HostB, "eth0")
	tooManyTXQueues(t, top.A, "link0")
	tooManyTXQueues(t, top.B, "link0")
	p := top.Daemons(bed.Settings{})
	for _, port := range []api.Port{p.A.Edge(), p.A.Link()} {
		if port.XDPMode != "generic" {
			t.Errorf("%s: XDP in %s mode", port.Name, port.XDPMode)
		}
	}
	p.A.AwaitLogLines("generic mode, which is slower", "the driver refused")
	hostA, hostB := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)
	const frames, octets = 2000, bed.EdgeMTU + 14
	for i := range uint32(frames) {
		if i%100 == 0 {
			crossed := i
			bed.Eventually(t, "the frames before", func() string {
				if p.B.Edge().Counters.TxFrames < uint64(crossed) {
					return "they are on their way"
				}
				return ""
			})
		}
		hostA.Send(bed.Probe(i, octets))
	}
	hostB.InOrder(frames, octets)
}

func TestDriverModeThatIsDemandedIsNotFallenBackFrom(t *testing.T) {
	top := bed.Direct(t)
	tooManyTXQueues(t, top.HostA, "eth0")
	a := bed.NewDaemon(t, top.A, "A", bed.Settings{Edge: "xdp: driver"})
	a.Launch()
	a.Refused(3, "port edge0", "driver mode", "queues")
}

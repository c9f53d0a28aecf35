package drivers

import (
	"runtime"
	"testing"

	"uelink/control"
	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

func TestFramesCrossInEveryMode(t *testing.T) {
	reports := func(mode, opener string) func(control.Port) bool {
		return func(s control.Port) bool {
			return s.XDPMode == mode && s.Opener == opener && s.BindMode == "copy"
		}
	}
	for _, c := range []struct {
		name string
		s    bed.Settings
		is   func(control.Port) bool
	}{
		{"driver, asavie", bed.Settings{}, reports("driver", "asavie")},
		{"driver, native", bed.Settings{Link: "opener: native", Edge: "opener: native"}, reports("driver", "native")},
		{"generic, asavie", bed.Settings{Link: "xdp: generic", Edge: "xdp: generic"}, reports("generic", "asavie")},
		{"generic, native", bed.Settings{Link: "xdp: generic, opener: native", Edge: "xdp: generic, opener: native"}, reports("generic", "native")},
		{"copy asked for", bed.Settings{Link: "xdp: driver, bind: copy", Edge: "bind: copy"}, reports("driver", "asavie")},
		{"dialect ue1", bed.Settings{Link: "dialect: ue1"}, reports("driver", "asavie")},
		{"no FCS image", bed.Settings{Link: "fcs: false"}, reports("driver", "asavie")},
		{"LLR off", bed.Settings{LLR: "mode: \"off\""}, reports("driver", "asavie")},
		{"small rings and chunks", bed.Settings{Link: "ring_size: 64, chunk_size: 2048", Edge: "ring_size: 256, rx_ring_size: 256, chunk_size: 2048", Profile: bed.Patient + ", max_outstanding_frames: 32"},
			reports("driver", "asavie")},
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
			run.Frames, run.Size = 10_000, "imix"
			bed.Untouched(t, run)
			for _, port := range []control.Port{p.A.Link(), p.A.Edge()} {
				if !c.is(port) {
					t.Errorf("%s: XDP in %s mode, opened by %s, bound in %s mode", port.Name, port.XDPMode, port.Opener, port.BindMode)
				}
			}
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
	for _, port := range []control.Port{p.A.Edge(), p.A.Link()} {
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

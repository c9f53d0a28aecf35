package e2e

import (
	"runtime"
	"testing"

	"uelink/control"
	"uelink/netns"
)

func TestFramesCrossInEveryMode(t *testing.T) {
	reports := func(mode, opener string) func(control.Port) bool {
		return func(s control.Port) bool {
			return s.XDPMode == mode && s.Opener == opener && s.BindMode == "copy"
		}
	}
	for _, c := range []struct {
		name string
		s    settings
		is   func(control.Port) bool
	}{
		{"driver, asavie", settings{}, reports("driver", "asavie")},
		{"driver, native", settings{link: "opener: native", edge: "opener: native"}, reports("driver", "native")},
		{"generic, asavie", settings{link: "xdp: generic", edge: "xdp: generic"}, reports("generic", "asavie")},
		{"generic, native", settings{link: "xdp: generic, opener: native", edge: "xdp: generic, opener: native"}, reports("generic", "native")},
		{"copy asked for", settings{link: "xdp: driver, bind: copy", edge: "bind: copy"}, reports("driver", "asavie")},
		{"dialect ue1", settings{link: "dialect: ue1"}, reports("driver", "asavie")},
		{"no FCS image", settings{link: "fcs: false"}, reports("driver", "asavie")},
		{"LLR off", settings{llr: "mode: \"off\""}, reports("driver", "asavie")},
		{"small rings and chunks", settings{link: "ring_size: 64, chunk_size: 2048", edge: "ring_size: 256, rx_ring_size: 256, chunk_size: 2048", profile: patient + ", max_outstanding_frames: 32"},
			reports("driver", "asavie")},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := direct(t)
			p := pair{newDaemon(t, top.A, "A", c.s), newDaemon(t, top.B, "B", c.s)}
			p.a.start()
			p.b.start()
			p.a.operStatus("link0", "up")
			p.b.operStatus("link0", "up")
			if c.s.llr == "" {
				p.advance()
			}
			run := top.between()
			run.Frames, run.Size = 10_000, "imix"
			untouched(t, run)
			for _, port := range []control.Port{p.a.link(), p.a.edge()} {
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
	channels(t, ns, other, 1, 2)
}

func TestDriverThatRefusesXDPIsFallenBackFrom(t *testing.T) {
	top := direct(t)
	tooManyTXQueues(t, top.hostA, "eth0")
	tooManyTXQueues(t, top.hostB, "eth0")
	tooManyTXQueues(t, top.A, "link0")
	tooManyTXQueues(t, top.B, "link0")
	p := top.daemons(settings{})
	for _, port := range []control.Port{p.a.edge(), p.a.link()} {
		if port.XDPMode != "generic" {
			t.Errorf("%s: XDP in %s mode", port.Name, port.XDPMode)
		}
	}
	p.a.says("generic mode, which is slower", "the driver refused")
	hostA, hostB := open(t, top.hostA, "eth0", probeType), open(t, top.hostB, "eth0", probeType)
	const frames, octets = 2000, edgeMTU + 14
	for i := range uint32(frames) {
		if i%100 == 0 {
			crossed := i
			eventually(t, "the frames before", func() string {
				if p.b.edge().Counters.TxFrames < uint64(crossed) {
					return "they are on their way"
				}
				return ""
			})
		}
		hostA.send(probe(i, octets))
	}
	hostB.inOrder(frames, octets)
}

func TestDriverModeThatIsDemandedIsNotFallenBackFrom(t *testing.T) {
	top := direct(t)
	tooManyTXQueues(t, top.hostA, "eth0")
	a := newDaemon(t, top.A, "A", settings{edge: "xdp: driver"})
	a.launch()
	a.refused(3, "port edge0", "driver mode", "queues")
}

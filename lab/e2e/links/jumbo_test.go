package links

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"uelink/control/api"
	"uelink/dataplane/xsk"
	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
	"uelink/lab/traffic"
	"uelink/wire"
)

// jumbo gives the edges of a topology an MTU, and the wire what its link needs, whatever its encapsulation. It skips a
// test where a veth takes no frames in several chunks.
func jumbo(top *bed.Topology, mtu int) {
	top.T.Helper()
	if err := xsk.MultiBuffer(); err != nil {
		top.T.Skip(err)
	}
	for _, host := range []*netns.NS{top.HostA, top.HostB} {
		bed.Must(top.T, host.SetMTU("eth0", mtu))
	}
	for _, end := range []*netns.NS{top.A, top.B} {
		bed.Must(top.T, end.SetMTU("edge0", mtu))
	}
	if top.Wire == nil {
		return
	}
	const most = wire.Overhead + wire.AddressesLen
	for _, end := range []*netns.NS{top.A, top.B} {
		bed.Must(top.T, end.SetMTU("link0", mtu+most))
	}
	for _, end := range []string{"a", "b"} {
		bed.Must(top.T, top.Wire.SetMTU(end, mtu+most))
	}
}

// everySize has two frames of every size that the hosts may send, 60 to MTU + 14 octets, cross both ways, and demands
// that each comes once.
func everySize(top *bed.Topology, mtu int) {
	top.T.Helper()
	c := top.Between()
	c.Size, c.Frames, c.Window = "sweep", uint64(2*(mtu+wire.HeaderLen-wire.MinFrameLen+1)), 64
	for _, d := range bed.Untouched(top.T, c).Directions {
		if d.Delivered != c.Frames {
			top.T.Errorf("%s to %s: %d frames of %d", d.From, d.To, d.Delivered, c.Frames)
		}
	}
}

// noneCut demands that no frame of several chunks was dropped at a port.
func noneCut(p bed.Pair) {
	p.A.T.Helper()
	for _, d := range []*bed.Daemon{p.A, p.B} {
		for _, ok := range []api.Port{d.Link(), d.Edge()} {
			if s := ok.Socket; s.RxPiecesTooLong+s.RxPiecesNoPlace+s.TxInvalidDescs > 0 || ok.Fault != "" {
				d.T.Errorf("%s, %s: %+v, %s", d.Name, ok.Name, s, ok.Fault)
			}
		}
	}
}

// Frames of every size that a host with jumbo frames sends, and among them UE's with 4 KiB of
// payload, cross a bad wire both ways, in both encapsulations and by both openers: none is lost, none comes twice.
func TestJumboFramesOfEverySizeCrossABadWire(t *testing.T) {
	for _, c := range []struct {
		mtu  int
		keys string
	}{
		{4200, "opener: asavie"}, {9000, "opener: native"}, {9000, "encapsulation: addressed, opener: asavie"},
		{9000, "chunk_size: 4096, encapsulation: addressed, opener: native"},
	} {
		t.Run(fmt.Sprintf("MTU %d, %s", c.mtu, c.keys), func(t *testing.T) {
			top := bed.Cabled(t)
			jumbo(top, c.mtu)
			bad := top.Cable("--loss", "0.01", "--corrupt", "0.001", "--duplicate", "0.001", "--reorder", "0.001")
			p := top.Daemons(bed.Settings{Profile: bed.Lossless.Profile, Link: c.keys})
			everySize(top, c.mtu)
			noneCut(p) // while the cable's XDP programs keep the links' offloads off
			for _, d := range bad.Pull().Directions {
				if d.Dropped == 0 || d.Corrupted == 0 {
					t.Errorf("the wire from %s was not bad: %+v", d.From, d)
				}
			}
		})
	}
}

// Jumbo frames of every size on some queues of several, in copy mode with every opener, on the link and on the edge.
func TestJumboFramesOnSeveralQueues(t *testing.T) {
	for _, keys := range []string{"opener: asavie, xdp: driver", "opener: native, xdp: driver"} {
		t.Run(keys, func(t *testing.T) {
			top := bed.Queued(t)
			jumbo(top, 9000)
			p := top.Daemons(bed.Settings{
				Profile: bed.Lossless.Profile, Link: "queues: [1, 3], tx_queue: 3, " + keys, Edge: keys,
			})
			p.A.OnQueues(3, 1, 3)
			p.B.OnQueues(3, 1, 3)
			everySize(top, 9000)
			noneCut(p)
		})
	}
}

// When an edge gets jumbo frames while daemons run, the link gets what it needs, and frames of every
// size cross.
func TestMTUGrowsToJumboFrames(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	jumbo(top, 9000)
	for _, d := range []*bed.Daemon{p.A, p.B} {
		bed.Eventually(t, d.Name+": an MTU of 9014", func() string {
			if got := d.Link(); got.MTU != 9000+wire.Overhead || got.OperStatus != "up" {
				return fmt.Sprintf("it is %d, and %s", got.MTU, got.OperStatus)
			}
			return ""
		})
	}
	p.Advance()
	bed.Eventually(t, "frames of 9014 octets", func() string {
		c := top.Between()
		c.Size, c.Frames, c.Window = "9014", 10, 4
		r, err := traffic.Run(t.Context(), c, nil)
		if err != nil || !r.Clean() {
			return fmt.Sprintf("%+v, %v", r.Directions, err)
		}
		return ""
	})
	c := top.Between()
	c.Size, c.Frames, c.Window = "sweep", 9000, 64
	bed.Untouched(t, c)
}

// Jumbo frames that cost more than the limit of a lossless channel: the channel becomes best effort and says what it
// needs, frames of every length cross, and a configuration with such a limit is refused. With a larger one the channel
// is lossless again.
func TestJumboFramesThatCostMoreThanALimit(t *testing.T) {
	top := bed.Direct(t)
	limit := func(credits int) bed.Settings {
		s := bed.Lossless
		s.Link = fmt.Sprintf("cbfc: {mode: static, vcs: [{index: 0, lossless: true, limit: %d}]}", credits)
		return s
	}
	p := top.Daemons(limit(3))
	reported := p.A.Watch()
	both := func(phase string) {
		t.Helper()
		for _, d := range []*bed.Daemon{p.A, p.B} {
			bed.Eventually(t, d.Name+": "+phase, func() string {
				if v := d.VC(0); v.Phase != phase {
					return fmt.Sprintf("%s, %s", v.Phase, v.Note)
				}
				return ""
			})
		}
	}
	both("lossless")
	jumbo(top, 9000)
	both("best_effort")
	const reason = "the partner's limit of 3 credits is less than the 5 that a frame of 9018 octets costs"
	reported.Await("cbfc_vc", reason)
	if v := p.A.VC(0); v.Failure != reason {
		t.Errorf("%+v", v)
	}
	c := top.Between()
	c.Size, c.Frames, c.Window = "sweep", 9000, 64
	bed.Untouched(t, c)

	p.A.Reload(limit(4).Text(p.A.Socket))
	const refused = "port link0: VC 0: 4 credits are too few: by the MTU of the edges a frame has up to 9018 octets, " +
		"which cost 5"
	p.A.AwaitLogLines(refused)
	check := bed.Start(t, top.A, "check", exec.Command(bed.Program("uelinkd"), "--check", "--config", p.A.Config))
	if code := check.Wait(); code != 2 || !strings.Contains(check.Stderr.String(), refused) {
		t.Errorf("--check ended with %d and said %s", code, check.Stderr)
	}
	p.NoFlush(t)
	p.A.Reload(limit(64).Text(p.A.Socket))
	p.B.Reload(limit(64).Text(p.B.Socket))
	both("lossless")
	bed.Untouched(t, c)
}

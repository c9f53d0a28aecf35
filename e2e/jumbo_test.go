package e2e

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"uelink/control"
	"uelink/dataplane/xsk"
	"uelink/netns"
	"uelink/traffic"
	"uelink/wire"
)

// jumbo gives the edges of a topology an MTU, and the wire what its link needs, whatever its encapsulation. It skips a
// test where a veth takes no frames in several chunks.
func (top *topology) jumbo(mtu int) {
	top.t.Helper()
	if err := xsk.MultiBuffer(); err != nil {
		top.t.Skip(err)
	}
	for _, host := range []*netns.NS{top.hostA, top.hostB} {
		must(top.t, host.SetMTU("eth0", mtu))
	}
	for _, end := range []*netns.NS{top.A, top.B} {
		must(top.t, end.SetMTU("edge0", mtu))
	}
	if top.wire == nil {
		return
	}
	const most = wire.Overhead + wire.AddressesLen
	for _, end := range []*netns.NS{top.A, top.B} {
		must(top.t, end.SetMTU("link0", mtu+most))
	}
	for _, end := range []string{"a", "b"} {
		must(top.t, top.wire.SetMTU(end, mtu+most))
	}
}

// everySize has two frames of every size that the hosts may send, 60 to MTU + 14 octets, cross both ways, and demands
// that each comes once.
func (top *topology) everySize(mtu int) {
	top.t.Helper()
	c := top.between()
	c.Size, c.Frames, c.Window = "sweep", uint64(2*(mtu+wire.HeaderLen-wire.MinFrameLen+1)), 64
	for _, d := range untouched(top.t, c).Directions {
		if d.Delivered != c.Frames {
			top.t.Errorf("%s to %s: %d frames of %d", d.From, d.To, d.Delivered, c.Frames)
		}
	}
}

// noneCut demands that no frame of several chunks was dropped at a port.
func (p pair) noneCut() {
	p.a.t.Helper()
	for _, d := range []*daemon{p.a, p.b} {
		for _, is := range []control.Port{d.link(), d.edge()} {
			if s := is.Socket; s.RxPiecesTooLong+s.RxPiecesNoPlace+s.TxInvalidDescs > 0 || is.Fault != "" {
				d.t.Errorf("%s, %s: %+v, %s", d.name, is.Name, s, is.Fault)
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
			top := cabled(t)
			top.jumbo(c.mtu)
			bad := top.cable("--loss", "0.01", "--corrupt", "0.001", "--duplicate", "0.001", "--reorder", "0.001")
			p := top.daemons(settings{profile: lossless.profile, link: c.keys})
			top.everySize(c.mtu)
			for _, d := range bad.pull().Directions {
				if d.Dropped == 0 || d.Corrupted == 0 {
					t.Errorf("the wire from %s was not bad: %+v", d.From, d)
				}
			}
			p.noneCut()
		})
	}
}

// Jumbo frames of every size on some queues of several, in copy mode with every opener, on the link and on the edge.
func TestJumboFramesOnSeveralQueues(t *testing.T) {
	for _, keys := range []string{"opener: asavie, xdp: driver", "opener: native, xdp: driver"} {
		t.Run(keys, func(t *testing.T) {
			top := queued(t)
			top.jumbo(9000)
			p := top.daemons(settings{profile: lossless.profile, link: "queues: [1, 3], tx_queue: 3, " + keys, edge: keys})
			p.a.on(3, 1, 3)
			p.b.on(3, 1, 3)
			top.everySize(9000)
			p.noneCut()
		})
	}
}

// When an edge gets jumbo frames while daemons run, the link gets what it needs, and frames of every
// size cross.
func TestMTUGrowsToJumboFrames(t *testing.T) {
	top := direct(t)
	p := top.daemons(settings{})
	top.jumbo(9000)
	for _, d := range []*daemon{p.a, p.b} {
		eventually(t, d.name+": an MTU of 9014", func() string {
			if is := d.link(); is.MTU != 9000+wire.Overhead || is.OperStatus != "up" {
				return fmt.Sprintf("it is %d, and %s", is.MTU, is.OperStatus)
			}
			return ""
		})
	}
	p.advance()
	eventually(t, "frames of 9014 octets", func() string {
		c := top.between()
		c.Size, c.Frames, c.Window = "9014", 10, 4
		r, err := traffic.Run(t.Context(), c, nil)
		if err != nil || !r.Clean() {
			return fmt.Sprintf("%+v, %v", r.Directions, err)
		}
		return ""
	})
	c := top.between()
	c.Size, c.Frames, c.Window = "sweep", 9000, 64
	untouched(t, c)
}

// Jumbo frames that cost more than the limit of a lossless channel: the channel becomes best effort and says what it
// needs, frames of every length cross, and a configuration with such a limit is refused. With a larger one the channel
// is lossless again.
func TestJumboFramesThatCostMoreThanALimit(t *testing.T) {
	top := direct(t)
	limit := func(credits int) settings {
		s := lossless
		s.link = fmt.Sprintf("cbfc: {mode: static, vcs: [{index: 0, lossless: true, limit: %d}]}", credits)
		return s
	}
	p := top.daemons(limit(3))
	told := p.a.watch()
	both := func(phase string) {
		t.Helper()
		for _, d := range []*daemon{p.a, p.b} {
			eventually(t, d.name+": "+phase, func() string {
				if v := d.vc(0); v.Phase != phase {
					return fmt.Sprintf("%s, %s", v.Phase, v.Note)
				}
				return ""
			})
		}
	}
	both("lossless")
	top.jumbo(9000)
	both("best_effort")
	const why = "the partner's limit of 3 credits is less than the 5 that a frame of 9018 octets costs"
	told.shows("cbfc_vc", why)
	if v := p.a.vc(0); v.Failure != why {
		t.Errorf("%+v", v)
	}
	c := top.between()
	c.Size, c.Frames, c.Window = "sweep", 9000, 64
	untouched(t, c)

	p.a.reload(limit(4).text(p.a.socket))
	const refused = "port link0: VC 0: 4 credits are too few: by the MTU of the edges a frame has up to 9018 octets, " +
		"which cost 5"
	p.a.says(refused)
	check := start(t, top.A, "check", exec.Command(program("uelinkd"), "--check", "--config", p.a.config))
	if code := check.wait(); code != 2 || !strings.Contains(check.stderr.String(), refused) {
		t.Errorf("--check ended with %d and said %s", code, check.stderr)
	}
	p.noFlush(t)
	p.a.reload(limit(64).text(p.a.socket))
	p.b.reload(limit(64).text(p.b.socket))
	both("lossless")
	untouched(t, c)
}

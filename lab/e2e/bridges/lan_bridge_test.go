package bridges

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// TestThreeHostsOnABridgeOfTwoDaemons: two hosts at A and one at B, behind a bad wire, lose nothing.
func TestThreeHostsOnABridgeOfTwoDaemons(t *testing.T) {
	top := bed.Cabled(t)
	hostC := top.Host(top.A, "edge1")
	bad := top.Cable(bed.BadWire...)
	p := top.Bridges(bed.Switching.At("edge0", "edge1"), bed.Switching)

	t.Run("ping", func(t *testing.T) {
		ping := bed.InstalledProgram(t, "ping", "iputils-ping")
		for _, c := range []struct {
			from *netns.NS
			to   string
		}{{top.HostA, bed.AddressB}, {top.HostB, "10.77.0.3"}, {hostC, bed.AddressA}} {
			out := bed.Run(t, c.from, exec.Command(ping, "-n", "-q", "-M", "do", "-s", "1472", "-c", "500", "-i", "0.001", c.to))
			if !strings.Contains(out, "500 packets transmitted, 500 received, 0% packet loss") ||
				strings.Contains(out, "duplicates") {
				t.Errorf("%s to %s: %s", c.from.Name(), c.to, out)
			}
		}
	})
	t.Run("numbered frames", func(t *testing.T) {
		talkers := top.Talkers()
		c := bed.NewTalk(t, talkers...)
		c.EveryPair(talkers...)
		c.Stream(talkers[0], 0, talkers[1:]...)
		c.Start(time.Millisecond)
		c.Reach(1500)
		c.End()
	})
	p.NoFlush(t)
	if r := bad.Pull(); bed.Dropped(r) == 0 {
		t.Errorf("the wire lost nothing: %+v", r)
	}
}

// TestVLANsOfABridge: hosts in VLAN 10 and in VLAN 20 at both ends of a bad wire send without a tag; on the link
// their frames have one.
func TestVLANsOfABridge(t *testing.T) {
	t.Parallel()
	top := bed.Cabled(t)
	top.Host(top.A, "edge1")
	top.Host(top.B, "edge1")
	bad := top.Cable(bed.BadWire...)
	vlans := bed.Switching.At("edge0", "edge1")
	vlans.Bridge = "vlan_filtering: true"
	vlans.Members = map[string]string{"edge0": "pvid: 10", "edge1": "pvid: 20", "link0": "pvid: 0, tagged: [10, 20]"}
	p := top.Bridges(vlans, vlans)

	talkers := top.Talkers()
	ten, twenty := talkers[:2], talkers[2:]
	c := bed.NewTalk(t, talkers...)
	for _, vlan := range [][]*bed.Talker{ten, twenty} {
		c.EveryPair(vlan...)
		c.Stream(vlan[0], 0, vlan[1:]...).DA = bed.Broadcast
	}
	foreign := []*bed.Stream{c.Stream(ten[0], 20), c.Stream(twenty[0], 10)} // tagged as of a VLAN that is not theirs
	for i := range ten {
		s := c.Stream(ten[i], 0)
		s.DA = twenty[1-i].MAC
		foreign = append(foreign, s)
	}
	c.Start(time.Millisecond)
	c.Reach(1500)
	c.End()
	never(c, ten, twenty)
	for _, s := range foreign[:2] {
		for _, at := range talkers {
			if n := c.At(s, at).Frames; n > 0 {
				t.Errorf("%d frames of a VLAN that is not %s's came to %s", n, s.From.Name, at.Name)
			}
		}
	}
	p.NoFlush(t)
	if r := bad.Pull(); bed.Dropped(r) == 0 {
		t.Errorf("the wire lost nothing: %+v", r)
	}
}

// never demands that no frame has crossed between two sets of talkers, neither flooded nor broadcast.
func never(c *bed.Talk, some, others []*bed.Talker) {
	c.T.Helper()
	for _, s := range c.Streams {
		not := some
		if slices.Contains(some, s.From) {
			not = others
		}
		for _, at := range not {
			if n := c.At(s, at).Frames; n > 0 {
				c.T.Errorf("%d frames of %s have come to %s", n, s.From.Name, at.Name)
			}
		}
	}
}

// TestTCPAcrossABridgeDoesNotNoticeABadWire: a TCP connection across two bridges and a bad wire retransmits nothing.
func TestTCPAcrossABridgeDoesNotNoticeABadWire(t *testing.T) {
	bed.RequireProgram(t, "iperf3", "iperf3")
	top := bed.Cabled(t)
	wire := top.Cable()
	p := top.Bridges(bed.Bridging{Settings: bed.BulkSettings}, bed.Bridging{Settings: bed.BulkSettings})
	top.OnlyRealLosses()
	good := top.BothWays(p)
	wire.Pull()
	wire = top.Cable(bed.BadWire...)
	bad := top.BothWays(p)
	if n := bed.Dropped(wire.Pull()); n == 0 {
		t.Error("the bad wire dropped nothing")
	}
	p.NoFlush(t)
	t.Logf("a bad wire leaves %.2f of the throughput from A to B, %.2f from B to A", bad[0]/good[0], bad[1]/good[1])
}

package e2e

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"uelink/netns"
)

// badWire is the flags of a cable that loses one frame in a hundred and damages one in a thousand.
var badWire = []string{"--loss", "0.01", "--corrupt", "0.001"}

// TestThreeHostsOnABridgeOfTwoDaemons: two hosts at A and one at B, behind a bad wire, lose nothing.
func TestThreeHostsOnABridgeOfTwoDaemons(t *testing.T) {
	top := cabled(t)
	hostC := top.host(top.A, "edge1")
	bad := top.cable(badWire...)
	p := top.bridges(switching.at("edge0", "edge1"), switching)

	t.Run("ping", func(t *testing.T) {
		ping := peer(t, "ping", "iputils-ping")
		for _, c := range []struct {
			from *netns.NS
			to   string
		}{{top.hostA, addressB}, {top.hostB, "10.77.0.3"}, {hostC, addressA}} {
			out := say(t, c.from, exec.Command(ping, "-n", "-q", "-M", "do", "-s", "1472", "-c", "500", "-i", "0.001", c.to))
			if !strings.Contains(out, "500 packets transmitted, 500 received, 0% packet loss") ||
				strings.Contains(out, "duplicates") {
				t.Errorf("%s to %s: %s", c.from.Name(), c.to, out)
			}
		}
	})
	t.Run("numbered frames", func(t *testing.T) {
		talkers := top.talkers()
		c := newTalk(t, talkers...)
		c.everyPair(talkers...)
		c.stream(talkers[0], 0, talkers[1:]...)
		c.start(time.Millisecond)
		c.reach(1500)
		c.end()
	})
	p.noFlush(t)
	if r := bad.pull(); dropped(r) == 0 {
		t.Errorf("the wire lost nothing: %+v", r)
	}
}

// TestVLANsOfABridge: hosts in VLAN 10 and in VLAN 20 at both ends of a bad wire send without a tag; on the link
// their frames have one.
func TestVLANsOfABridge(t *testing.T) {
	t.Parallel()
	top := cabled(t)
	top.host(top.A, "edge1")
	top.host(top.B, "edge1")
	bad := top.cable(badWire...)
	vlans := switching.at("edge0", "edge1")
	vlans.bridge = "vlan_filtering: true"
	vlans.members = map[string]string{"edge0": "pvid: 10", "edge1": "pvid: 20", "link0": "pvid: 0, tagged: [10, 20]"}
	p := top.bridges(vlans, vlans)

	talkers := top.talkers()
	ten, twenty := talkers[:2], talkers[2:]
	c := newTalk(t, talkers...)
	for _, vlan := range [][]*talker{ten, twenty} {
		c.everyPair(vlan...)
		c.stream(vlan[0], 0, vlan[1:]...).da = broadcast
	}
	foreign := []*stream{c.stream(ten[0], 20), c.stream(twenty[0], 10)} // tagged as of a VLAN that is not theirs
	for i := range ten {
		s := c.stream(ten[i], 0)
		s.da = twenty[1-i].mac
		foreign = append(foreign, s)
	}
	c.start(time.Millisecond)
	c.reach(1500)
	c.end()
	c.never(ten, twenty)
	for _, s := range foreign[:2] {
		for _, at := range talkers {
			if n := c.at(s, at).frames; n > 0 {
				t.Errorf("%d frames of a VLAN that is not %s's came to %s", n, s.from.name, at.name)
			}
		}
	}
	p.noFlush(t)
	if r := bad.pull(); dropped(r) == 0 {
		t.Errorf("the wire lost nothing: %+v", r)
	}
}

// never demands that no frame has crossed between two sets of talkers, neither flooded nor broadcast.
func (c *talk) never(some, others []*talker) {
	c.t.Helper()
	for _, s := range c.streams {
		not := some
		if slices.Contains(some, s.from) {
			not = others
		}
		for _, at := range not {
			if n := c.at(s, at).frames; n > 0 {
				c.t.Errorf("%d frames of %s have come to %s", n, s.from.name, at.name)
			}
		}
	}
}

// TestTCPAcrossABridgeDoesNotNoticeABadWire: a TCP connection across two bridges and a bad wire retransmits nothing.
func TestTCPAcrossABridgeDoesNotNoticeABadWire(t *testing.T) {
	need(t, "iperf3", "iperf3")
	top := cabled(t)
	wire := top.cable()
	p := top.bridges(bridging{settings: bulkSettings}, bridging{settings: bulkSettings})
	top.onlyRealLosses()
	good := top.bothWays(p)
	wire.pull()
	wire = top.cable(badWire...)
	bad := top.bothWays(p)
	if n := dropped(wire.pull()); n == 0 {
		t.Error("the bad wire dropped nothing")
	}
	p.noFlush(t)
	t.Logf("a bad wire leaves %.2f of the throughput from A to B, %.2f from B to A", bad[0]/good[0], bad[1]/good[1])
}

package e2e

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"uelink/wire"
)

// strictVCs is a link of eight virtual channels, the higher ones first. The priority of a host's VLAN tag selects the
// channel of a frame.
var strictVCs = settings{
	profile: lossless.profile,
	link:    "vcs: 8, qos: {scheduler: {0-7: high_first}}",
	edge:    "qos: {trust: dot1p}",
	top:     "qos: {schedulers: {high_first: {type: strict}}}",
}

// priority returns the control information of a tag of VLAN 5.
func priority(pcp uint16) (tci uint16) { return pcp<<wire.PCPShift | 5 }

// TestPrioritiesOnVirtualChannels: frames of two priorities arrive with their tags, in order within each. Frames that
// waited because the link was down leave by priority.
func TestPrioritiesOnVirtualChannels(t *testing.T) {
	top := direct(t)
	p := top.daemons(strictVCs)
	talkers := top.talkers()
	c := newTalk(t, talkers...)
	for _, pcp := range []uint16{1, 6} {
		c.stream(talkers[0], priority(pcp), talkers[1])
		c.stream(talkers[1], priority(pcp), talkers[0])
	}
	c.start(time.Millisecond)
	c.reach(500)
	c.end()

	const many = 100 // fewer than the slots of B's edge, where no frame waits then
	low, high := c.stream(talkers[0], priority(1), talkers[1]), c.stream(talkers[0], priority(6), talkers[1])
	must(t, top.A.SetLink("link0", false))
	p.a.operStatus("link0", "down")
	c.say(low, many)
	c.say(high, many)
	eventually(t, "all of them wait, each on its channel", func() string {
		waiting := map[float64]any{}
		for _, q := range p.a.queues("link0") {
			waiting[q["queue"].(float64)] = q["queued_frames"]
		}
		return cmp.Diff(map[float64]any{1: float64(many), 6: float64(many)}, waiting)
	})
	must(t, top.A.SetLink("link0", true))
	c.end()
	// The scheduler had chosen its first frame before the others arrived.
	if first, last := c.at(low, talkers[1]).first, c.at(high, talkers[1]).last; last > first+many {
		t.Errorf("a frame of priority 6 came as number %d, the first of priority 1 as number %d", last, first)
	}
	p.a.counted(c.queues(talkers[0]), "link0")
	p.b.counted(c.queues(talkers[0]), "edge0")
	p.b.counted(c.queues(talkers[1]), "link0")
	p.a.counted(c.queues(talkers[1]), "edge0")
	p.noFlush(t)
}

// queues returns the queues of a port as `uelink -o json port` prints them.
func (d *daemon) queues(port string) (list []map[string]any) {
	d.t.Helper()
	for _, q := range d.tool("port", port).succeeds().objects()[0]["queue_stats"].([]any) {
		list = append(list, q.(map[string]any))
	}
	return list
}

// counted demands counts of the queues of a port.
func (d *daemon) counted(want []map[string]any, port string) {
	d.t.Helper()
	got := d.queues(port)
	for _, q := range got {
		delete(q, "watermark_octets") // how many waited at a moment is chance
	}
	if diff := cmp.Diff(want, got); diff != "" {
		d.t.Errorf("%s: queues of %s: %s", d.name, port, diff)
	}
}

// queues returns the counts of the queues of a port that has sent all frames of a talker: each priority has the queue
// of its number.
func (c *talk) queues(from *talker) (list []map[string]any) {
	sent := map[uint16]float64{}
	for _, s := range c.streams {
		if s.from == from {
			sent[s.tci>>wire.PCPShift] += float64(s.sent.Load())
		}
	}
	for _, pcp := range slices.Sorted(maps.Keys(sent)) {
		list = append(list, map[string]any{
			"queue": float64(pcp), "queued_frames": 0.0, "occupancy_octets": 0.0, "queue_octets": 0.0,
			"tx_frames": sent[pcp], "dropped": 0.0,
			"trim_packets": 0.0, "tx_trim_packets": 0.0, "dropped_trim_packets": 0.0,
		})
	}
	return list
}

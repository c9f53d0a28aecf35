package credits

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// strictVCs is a link of eight virtual channels, the higher ones first. The priority of a host's VLAN tag selects the
// channel of a frame.
var strictVCs = bed.Settings{
	Profile: bed.Lossless.Profile,
	Link:    "vcs: 8, qos: {scheduler: {0-7: high_first}}",
	Edge:    "qos: {trust: dot1p}",
	Top:     "qos: {schedulers: {high_first: {type: strict}}}",
}

// priority returns the control information of a tag of VLAN 5.
func priority(pcp uint16) (tci uint16) { return pcp<<wire.PCPShift | 5 }

// TestPrioritiesOnVirtualChannels: frames of two priorities arrive with their tags, in order within each. Frames that
// waited because the link was down leave by priority.
func TestPrioritiesOnVirtualChannels(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(strictVCs)
	talkers := top.Talkers()
	c := bed.NewTalk(t, talkers...)
	for _, pcp := range []uint16{1, 6} {
		c.Stream(talkers[0], priority(pcp), talkers[1])
		c.Stream(talkers[1], priority(pcp), talkers[0])
	}
	c.Start(time.Millisecond)
	c.Reach(500)
	c.End()

	const count = 100 // fewer than the slots of B's edge, where no frame waits then
	low, high := c.Stream(talkers[0], priority(1), talkers[1]), c.Stream(talkers[0], priority(6), talkers[1])
	bed.Must(t, top.A.SetLink("link0", false))
	p.A.OperStatus("link0", "down")
	c.SendNext(low, count)
	c.SendNext(high, count)
	bed.Eventually(t, "all of them wait, each on its channel", func() string {
		waiting := map[float64]any{}
		for _, q := range queuesOf(p.A, "link0") {
			waiting[q["queue"].(float64)] = q["queued_frames"]
		}
		return cmp.Diff(map[float64]any{1: float64(count), 6: float64(count)}, waiting)
	})
	bed.Must(t, top.A.SetLink("link0", true))
	c.End()
	// The scheduler had chosen its first frame before the others arrived.
	if first, last := c.At(low, talkers[1]).First, c.At(high, talkers[1]).Last; last > first+count {
		t.Errorf("a frame of priority 6 came as number %d, the first of priority 1 as number %d", last, first)
	}
	counted(p.A, queueCounts(c, talkers[0]), "link0")
	counted(p.B, queueCounts(c, talkers[0]), "edge0")
	counted(p.B, queueCounts(c, talkers[1]), "link0")
	counted(p.A, queueCounts(c, talkers[1]), "edge0")
	p.NoFlush(t)
}

// queuesOf returns the queues of a port as `uelink -o json port` prints them.
func queuesOf(d *bed.Daemon, port string) (list []map[string]any) {
	d.T.Helper()
	for _, q := range d.Tool("port", port).Succeeds().Objects()[0]["queue_stats"].([]any) {
		list = append(list, q.(map[string]any))
	}
	return list
}

// counted demands counts of the queues of a port.
func counted(d *bed.Daemon, want []map[string]any, port string) {
	d.T.Helper()
	got := queuesOf(d, port)
	for _, q := range got {
		delete(q, "watermark_octets") // how many waited at a moment is chance
	}
	if diff := cmp.Diff(want, got); diff != "" {
		d.T.Errorf("%s: queues of %s: %s", d.Name, port, diff)
	}
}

// queueCounts returns the counts of the queues of a port that has sent all frames of a talker: each priority has the
// queue of its number.
func queueCounts(c *bed.Talk, from *bed.Talker) (list []map[string]any) {
	sent, octets := map[uint16]float64{}, map[uint16]float64{}
	for _, s := range c.Streams {
		if s.From != from {
			continue
		}
		priority := s.TCI >> wire.PCPShift
		sent[priority] += float64(s.Sent.Load())
		for n := range s.Sent.Load() {
			octets[priority] += float64(len(s.Frame(n)))
		}
	}
	for _, pcp := range slices.Sorted(maps.Keys(sent)) {
		list = append(list, map[string]any{
			"queue": float64(pcp), "queued_frames": 0.0, "occupancy_octets": 0.0, "queue_octets": 0.0,
			"tx_frames": sent[pcp], "tx_octets": octets[pcp], "dropped": 0.0, "dropped_octets": 0.0,
			"stopped": false, "closed": false,
			"trim_packets": 0.0, "tx_trim_packets": 0.0, "dropped_trim_packets": 0.0,
		})
	}
	return list
}

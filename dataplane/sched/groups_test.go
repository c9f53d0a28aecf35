package sched

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// queuesOf writes queues as group and weight.
func queuesOf(pairs ...[2]uint8) (queues [priorities]QueueSettings) {
	for i, p := range pairs {
		queues[i] = QueueSettings{Group: p[0], Weight: p[1]}
	}
	return queues
}

func TestQueuesOfPriorityGroups(t *testing.T) {
	one, rest := [2]uint8{levelShare, 1}, [2]uint8{levelRest, 0}
	for name, c := range map[string]struct {
		groups PriorityGroups
		want   [priorities]QueueSettings
	}{
		"one group": {PriorityGroups{Percentage: [8]uint8{100}}, queuesOf(one, one, one, one, one, one, one, one)},
		"two halves, shared by six and by one, and a strict one": {
			PriorityGroups{Group: [8]uint8{3: 3, 7: 15}, Percentage: [8]uint8{0: 50, 3: 50}},
			queuesOf(one, one, one, [2]uint8{levelShare, 6}, one, one, one, [2]uint8{levelStrict + 7, 0})},
		"70 to 30": {
			PriorityGroups{Group: [8]uint8{4: 1, 1, 1, 1}, Percentage: [8]uint8{70, 30}},
			queuesOf([2]uint8{levelShare, 7}, [2]uint8{levelShare, 7}, [2]uint8{levelShare, 7}, [2]uint8{levelShare, 7},
				[2]uint8{levelShare, 3}, [2]uint8{levelShare, 3}, [2]uint8{levelShare, 3}, [2]uint8{levelShare, 3})},
		"strict ones above each other": {
			PriorityGroups{Group: [8]uint8{0: 15, 6: 15}, Percentage: [8]uint8{100}},
			queuesOf([2]uint8{levelStrict, 0}, one, one, one, one, one, [2]uint8{levelStrict + 6, 0}, one)},
		"a group without a share": {
			PriorityGroups{Group: [8]uint8{0: 1}, Percentage: [8]uint8{100, 0}},
			queuesOf(rest, one, one, one, one, one, one, one)},
		"nobody has a share": {PriorityGroups{}, queuesOf(rest, rest, rest, rest, rest, rest, rest, rest)},
		"a reserved group": {
			PriorityGroups{Group: [8]uint8{0: 9}, Percentage: [8]uint8{100}},
			queuesOf(rest, one, one, one, one, one, one, one)},
		"shares too far apart": {
			PriorityGroups{Group: [8]uint8{7: 1}, Percentage: [8]uint8{1, 99}},
			queuesOf(one, one, one, one, one, one, one, [2]uint8{levelShare, maxWeight})},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, c.groups.Queues()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Strict queues are before those with a share, and these before those without. The weights are as the
// shares, to half of a 255th of the largest.
func TestQueuesGoByTheirShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var g PriorityGroups
		for i := range g.Group {
			g.Group[i] = rapid.Uint8Max(15).Draw(t, "group")
			g.Percentage[i] = rapid.Uint8Max(100).Draw(t, "percentage")
		}
		queues := g.Queues()
		largest := 0
		for q := range queues {
			if share(&g, q) > share(&g, largest) {
				largest = q
			}
		}
		for q, queue := range queues {
			switch part := share(&g, q); {
			case g.Group[q] == strict:
				if queue.Group != levelStrict+uint8(q) {
					t.Fatalf("queue %d is not strict: %v", q, queues)
				}
			case part == 0:
				if queue != (QueueSettings{Group: levelRest}) {
					t.Fatalf("queue %d has no share: %v", q, queues)
				}
			default:
				want := part / share(&g, largest)
				got := float64(queue.Weight) / float64(queues[largest].Weight)
				far := math.Abs(want-got) > 0.5001/maxWeight && (queue.Weight > 1 || got < want)
				if queue.Group != levelShare || queue.Weight == 0 || far {
					t.Fatalf("queue %d has %v of the largest share, and weight %v of it: %v", q, want, got, queues)
				}
			}
		}
	})
}

// share is the percentage of a queue.
func share(g *PriorityGroups, queue int) float64 {
	group := g.Group[queue]
	if group >= groups {
		return 0 // reserved, or strict
	}
	n := 0
	for _, other := range g.Group {
		if other == group {
			n++
		}
	}
	return float64(g.Percentage[group]) / float64(n)
}

// A scheduler with such queues serves the strict one first, the halves alike, and the queue
// without a share last.
func TestSchedulerServesPriorityGroups(t *testing.T) {
	g := PriorityGroups{Group: [8]uint8{0, 0, 1, 1, 1, 2, 15, 15}, Percentage: [8]uint8{50, 50, 0}}
	queues := g.Queues()
	var s Settings
	copy(s.Queues[:], queues[:])
	scheduler := New(s)
	serve := func(ready uint32, frames int) (octets [8]int) {
		for range frames {
			q, _ := scheduler.Next(ready)
			scheduler.Sent(q, 1000)
			octets[q] += 1000
		}
		return octets
	}
	if got := serve(0xFF, 100); got[7] != 100_000 {
		t.Errorf("queue 7 is not first: %v", got)
	}
	if got := serve(0x7F, 100); got[6] != 100_000 {
		t.Errorf("queue 6 is not next: %v", got)
	}
	got := serve(0x3F, 60_000)
	a, b := got[0]+got[1], got[2]+got[3]+got[4]
	if got[5] != 0 || a+b != 60_000_000 || a < 29_900_000 || a > 30_100_000 {
		t.Errorf("groups 0 and 1 do not have half each: %v", got)
	}
	if got := serve(1<<5, 10); got[5] != 10_000 {
		t.Errorf("queue 5 gets nothing: %v", got)
	}
}

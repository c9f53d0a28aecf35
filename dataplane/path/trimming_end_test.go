package path

import (
	"testing"
	"time"

	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
)

// What waits trimmed and never leaves is counted as dropped: because the port goes down, the port
// leaves the bridge, or the ingress has gone for too long.
func TestTrimmedThatNeverLeave(t *testing.T) {
	for name, end := range map[string]func(c *congested){
		"carrier": func(c *congested) { c.domains[0].SetUp(c.out, false, c.now) },
		"detached": func(c *congested) {
			c.domains[0].Detach(c.out, c.now)
			c.hosts[2].device.SetGone()
		},
		"ingress gone": func(c *congested) {
			for _, h := range c.hosts[:2] {
				c.domains[0].Detach(h.edge, c.now)
				h.device.SetGone()
			}
			c.now = c.now.Add(3 * time.Second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCongested(t, 6, bridge.Settings{MaxEntries: 16})
			c.hosts[2].stopper.hold = true
			c.offer(100, dscpTrimmable, 500)
			if c.out.Counters.TrimCounters.Waiting() == 0 {
				t.Fatal("no trimmed frame waits")
			}
			end(c)
			c.rounds(4)
			n := c.out.Counters.TrimCounters
			if n.Waiting() != 0 || n.DroppedTrimPackets == 0 || c.domains[0].Trimming.Counters != n {
				t.Errorf("port %+v, switch %+v", n, c.domains[0].Trimming.Counters)
			}
		})
	}
}

// An ingress that comes back gets what it sent across though it had gone: trimmed frames, too.
func TestTrimmedOfAnIngressThatHasGone(t *testing.T) {
	c := newCongested(t, 7, bridge.Settings{MaxEntries: 16})
	c.hosts[2].stopper.hold = true
	c.offer(100, dscpTrimmable, 500)
	waiting := c.out.Counters.TrimCounters.Waiting()
	for _, h := range c.hosts[:2] {
		c.domains[0].Detach(h.edge, c.now)
		h.device.SetGone()
	}
	c.hosts[2].stopper.hold = false
	c.rest()
	if n := c.out.Counters.TrimCounters; waiting == 0 || n.TxTrimPackets < waiting || n.Waiting() != 0 {
		t.Errorf("%d waited; %+v", waiting, n)
	}
}

// Counters that are cleared while trimmed frames wait are right at rest.
func TestClearWhileTrimmedWait(t *testing.T) {
	c := newCongested(t, 8, bridge.Settings{MaxEntries: 16})
	c.hosts[2].stopper.hold = true
	c.offer(100, dscpTrimmable, 500)
	waiting := c.out.Counters.TrimCounters.Waiting()
	c.out.Clear(c.now)
	c.domains[0].Trimming.Counters.Clear()
	want := model.TrimCounters{TrimPackets: waiting}
	q, port := c.out.egress.counters[queueTrimmable], c.out.Counters
	if q != (model.QueueCounters{TrimCounters: want}) || port != (model.PortCounters{TrimCounters: want}) {
		t.Errorf("%d wait: the queue counts %+v, the port %+v", waiting, q, port)
	}
	c.hosts[2].stopper.hold = false
	c.rest()
	if n := c.domains[0].Trimming.Counters; n != (model.TrimCounters{TrimPackets: waiting, TxTrimPackets: waiting}) {
		t.Errorf("%+v", n)
	}
}

// TestTrimmingSimulation: sizes, DSCPs, rates and ports change as each seed has it. Every packet
// that comes is whole or trimmed as it should be, and all accounts are right at every step.
func TestTrimmingSimulation(t *testing.T) {
	inOneGoroutine(t)
	for seed := *simFirst; seed < *simFirst+*simSeeds; seed++ {
		c := newCongested(t, seed, bridge.Settings{MaxEntries: 16, VLANFiltering: seed%2 == 1})
		for range *simFrames {
			dscps := []uint8{dscpTrimmable, dscpTrimmable, dscpOther, dscpControl}
			c.say(c.r.IntN(2), 2, dscps[c.r.IntN(len(dscps))], 80+c.r.IntN(420))
			c.rounds(c.r.IntN(3))
			c.drain()
			c.happens(c.r.IntN(200))
		}
		c.hosts[2].stopper.hold = false
		c.rest()
		if n := c.domains[0].Trimming.Counters; n.Waiting() != 0 {
			c.fail("at rest: %+v", n)
		}
	}
}

// happens is what happens between two frames: mostly nothing.
func (c *congested) happens(kind int) {
	d := c.domains[0]
	switch kind {
	case 0:
		c.hosts[2].stopper.hold = !c.hosts[2].stopper.hold
	case 1:
		rate := uint64(c.r.IntN(3)) * 8_000_000
		c.configure(c.out, func(s *model.PortSettings) { s.Scheduler.Rate, s.Scheduler.Burst = rate, 600 })
	case 2:
		d.ConfigureTrimming(trimTo(64 + c.r.IntN(300)))
	case 3:
		d.SetUp(c.out, false, c.now)
		c.rounds(2)
		d.SetUp(c.out, true, c.now)
	case 4:
		c.out.Clear(c.now)
	}
}

// No frame that is trimmed allocates anything, on its way in or out.
func TestTrimmingDoesNotAllocate(t *testing.T) {
	inOneGoroutine(t)
	c := newCongested(t, 12, bridge.Settings{MaxEntries: 16})
	c.configure(c.out, slow)
	f, d := c.packet(0, 2, dscpTrimmable, 500), c.domains[0]
	cross := func() {
		for range 16 {
			c.hosts[0].host.Send(f)
		}
		d.Step(c.now)
		c.now += 200e3
		for c.hosts[2].host.Recv() != nil {
		}
	}
	for range 100 {
		cross()
	}
	before := d.Trimming.Counters.TxTrimPackets
	if n := testing.AllocsPerRun(500, cross); n != 0 {
		t.Errorf("%v allocations for 16 frames", n)
	}
	if d.Trimming.Counters.TxTrimPackets == before {
		t.Error("nothing was trimmed")
	}
}

package path

import (
	"bytes"
	"testing"

	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
	"uelink/wire"
)

// UE-LINK §6.2: what a full queue cannot take is trimmed, its DSCP is that of trimmed frames, and it goes
// by their queue. Each packet comes whole, trimmed, or was counted as dropped. SAI's counters say
// so at the queue that was full, at its port and at the switch.
func TestFullQueueTrims(t *testing.T) {
	c := newCongested(t, 1, bridge.Settings{MaxEntries: 16})
	c.configure(c.out, slow)
	sent := uint64(c.sent[0] + c.sent[1])
	c.offer(400, dscpTrimmable, 500)
	got := c.rest()
	sent = uint64(c.sent[0]+c.sent[1]) - sent
	whole, trimmed := uint64(0), uint64(0)
	for _, a := range got {
		if a.trimmed {
			trimmed++
		} else {
			whole++
		}
	}
	q, n := c.out.egress.counters[queueTrimmable], c.out.Counters.TrimCounters
	if n.TrimPackets == 0 || n.TrimPackets != n.TxTrimPackets+n.DroppedTrimPackets {
		t.Errorf("%+v", n)
	}
	if q.TrimCounters != n || c.domains[0].Trimming.Counters != n {
		t.Errorf("the queue counted %+v, the port %+v, the switch %+v", q.TrimCounters, n, c.domains[0].Trimming.Counters)
	}
	if trimmed != n.TxTrimPackets || q.Dropped != n.TrimPackets || whole != sent-q.Dropped {
		t.Errorf("of %d packets %d came whole and %d trimmed; %+v", sent, whole, trimmed, q)
	}
	if to := c.out.egress.counters[queueTrimmed]; to.TxFrames != trimmed || to.TrimCounters != (model.TrimCounters{}) {
		t.Errorf("the queue of trimmed frames: %+v", to)
	}
}

// A trimmed packet overtakes whole ones of its class that were sent before it.
func TestTrimmedOvertakesItsClass(t *testing.T) {
	c := newCongested(t, 2, bridge.Settings{MaxEntries: 16})
	c.configure(c.out, slow)
	c.offer(100, dscpTrimmable, 500)
	overtaken := 0
	highest := map[uint8]uint32{}
	for _, a := range c.rest() {
		switch {
		case a.trimmed:
			highest[a.from] = max(highest[a.from], a.number)
		case a.number < highest[a.from]:
			overtaken++
		}
	}
	if overtaken == 0 {
		t.Error("no whole packet came after a trimmed one that was sent later")
	}
}

// What is not trimmable, and what a queue has that did not ask, is dropped and not trimmed.
func TestWhatIsDroppedAsBefore(t *testing.T) {
	inOneGoroutine(t)
	asked := func(queues uint32) func(*model.PortSettings) {
		return func(s *model.PortSettings) { s.Trimming = model.PortTrimming{Queues: queues, DSCP: dscpTrimmed} }
	}
	for name, run := range map[string]func(c *congested){
		"control":        func(c *congested) { c.offer(200, dscpControl, 500) },
		"other":          func(c *congested) { c.offer(200, dscpOther, 500) },
		"trimmed before": func(c *congested) { c.offer(200, dscpTrimmed, 500) },
		"too short":      func(c *congested) { c.offer(1500, dscpTrimmable, 128) },
		"not asked": func(c *congested) {
			c.configure(c.out, asked(^uint32(1<<queueTrimmable)))
			c.offer(200, dscpTrimmable, 500)
		},
		"assured by PFC": func(c *congested) {
			c.assure()
			c.offer(200, dscpTrimmable, 500)
		},
		"no settings": func(c *congested) {
			c.domains[0].ConfigureTrimming(model.TrimmingSettings{})
			c.offer(200, dscpTrimmable, 500)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCongested(t, 3, bridge.Settings{MaxEntries: 16})
			c.configure(c.out, slow)
			c.configure(c.out, asked(^uint32(0)))
			run(c)
			c.restAny()
			dropped := uint64(0)
			for _, q := range c.out.egress.counters {
				dropped += q.Dropped
			}
			if n := c.out.Counters.TrimCounters; n != (model.TrimCounters{}) || dropped == 0 {
				t.Errorf("%+v, %d frames dropped", n, dropped)
			}
		})
	}
}

// assure has the first two hosts be stopped by PFC, which they do not obey.
func (c *congested) assure() {
	for _, h := range c.hosts[:2] {
		c.configure(h.edge, func(s *model.PortSettings) {
			s.PFC = model.PFCSettings{Priorities: 1 << queueTrimmable, XOff: 4, XOn: 1, Headroom: 4, Rate: 1e9}
		})
		h.edge.sources[0].assured.set(h.edge.settings.Reserved())
	}
	c.domains[0].provide()
}

// restAny works the bridge until nothing waits, whatever comes out.
func (c *congested) restAny() {
	c.t.Helper()
	for c.domains[0].Held() > 0 {
		for c.hosts[2].host.Recv() != nil {
		}
		c.rounds(1)
	}
}

// An eighth of the chunks of an ingress is for trimmed frames: whole ones leave it, in whichever
// queue, and trimmed ones get it.
func TestAnEighthIsKeptForTrimmed(t *testing.T) {
	c := newCongested(t, 4, bridge.Settings{MaxEntries: 16})
	c.hosts[2].stopper.hold = true
	s := c.hosts[0].edge.sources[0]
	if s.trimmedRoom != lanRing/keptForTrimmed {
		t.Fatalf("%d chunks are kept of %d", s.trimmedRoom, lanRing)
	}
	for range 3 * lanRing { // more than fill the TX ring, every queue, and the ring of the ingress
		for _, dscp := range []uint8{dscpOther, 24, 32, 40, 48} {
			c.say(0, 2, dscp, 500)
			c.rounds(1)
		}
	}
	if s.waiting > s.spare-s.trimmedRoom || s.waiting < s.spare/2 {
		t.Fatalf("%d chunks wait of %d", s.waiting, s.spare)
	}
	for range lanRing {
		c.say(0, 2, dscpTrimmable, 500)
		c.rounds(1)
	}
	n := c.out.Counters.TrimCounters
	if n.Waiting() == 0 || n.DroppedTrimPackets == 0 || s.waiting <= s.spare-s.trimmedRoom || s.waiting > s.spare {
		t.Errorf("%+v; %d chunks wait of %d", n, s.waiting, s.spare)
	}
	c.hosts[2].stopper.hold = false
	c.rest()
}

// The queue of trimmed frames is bounded by the room that is left, too: where it stands still, an ingress has room for
// the trimmed frames of other ports.
func TestTrimmedFramesLeaveRoomToOtherPorts(t *testing.T) {
	c := newCongested(t, 13, bridge.Settings{MaxEntries: 16})
	c.configure(c.hosts[1].edge, func(s *model.PortSettings) { s.Trimming = c.asked(2) })
	c.hosts[1].stopper.hold, c.hosts[2].stopper.hold = true, true
	s := c.hosts[0].edge.sources[0]
	for range 3 * lanRing {
		c.say(0, 2, dscpTrimmable, 500)
		c.rounds(1)
	}
	q := c.out.egress.queues[queueTrimmed].length
	if room := s.roomTrimmed(); c.out.Counters.DroppedTrimPackets == 0 || room == 0 || q < shareOfRoom*room ||
		q > shareOfRoom*(room+1) {
		t.Errorf("%d trimmed frames wait, with room for %d more; %+v", q, room, c.out.Counters.TrimCounters)
	}
	for range 3 * lanRing {
		c.say(0, 1, dscpTrimmable, 500)
		c.rounds(1)
	}
	if n := c.hosts[1].edge.Counters.TrimCounters; n.Waiting() == 0 {
		t.Errorf("none waits for the other port: %+v", n)
	}
	c.hosts[1].stopper.hold, c.hosts[2].stopper.hold = false, false
	c.restAny()
}

// A port with a dscp_value of its own gives it to what it trims, so that the receiver learns where that was.
func TestTrimmedFramesHaveTheDSCPOfTheirPort(t *testing.T) {
	inOneGoroutine(t)
	for _, own := range []uint8{dscpTrimmed, 18, 0, 63} {
		c := newCongested(t, 12, bridge.Settings{MaxEntries: 16})
		c.configure(c.out, slow)
		c.configure(c.out, func(s *model.PortSettings) { s.Trimming.DSCP = own })
		c.offer(100, dscpTrimmable, 500)
		seen := map[uint8]int{}
		for c.domains[0].Held() > 0 {
			for f := c.hosts[2].host.Recv(); f != nil; f = c.hosts[2].host.Recv() {
				if wire.EtherType(f) == 0x0800 && headerSum(f[14:34]) == 0xFFFF {
					seen[f[15]>>2]++
				}
			}
			c.rounds(1)
		}
		if seen[own] == 0 || len(seen) != 2 {
			t.Errorf("DSCP %d of the port: packets by DSCP %v", own, seen)
		}
	}
}

// Where no port asks for trimming, nothing is kept.
func TestNothingIsKeptInVain(t *testing.T) {
	c := newCongested(t, 5, bridge.Settings{MaxEntries: 16})
	c.configure(c.out, func(s *model.PortSettings) { s.Trimming = model.PortTrimming{} })
	for _, s := range c.domains[0].sources {
		if s.trimmedRoom != 0 || s.room() != s.spare {
			t.Errorf("%d of %d chunks are kept", s.trimmedRoom, s.spare)
		}
	}
}

// A flooded packet that is trimmed on the way to one host comes whole to the other: both share its
// chunk.
func TestFloodIsTrimmedAtOnePort(t *testing.T) {
	c := newCongested(t, 9, bridge.Settings{MaxEntries: 16})
	c.configure(c.out, slow)
	whole, trimmed := 0, 0
	for range 300 {
		f := c.packet(0, 2, dscpTrimmable, 500)
		f[5] = 0xEE // nobody's
		if c.hosts[0].host.Send(f) {
			c.sent[0]++
		}
		c.rounds(1)
		for got := c.hosts[1].host.Recv(); got != nil; got = c.hosts[1].host.Recv() {
			if a, err := arrived(got); err != nil || a.trimmed {
				t.Fatalf("%+v, %v: %x", a, err, got)
			}
			whole++
		}
	}
	for _, a := range c.rest() {
		if a.trimmed {
			trimmed++
		}
	}
	if whole == 0 || trimmed == 0 {
		t.Errorf("%d came whole to the one host, %d trimmed to the other", whole, trimmed)
	}
}

// A frame of a VLAN that is trimmed leaves as it would whole, but for the trimming: the edit of its
// tag is done, too.
func TestTrimmedWithItsTag(t *testing.T) {
	c := newCongested(t, 10, bridge.Settings{MaxEntries: 16})
	settings := trimTo(128)
	f := c.packet(0, 2, dscpTrimmable, 500)
	for tags := range 3 {
		for _, retag := range []wire.Retag{
			{}, {Op: wire.RetagPush, TCI: 0x6064}, {Op: wire.RetagPop}, {Op: wire.RetagReplace, TCI: 0x2007},
		} {
			if tags == 0 && retag.Op > wire.RetagPush {
				continue
			}
			plan, ok := settings.PlanFor(f)
			if !ok {
				t.Fatalf("%d tags: not to be trimmed", tags)
			}
			cut, want := make([]byte, plan.Len), make([]byte, plan.Len+4)
			settings.Put(cut, f, plan, 20, wire.Retag{})
			want = want[:retag.Put(want, cut)]
			e := entry{addr: 64, length: uint16(plan.Len), retag: retag, trim: trimMark{ip: uint8(plan.IP), dscp: 20}}
			s := &source{area: append(make([]byte, 64), f...)}
			got, left := c.out.waitingFrame(s, &e, &settings.Settings)
			if !bytes.Equal(got, want) || left != (wire.Retag{}) || !bytes.Equal(s.area[64:], f) {
				t.Errorf("%d tags, %+v:\n got %x\nwant %x", tags, retag, got, want)
			}
		}
		f = append(append(bytes.Clone(f[:12]), 0x81, 0, 0x60, 9), f[12:]...)
	}
}

// A frame that is whole is not copied before it is sent.
func TestWholeFrameAsItIs(t *testing.T) {
	c := newCongested(t, 11, bridge.Settings{MaxEntries: 16})
	retag := wire.Retag{Op: wire.RetagPush, TCI: 5}
	e := entry{length: 100, retag: retag}
	s := &source{area: make([]byte, 200)}
	if got, left := c.out.waitingFrame(s, &e, nil); &got[0] != &s.area[0] || len(got) != 100 || left != retag {
		t.Errorf("%d octets, %v", len(got), left)
	}
}

// An edge of an xconnect whose frames have one queue: where that trims, they do not stay in the
// ring.
func TestXConnectTrims(t *testing.T) {
	for _, trims := range []bool{false, true} {
		o := priorities(8)
		o.edge.QoS.Trust = 0
		o.ports.Scheduler.Rate, o.ports.Scheduler.Burst = 8_000_000, 600
		if trims {
			o.ports.Trimming = model.PortTrimming{Queues: 1, DSCP: dscpTrimmed}
		}
		p := up(t, o)
		p.a.x.ConfigureTrimming(trimTo(128))
		c := &congested{lan: &lan{hosts: []*lanHost{{}, {}, {number: 2}}}, sent: make([]uint32, 3)}
		for range 300 {
			if p.a.host.Send(c.packet(0, 2, dscpTrimmable, 500)) {
				c.sent[0]++
			}
			p.round()
		}
		p.pass(50e6)
		n := p.a.l.Port.Counters.TrimCounters
		if trims != (n.TxTrimPackets > 0) {
			t.Errorf("asked for: %v; %+v", trims, n)
		}
		if err := p.a.invariant(); err != nil {
			t.Error(err)
		}
	}
}

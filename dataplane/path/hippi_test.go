package path

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"uelink/dataplane/bridge"
	"uelink/dataplane/fault"
	"uelink/dataplane/frame"
	"uelink/dataplane/mem"
	"uelink/dataplane/model"
	"uelink/hippi"
	"uelink/wire"
	"uelink/wire/crc"
	"uelink/wire/micropacket"
)

// Frames of every length cross a good wire both ways, exactly once and in order.
func TestHIPPICarriesFrames(t *testing.T) {
	inOneGoroutine(t)
	for name, o := range map[string]hippiOptions{"short": hippiDefaults(), "short and jumbo": hippiDefaults().jumbo()} {
		t.Run(name, func(t *testing.T) {
			p := readyPair(t, o)
			if err := p.run(2000, 30*time.Second, func() {}); err != nil {
				t.Fatal(err)
			}
			if err := p.atRest(); err != nil {
				t.Fatal(err)
			}
			for _, e := range p.ends {
				c := e.h.End.Counters
				if e.missing > 0 || c.TxRetransmitted > 0 || c.TxLostAtReset > 0 {
					t.Errorf("%s: %d missing, %+v", e.name, e.missing, c)
				}
			}
		})
	}
}

// TestHIPPISimulation carries frames both ways over wires that each seed makes bad in another way: every frame comes
// out exactly once and in order, because no Link Reset cuts in.
func TestHIPPISimulation(t *testing.T) { manySeeds(t, "TestHIPPISimulation", simulateHIPPI) }

func simulateHIPPI(seed, n uint64) error {
	r := rand.New(rand.NewPCG(seed, 6))
	o := hippiDefaults()
	if r.IntN(3) == 0 {
		o, n = o.jumbo(), n/4
	}
	o.settings.FCS = r.IntN(4) > 0
	o.settings.HIPPI.Profile.Retries = 1e6
	o.settings.HIPPI.Profile.Silence = 0 // no wire is so bad that it counts as gone
	o.wire = hippiWire(r)
	if !o.settings.FCS {
		o.wire.Corrupt = 0 // a wrong epoch or number of a frame
	}
	p := newHIPPIPair(o, seed)
	p.renewal.r = rand.New(rand.NewPCG(seed, 8))
	if !p.until(p.ready, time.Minute) {
		return fmt.Errorf("not ready: %v", p)
	}
	if err := p.run(n, 10*time.Minute, func() {}); err != nil {
		return err
	}
	if m := p.ends[0].missing + p.ends[1].missing; m > 0 {
		return fmt.Errorf("%d frames never came: %v", m, p)
	}
	return p.atRest()
}

// hippiWire draws a wire.
func hippiWire(r *rand.Rand) fault.Config {
	c := fault.Config{
		Loss: chance(r, 0.05), Corrupt: chance(r, 0.02), Duplicate: chance(r, 0.05), Reorder: chance(r, 0.05),
	}
	if r.IntN(3) == 0 {
		c.Burst = 1 + r.Float64()*8
	}
	if r.IntN(3) == 0 {
		c.Delay = time.Duration(r.IntN(200)) * time.Microsecond
		c.Jitter = time.Duration(r.IntN(50)) * time.Microsecond
	}
	return c
}

// Link Resets under traffic lose what the counters say, and nothing comes twice.
func TestHIPPIResetsLoseWhatIsCounted(t *testing.T) {
	inOneGoroutine(t)
	manySeeds(t, "TestHIPPIResetsLoseWhatIsCounted", simulateHIPPIResets)
}

func simulateHIPPIResets(seed, n uint64) error {
	r := rand.New(rand.NewPCG(seed, 7))
	o := hippiDefaults()
	if r.IntN(2) == 0 {
		o, n = o.jumbo(), n/4
	}
	o.wire = hippiWire(r)
	p := newHIPPIPair(o, seed)
	p.renewal.r = rand.New(rand.NewPCG(seed, 8))
	if !p.until(p.ready, time.Minute) {
		return fmt.Errorf("not ready: %v", p)
	}
	for range 1 + r.IntN(4) {
		for range r.IntN(100) {
			for _, e := range p.ends {
				p.offer(e, n)
				if err := p.take(e); err != nil {
					return err
				}
			}
			p.round()
		}
		e := p.ends[r.IntN(2)]
		switch r.IntN(4) {
		case 0:
			_ = e.h.Command(hippi.CommandInitialize, p.now)
		case 1:
			e.h.setUp(false, p.now)
			for range 20 {
				p.round()
			}
			e.h.setUp(true, p.now)
		default:
			_ = e.h.Command(hippi.CommandReset, p.now)
		}
	}
	for _, e := range p.ends {
		e.linkIn.SetConfig(fault.Config{})
	}
	if !p.until(func() bool { return p.ready() && p.idle(n) }, time.Minute) {
		return fmt.Errorf("no end: %v", p)
	}
	if err := p.atRest(); err != nil {
		return err
	}
	for i, e := range p.ends {
		other := p.ends[1-i]
		var got, sent uint64
		for kind := range e.sent {
			got, sent = got+other.delivered[kind], sent+e.sent[kind]
		}
		lost := sent - (got - other.missing)
		counted := e.h.End.Counters.TxLostAtReset + other.h.End.Counters.RxLostAtReset +
			other.h.End.Counters.RxMessageError
		if lost > counted {
			return fmt.Errorf("%d frames of %s never came, %d are counted: %v", lost, e.name, counted, p)
		}
	}
	return nil
}

// idle offers what is left of n frames, and reports whether the hosts have sent all, and nothing is on its way.
func (p *hippiPair) idle(n uint64) bool {
	all := true
	for _, e := range p.ends {
		p.offer(e, n)
		if p.take(e) != nil {
			return false
		}
		all = all && e.x.Held() == 0
		for kind, size := range p.o.sizes {
			all = all && (size == 0 || e.sent[kind] == n)
		}
	}
	return all
}

// Neither direction allocates, on a good wire or while micropackets are sent again.
func TestHIPPINoAllocationPerFrame(t *testing.T) {
	inOneGoroutine(t)
	for name, c := range map[string]fault.Config{
		"good wire": {}, "bad wire": {Loss: 0.05, Corrupt: 0.02, Duplicate: 0.02, Reorder: 0.02},
	} {
		t.Run(name, func(t *testing.T) {
			o := hippiDefaults().jumbo()
			o.wire = c
			p := readyPair(t, o)
			var buf [2][16384]byte
			short, long := hippiFrame(buf[0][:], 0, 3, o.sizes), hippiFrame(buf[1][:], 1, 3, o.sizes)
			cross := func() {
				for _, e := range p.ends {
					e.host.Send(short)
					e.host.Send(long)
				}
				for range 8 {
					p.round()
				}
				for _, e := range p.ends {
					for e.host.Recv() != nil {
					}
				}
			}
			for range 50 {
				cross()
			}
			if n := testing.AllocsPerRun(500, cross); n != 0 {
				t.Errorf("%v allocations for 4 frames", n)
			}
		})
	}
}

// A link under load, whose far edge stands still in between, is handed over again and again: every frame comes once.
func TestHIPPIIsHandedOver(t *testing.T) {
	inOneGoroutine(t)
	o := hippiDefaults().jumbo()
	o.wire = fault.Config{Loss: 0.01, Reorder: 0.01}
	p := readyPair(t, o)
	p.renewal.r = rand.New(rand.NewPCG(1, 8))
	b, rounds := p.ends[1], 0
	waiting := 0
	err := p.run(3000, time.Minute, func() {
		rounds++
		b.edge.egress.halted = 0
		if rounds/200%2 == 1 {
			b.edge.egress.halted = 1<<0 | 1<<1
		}
		waiting = max(waiting, b.edge.egress.waiting)
	})
	if err == nil {
		b.edge.egress.halted = 0
		err = p.atRest()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("handed over %d times, with up to %d frames waiting at an edge", p.handed, waiting)
	if m := p.ends[0].missing + b.missing; m > 0 || p.handed < 10 || waiting < 10 {
		t.Errorf("%d frames never came: %v", m, p)
	}
}

// While the far edge stands still the sender stops, and nothing is dropped: the frames wait at the near edge.
func TestHIPPIStopsForAnEdgeThatStandsStill(t *testing.T) {
	inOneGoroutine(t)
	p := readyPair(t, hippiDefaults())
	a, b := p.ends[0], p.ends[1]
	edge := &held{Device: b.edge.device(), hold: true}
	b.edge.sources[0].device = edge
	for range 3000 {
		p.offer(a, 100_000)
		p.round()
	}
	stopped := a.sent
	for range 3000 {
		p.offer(a, 100_000)
		p.round()
	}
	if a.sent != stopped || a.sent[0] < assemblyChunks {
		t.Fatalf("sent %v and then %v: %v", stopped, a.sent, p)
	}
	edge.hold = false
	if err := p.run(a.sent[0], time.Minute, func() {}); err != nil {
		t.Fatal(err)
	}
	if err := p.atRest(); err != nil {
		t.Fatal(err)
	}
	for _, e := range p.ends {
		for _, s := range []model.PortState{e.h.Port.State(p.now), e.edge.State(p.now)} {
			if rx, tx := s.Dropped(); rx+tx+e.missing > 0 || s.HIPPI != nil && s.HIPPI.Counters.Shutdowns > 0 {
				t.Errorf("%s dropped %d and %d, %d missing", e.name, rx, tx, e.missing)
			}
		}
	}
}

// With a short credit timeout, an edge that stands still shuts the link down: what was lost is counted, and told.
func TestHIPPICreditTimeout(t *testing.T) {
	inOneGoroutine(t)
	o := hippiDefaults()
	o.settings.HIPPI.Profile.Credit, o.settings.HIPPI.Recover = 2*time.Second, 0
	p := readyPair(t, o)
	a, b := p.ends[0], p.ends[1]
	b.edge.sources[0].device = &held{Device: b.edge.device(), hold: true}
	down := func() bool {
		p.offer(a, 1e6)
		return a.h.End.Counters.Shutdowns > 0
	}
	if !p.until(down, 10*time.Second) {
		t.Fatal(p)
	}
	s := a.h.Port.State(p.now)
	if _, lost := s.Dropped(); lost == 0 || s.HIPPI.Channels[0].CreditTimeoutError != 1 {
		t.Errorf("%d lost, %+v", lost, s.HIPPI.Channels[0])
	}
	p.round()
	texts := strings.Join(eventTexts(a.events), "\n")
	if !strings.Contains(texts, "VC0 without credit for 2s (credit_timeout)") ||
		!strings.Contains(texts, "type uelink hippi reset link0") {
		t.Error(texts)
	}
}

// A queue of the far edge that stands still stops its virtual channel alone: the other goes on at its rate, and nothing
// is dropped.
func TestHIPPIStopsOneChannelAlone(t *testing.T) {
	inOneGoroutine(t)
	o := hippiDefaults().jumbo()
	o.edge.QoS.Queue[1] = 1
	p := readyPair(t, o)
	a, b := p.ends[0], p.ends[1]
	const longs = assemblyChunks + 20
	p.o.sizes[1] = 0
	rate := func() uint64 {
		before := b.delivered[0]
		for range 1000 {
			p.offer(a, 1e6)
			if err := p.take(b); err != nil {
				t.Fatal(err)
			}
			p.round()
		}
		return b.delivered[0] - before
	}
	rate()
	free := rate()
	b.edge.egress.halted = 1 << 1
	var buf [16384]byte
	for n := uint64(0); n < longs; {
		if a.host.Send(hippiFrame(buf[:], 1, n, o.sizes)) {
			n++
		}
		p.round()
		if err := p.take(b); err != nil {
			t.Fatal(err)
		}
	}
	p.o.sizes[1] = o.sizes[1] // take checks them
	a.sent[1] = 1e6           // no more are offered
	slow := rate()
	t.Logf("%d short frames beside nothing, %d beside a channel that stands still", free, slow)
	if slow*100 < free*95 || b.delivered[1] > 0 || a.h.out.leaves>>1&1 == 0 {
		t.Errorf("%d and %d short frames, %d long ones: %v", free, slow, b.delivered[1], p)
	}
	b.edge.egress.halted = 0
	all := func() bool { return p.take(b) == nil && b.delivered[1] == longs }
	if !p.until(all, time.Minute) || b.missing > 0 {
		t.Fatal(p)
	}
}

// Sockets that are reopened under traffic cost nothing: what was in their slots is sent again.
func TestHIPPISocketsAreReopened(t *testing.T) {
	inOneGoroutine(t)
	p := readyPair(t, hippiDefaults().jumbo())
	rounds := 0
	err := p.run(2000, time.Minute, func() {
		if rounds++; rounds%50 != 0 {
			return
		}
		for _, e := range p.ends {
			left := e.x.Suspend(&e.h.Port, p.now)
			e.link = e.link.Successor()
			c := fault.Config{Seed: uint64(rounds)}
			e.linkIn = fault.New(e.link, c, func() wire.Time { return p.now })
			e.plug(p)
			e.x.Catch(&e.h.Port, left)
			if err := e.x.conserved(); err != nil {
				t.Fatal(err)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.atRest(); err != nil {
		t.Fatal(err)
	}
	for _, e := range p.ends {
		if e.missing > 0 || e.h.End.Counters.LinkResets != 1 {
			t.Errorf("%s: %d frames missing, %+v", e.name, e.missing, e.h.End.Counters)
		}
	}
}

// A link whose carrier goes away before a retransmission opens no frame: the memory of the frame may go away before the
// frame leaves.
func TestHIPPIOpensNoFrameWithoutCarrier(t *testing.T) {
	o := hippiDefaults()
	o.settings.HIPPI.Profile.Activity = time.Second
	p := readyPair(t, o)
	a, b := p.ends[0], p.ends[1]
	b.linkIn.SetConfig(fault.Config{Loss: 1})
	leaves := func() bool { // part of a frame; no other frame waits
		a.sent[0] = 0
		p.offer(a, 1)
		return a.h.out.leaves != 0
	}
	if !p.until(leaves, time.Second) {
		t.Fatal(p)
	}
	a.x.SetUp(&a.h.Port, false, p.now)
	for range 20 {
		p.now += 10e6
		a.x.Step(p.now)
	}
	p.offer(a, 1e6)
	a.x.Step(p.now)
	if !a.h.End.Pending(p.now) || a.h.Port.egress.waiting == 0 {
		t.Fatalf("no retransmission is due, or no frame waits: %v", p)
	}
	if a.h.out.open != nil {
		t.Error("a frame is open")
	}
}

// A link that moves to another domain under traffic loses nothing.
func TestHIPPIMovesToAnotherDomain(t *testing.T) {
	inOneGoroutine(t)
	p := readyPair(t, hippiDefaults().jumbo())
	rounds := 0
	err := p.run(2000, time.Minute, func() {
		if rounds++; rounds%50 != 0 {
			return
		}
		for _, e := range p.ends {
			to := NewDomain(2 * time.Second)
			e.x.Transfer(e.edge, to, p.now)
			e.x.Transfer(&e.h.Port, to, p.now)
			e.edge.Other, e.h.Port.Other = &e.h.Port, e.edge
			e.x = to
			if err := e.x.conserved(); err != nil {
				t.Fatal(err)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.atRest(); err != nil {
		t.Fatal(err)
	}
	if missing := p.ends[0].missing + p.ends[1].missing; missing > 0 {
		t.Errorf("%d frames missing", missing)
	}
}

// A bridge learns addresses behind a link, and forwards its frames. It drops frames only before the link, where the
// host sends more than the link carries.
func TestHIPPIInABridge(t *testing.T) {
	inOneGoroutine(t)
	p := readyPair(t, hippiDefaults())
	a, b := p.ends[0], p.ends[1]
	for _, e := range p.ends {
		e.x.Bridge = bridge.New(bridge.Settings{MaxEntries: 16}, 1, p.now)
		for _, port := range []*Port{e.edge, &e.h.Port} {
			port.Other = nil
			if err := e.x.Bridge.SetPort(port.Number, bridge.PortSettings{Learning: true}); err != nil {
				t.Fatal(err)
			}
		}
	}
	const n = 500
	sent := func() bool {
		p.offer(a, n)
		return p.take(b) != nil || a.sent[0] == n && a.x.Held() == 0
	}
	if !p.until(sent, time.Minute) {
		t.Fatal(p)
	}
	if err := p.atRest(); err != nil {
		t.Fatal(err)
	}
	got, dropped := b.delivered[0]-b.missing, a.h.Port.Counters.TxDropQueueFull
	if entries := len(b.x.Bridge.Entries(p.now)); entries != 1 || got+dropped != n || got < n/4 {
		t.Errorf("%d addresses; %d frames came and %d were dropped before the link", entries, got, dropped)
	}
}

// A wire that is dead one way shuts the link down by retries, and the setting recover brings the link back.
func TestHIPPIRecoversFromAShutdown(t *testing.T) {
	inOneGoroutine(t)
	for _, every := range []time.Duration{time.Second, 0} {
		t.Run(fmt.Sprint("recover ", every), func(t *testing.T) {
			o := hippiDefaults()
			o.settings.HIPPI.Profile.Retries, o.settings.HIPPI.Recover = 4, every
			p := readyPair(t, o)
			a, b := p.ends[0], p.ends[1]
			b.linkIn.SetConfig(fault.Config{Loss: 1})
			p.offer(a, 4)
			down := func() bool { return a.h.End.Counters.Shutdowns == 1 }
			if !p.until(down, 5*time.Second) {
				t.Fatal(p)
			}
			b.linkIn.SetConfig(fault.Config{})
			if back := p.until(p.ready, 5*time.Second); back != (every > 0) {
				t.Fatalf("back: %v: %v", back, p)
			}
			if err := a.h.Command(hippi.CommandReset, p.now); err != nil || !p.until(p.ready, time.Second) {
				t.Fatal(err, p)
			}
			a.sent[0], b.delivered = 10, [2]uint64{10, 0}
			if err := p.runOne(a, b, 20); err != nil {
				t.Fatal(err)
			}
			if got := eventTexts(a.events); !slices.ContainsFunc(got, func(s string) bool {
				return strings.Contains(s, "shut down: 4 retransmissions in a row without success (retries)")
			}) {
				t.Errorf("%q", got)
			}
		})
	}
}

// runOne carries frames of one end until n have come.
func (p *hippiPair) runOne(from, to *hippiEnd, n uint64) (err error) {
	done := func() bool {
		p.offer(from, n)
		err = p.take(to)
		return err != nil || to.delivered[0] == n
	}
	if !p.until(done, time.Minute) {
		return fmt.Errorf("no end: %v", p)
	}
	return err
}

// eventTexts returns the texts of the events so far.
func eventTexts(events <-chan model.Event) (texts []string) {
	for {
		select {
		case e := <-events:
			texts = append(texts, e.Kind+": "+e.Text)
		default:
			return texts
		}
	}
}

// A partner that starts again, in a new epoch, is Normal again soon, and nothing comes twice.
func TestHIPPIPartnerStartsAgain(t *testing.T) {
	inOneGoroutine(t)
	p := readyPair(t, hippiDefaults())
	a, b := p.ends[0], p.ends[1]
	for range 300 {
		p.offer(a, 1000)
		if err := p.take(b); err != nil {
			t.Fatal(err)
		}
		p.round()
	}
	b.x.Remove(&b.h.Port)
	b.x.Remove(b.edge)
	b.h.Port.letGo()
	b.connect(NewHIPPI(p.o.settings, Identity{Nonce: [2]byte{99, 99}}, p.now))
	b.plug(p)
	start := p.now
	if !p.until(p.ready, time.Second) {
		t.Fatal(p)
	}
	t.Logf("Normal after %v", p.now.Sub(start))
	if err := p.runOne(a, b, 1000); err != nil {
		t.Fatal(err)
	}
}

// Two ends that speak different protocols say so, each by name, and go on when both speak the same.
func TestHIPPIAndLLRTellEachOther(t *testing.T) {
	o := hippiDefaults()
	g := frame.Geometry{ChunkSize: 2048, RX: 128, Spare: 64, TX: 512}
	x, y := mem.NewPair(g, g, 64)
	h := NewHIPPI(o.settings, Identity{Nonce: [2]byte{1}}, 1)
	s := defaults()
	l := NewLink(s.ports, s.profile, Identity{Seq: 1, Start: 7}, time.Second, 1)
	now := wire.Time(1)
	var domains []*Domain
	for i, p := range []*Port{&h.Port, &l.Port} {
		d, edge := NewDomain(time.Second), &Port{}
		d.Add(edge)
		d.Add(p)
		edge.Other, p.Other = p, edge
		d.Attach(p, []frame.Device{[]*mem.Device{x, y}[i]}, wire.MAC{2, byte(i)}, 1600)
		d.SetUp(p, true, now)
		domains = append(domains, d)
	}
	hub := &model.Hub{}
	events, _ := hub.Subscribe()
	for ; now < 2e9; now += 1e6 {
		for _, d := range domains {
			d.Step(now)
			d.report(hub, now)
		}
	}
	hs, ls := h.Port.State(now), l.Port.State(now)
	const hippiText = "partner speaks protocol llr, this port hippi6400"
	const llrText = "partner speaks protocol hippi6400, this port llr"
	if !strings.Contains(hs.HIPPI.PartnerProblem, hippiText) || !strings.Contains(ls.LLR.PartnerProblem, llrText) ||
		hs.PartnerProblemReason != "protocol" || ls.PartnerProblemReason != "protocol" {
		t.Errorf("%q, %q; %s, %s", hs.HIPPI.PartnerProblem, ls.LLR.PartnerProblem, hs.PartnerProblemReason,
			ls.PartnerProblemReason)
	}
	if hs.Counters.RxOtherProtocol == 0 || ls.Counters.RxOtherProtocol == 0 {
		t.Errorf("counted %d and %d", hs.Counters.RxOtherProtocol, ls.Counters.RxOtherProtocol)
	}
	texts := strings.Join(eventTexts(events), "\n")
	if !strings.Contains(texts, hippiText) || !strings.Contains(texts, llrText) {
		t.Error(texts)
	}
}

// Frames that are none of the partner's, or damaged, are counted by their kind, and change nothing.
func TestHIPPIBadFrames(t *testing.T) {
	inOneGoroutine(t)
	p := readyPair(t, hippiDefaults())
	h := p.ends[0].h
	good := make([]byte, 200)
	n := micropacket.PutFrame(good, &wire.Addresses{6: 2, 11: 'b'}, wire.EtherTypeData,
		micropacket.FrameHead{N: 1, FCS: true, Number: 1 << 30, From: 1, To: 2})
	good = good[:n]
	changed := func(at int, to byte) []byte {
		f := slices.Clone(good)
		f[at] = to
		return f
	}
	native, llrData := changed(12, 8), changed(14, 0x55)
	for name, c := range map[string]struct {
		frame []byte
		count *uint64
	}{
		"short":         {good[:wire.HeaderLen-1], &h.Port.Counters.RxRunt},
		"native":        {native, &h.Port.Counters.RxNativeDropped},
		"of LLR":        {llrData, &h.Port.Counters.RxOtherProtocol},
		"cut":           {good[:n-1], &h.count.RxBadFrame},
		"of version 2":  {changed(16, 0x82), &h.count.RxBadFrame},
		"damaged":       {changed(n-1, good[n-1]+1), &h.count.RxBadFCS},
		"of a stranger": {stranger(good), &h.Port.Counters.RxOtherStation},
		"of no epoch":   {good, &h.count.RxMicropacketFrames},
	} {
		before := *c.count
		listen(h, c.frame, p.now)
		if *c.count != before+1 || !h.End.Ready() {
			t.Errorf("%s: counted %d, before %d; %v", name, *c.count, before, h.End.State())
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		f := slices.Clone(good)
		for range 1 + r.IntN(8) {
			f[r.IntN(len(f))] ^= byte(r.Uint32())
		}
		listen(h, f[:r.IntN(len(f)+1)], p.now)
	}
	if err := p.run(200, time.Minute, func() {}); err != nil {
		t.Fatal(err)
	}
}

// LLR of a station that is not the partner is no problem of the partner. LLR of the partner is.
func TestHIPPIKnowsWhoSpeaksLLR(t *testing.T) {
	p := readyPair(t, hippiDefaults())
	a, b := p.ends[0], p.ends[1]
	listen(a.h, controlTo(wire.ControlDA, wire.MAC{2, 9}, initFrame), p.now)
	if problem := a.h.problem(p.now); problem != (hippiProblem{}) || a.h.Port.Counters.RxOtherProtocol != 1 {
		t.Errorf("of another station: %+v, %d counted", problem, a.h.Port.Counters.RxOtherProtocol)
	}
	listen(a.h, controlTo(wire.ControlDA, b.h.Port.iface.mac, initFrame), p.now)
	if reason := a.h.problem(p.now).kind.Reason(); reason != "protocol" || a.h.Port.Counters.RxOtherProtocol != 2 {
		t.Errorf("of the partner: %q, %d counted", reason, a.h.Port.Counters.RxOtherProtocol)
	}
}

// A link whose wire brings back its own frames does not take itself for the partner.
func TestHIPPIIsNoPartnerOfItself(t *testing.T) {
	p := newHIPPIPair(hippiDefaults(), 1)
	a, b := p.ends[0], p.ends[1]
	b.x.Detach(&b.h.Port, p.now)
	for until := p.now.Add(2 * time.Second); p.now < until; p.now += 1e6 {
		a.x.Step(p.now)
		for _, f := range received(b.link) {
			listen(a.h, f, p.now)
		}
	}
	if a.h.End.Ready() || a.h.partner != (wire.MAC{}) || a.h.Port.Counters.RxLooped == 0 {
		t.Errorf("ready %v, partner %v, %d looped", a.h.End.Ready(), a.h.partner, a.h.Port.Counters.RxLooped)
	}
}

// received returns copies of the frames that wait for a device.
func received(d frame.Device) (frames [][]byte) {
	var descs [batch]frame.Desc
	n := d.Receive(descs[:])
	for _, desc := range descs[:n] {
		frames = append(frames, slices.Clone(d.Area()[desc.Addr:][:desc.Len]))
	}
	d.Recycle(descs[:n])
	return frames
}

// A frame with the partner's address and epoch and a number far ahead makes the partner's frames look late. The link
// recovers when the partner counts as silent.
func TestHIPPIRecoversFromAForgedFrame(t *testing.T) {
	p := readyPair(t, hippiDefaults())
	a, b := p.ends[0], p.ends[1]
	head := b.h.End.FrameHead(1, true)
	head.Number += 1 << 30
	f := make([]byte, 200)
	outer := wire.AddressesOf(a.h.Port.iface.mac, b.h.Port.iface.mac)
	listen(a.h, f[:micropacket.PutFrame(f, &outer, wire.EtherTypeData, head)], p.now)
	for until := p.now.Add(time.Second); p.now < until; {
		p.round()
	}
	if a.h.End.Counters.RxStaleFrames == 0 {
		t.Fatalf("the forged frame changes nothing: %v", p)
	}
	if !p.until(p.ready, time.Second) {
		t.Fatal(p)
	}
	if err := p.runOne(a, b, 100); err != nil {
		t.Fatal(err)
	}
}

// stranger returns a frame as another station sends it.
func stranger(f []byte) []byte {
	f = slices.Clone(f)
	f[wire.AddrLen+1] = 9
	end := len(f) - wire.FCSLen
	binary.LittleEndian.PutUint32(f[end:], crc.Checksum(f[:end]))
	return f
}

// BenchmarkHIPPIPair is one frame across both ends: edge in, micropackets, edge out, acknowledged. The metric
// ns/micropacket counts both halves.
func BenchmarkHIPPIPair(b *testing.B) {
	for _, octets := range []int{64, 1514} {
		b.Run(fmt.Sprint(octets), func(b *testing.B) {
			p := readyPair(b, hippiDefaults())
			from, to := p.ends[0], p.ends[1]
			var buf [2048]byte
			hippiFrame(buf[:], 0, 1, [2]int{octets, 0})
			f := buf[:octets]
			before := from.h.End.Counters.TxMicropackets
			b.ReportAllocs()
			b.ResetTimer()
			for sent, got := 0, 0; got < b.N; p.round() {
				for sent < b.N && sent-got < 32 && from.host.Send(f) {
					sent++
				}
				for to.host.Recv() != nil {
					got++
				}
			}
			n := from.h.End.Counters.TxMicropackets - before
			b.ReportMetric(float64(b.Elapsed())/float64(n), "ns/micropacket")
			b.SetBytes(int64(octets))
		})
	}
}

// listen passes a frame to a link, and its micropackets to the machine.
func listen(h *HIPPI, f []byte, now wire.Time) {
	micropackets, hearing := h.hear(f, now)
	for left := micropackets; len(left) > 0; {
		left = left[h.End.ReceiveBurst(now, left, len(left)/micropacket.Len, hearing)*micropacket.Len:]
	}
}

package path

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"uelink/dataplane/fault"
	"uelink/dataplane/fault/analyzer"
	"uelink/dataplane/frame"
	"uelink/dataplane/frame/frametest"
	"uelink/dataplane/mem"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/llr"
	"uelink/wire"
)

// end is one uelink of a pair: its xconnect over in-memory devices, the host
// behind its edge port, and the bad wire that its link port receives from.
type end struct {
	name    string
	x       *Domain
	edge    *Port
	l       *Link
	host    *mem.Host
	linkIn  *fault.Device
	between *between    // what stands on the way to its link port
	link    *mem.Device // its own end of the wire
	hub     *model.Hub
	events  <-chan model.Event

	sent      uint64 // numbers handed to the host's interface
	delivered uint64 // the number that the host here is to get next
	gaps      uint64 // numbers that never came
	spread    int    // by how many octets its frames differ in length
}

// pair is two ends and the wire between them, on a virtual clock.
type pair struct {
	now  wire.Time
	a, b *end
	o    pairOptions
	renewal
	relay     *relay // with the rules of the wire; nil: none
	handsOver bool   // nobody keeps the domains and ports of the ends
}

type pairOptions struct {
	profile llr.Profile
	ports   model.PortSettings // of both link ports: dialect, FCS, LLR
	edge    model.PortSettings
	wire    fault.Config
	ring    int
	chunk   int
	mtu     int      // of the edge ports
	spread  int      // by how many octets frames differ in length
	rules   []string // of the wire
	// analyzer sees the frames of a wire with rules; nil: none.
	analyzer *analyzer.Analyzer
	mixed    bool                      // one end is addressed and the other is not
	replay   map[string]llr.ReplayKind // by the name of an end; missing: that of the profile
	reorder  map[string]int            // chunks for kept frames, by the name of an end; missing: as the profile needs
}

// profileOf is the profile of an end.
func (o *pairOptions) profileOf(name string) llr.Profile {
	p := o.profile
	if k, ok := o.replay[name]; ok {
		p.Replay = k
	}
	return p
}

// overhead is by how much the MTU of the links is larger.
func (o *pairOptions) overhead() int {
	if o.mixed {
		return wire.Overhead + wire.AddressesLen
	}
	return o.ports.Overhead()
}

// cut is a geometry with the chunks that frames of an MTU take.
func (o *pairOptions) cut(g frame.Geometry, mtu int) frame.Geometry {
	g.ChunkSize = o.chunk
	return g.InPieces(netif.PiecesFor(mtu, o.chunk))
}

// defaults is a lossless pair with small rings.
func defaults() pairOptions {
	return pairOptions{
		profile: llr.Profile{MaxOutstandingFrames: 256, MaxOutstandingBytes: 1 << 20, MaxReplayTimer: 2 * time.Millisecond,
			MaxReplayCount: llr.NoReplayLimit, InitAction: llr.Block, FlushAction: llr.Block,
			ReInitOnFlush: true, CtlOSSpacingBytes: 2048},
		ports: model.PortSettings{Name: "link0", Role: model.RoleLink, FCS: true,
			EtherTypeData: wire.EtherTypeData, EtherTypeControl: wire.EtherTypeControl,
			LLR: model.LLRSettings{Mode: model.LLRStatic, Local: true, Remote: true}},
		edge: model.PortSettings{Name: "edge0", Role: model.RoleEdge},
		ring: 64, chunk: 1024, mtu: 500, spread: 140,
	}
}

func newPair(o pairOptions, seed uint64) *pair {
	return newPairOf(o, seed, func(*model.PortSettings) {})
}

// newPairOf is a pair of which b's link port is configured otherwise.
func newPairOf(o pairOptions, seed uint64, b func(*model.PortSettings)) *pair {
	p := &pair{o: o}
	r := rand.New(rand.NewPCG(seed, 1))
	p.a = p.newEnd("a", o.ports, r)
	ports := o.ports
	if o.mixed {
		ports.Encapsulation = model.Addressed - ports.Encapsulation
	}
	b(&ports)
	p.b = p.newEnd("b", ports, r)
	return p.plugged(seed)
}

// plugged joins the two ends.
func (p *pair) plugged(seed uint64) *pair {
	o := p.o
	_, assured := o.ports.Reserved()
	cut := func(name string) frame.Geometry {
		chunks, ok := o.reorder[name]
		if !ok {
			chunks = o.profileOf(name).KeptFrames()
		}
		return o.cut(frame.Geometry{
			RX: 2*o.ring + assured + chunks, Spare: o.ring + assured, Kept: chunks, TX: o.ring + o.profile.MaxOutstandingFrames,
		}, o.mtu+o.overhead())
	}
	a, b := p.wired(cut("a"), cut("b"), seed)
	p.a.plug(p, a, seed*2)
	p.b.plug(p, b, seed*2+1)
	return p
}

// newEnd makes an end with its edge port and host; its link port has no device.
func (p *pair) newEnd(name string, s model.PortSettings, r *rand.Rand) *end {
	e := &end{name: name, hub: &model.Hub{}, spread: p.o.spread}
	e.events, _ = e.hub.Subscribe()
	var nonce [2]byte
	binary.LittleEndian.PutUint16(nonce[:], uint16(r.Uint32()))
	id := Identity{Seq: r.Uint32() & wire.SeqMask, Nonce: nonce, Start: r.Uint32() & wire.StartMask}
	e.connect(NewPort(p.o.edge, llr.Profile{}, 0, p.now), NewLink(s, p.o.profileOf(name), id, 2*time.Second, p.now))
	_, assured := p.o.edge.Reserved()
	edge := frame.Geometry{RX: 2*p.o.ring + assured, Spare: p.o.ring + assured, TX: p.o.ring}
	dev, host := p.edgeWire(edge)
	e.host = mem.NewHost(host)
	e.x.Attach(e.edge, []frame.Device{dev}, wire.MAC{2}, p.o.mtu)
	e.x.SetUp(e.edge, true, p.now)
	e.x.SetTagRoom(e.edge, 0)
	return e
}

// edgeWire is the wire between an edge port of a geometry and its host.
func (p *pair) edgeWire(g frame.Geometry) (port, host *mem.Device) {
	return mem.NewPair(p.o.cut(g, p.o.mtu), p.o.cut(frame.Geometry{RX: 4 * p.o.ring, TX: p.o.ring}, p.o.mtu), 4*p.o.ring)
}

// connect ties an edge port to a link; neither has devices yet.
func (e *end) connect(edge *Port, l *Link) {
	e.x, e.edge, e.l = NewDomain(2*time.Second), edge, l
	e.x.Add(edge)
	e.x.Add(&l.Port)
	edge.Other, l.Port.Other = &l.Port, edge
}

// plug gives the link port a device.
func (e *end) plug(p *pair, dev *mem.Device, seed uint64) {
	c := p.o.wire
	c.Seed = seed
	dev.ShuffleCompletions(seed)
	e.link = dev
	e.between = &between{Device: dev}
	e.linkIn = fault.New(e.between, c, func() wire.Time { return p.now })
	e.x.Attach(&e.l.Port, []frame.Device{e.linkIn}, wire.MAC{2, 0, 0, 0, 0, e.name[0]}, p.o.mtu+p.o.overhead())
	e.x.SetUp(&e.l.Port, true, p.now)
}

// round works both ends once and moves the clock: a little after work, else to
// the next deadline.
func (p *pair) round() {
	work, next := p.relay.carry()
	for _, e := range []*end{p.a, p.b} {
		if err := p.renew(e.x, 100); err != nil {
			panic(err)
		}
		if p.handsOver {
			if err := p.handOver(e); err != nil {
				panic(err)
			}
		}
		n, at := e.x.Step(p.now)
		e.x.report(e.hub, p.now)
		work += n
		next = min(next, at)
		if e.linkIn != nil {
			next = min(next, e.linkIn.Next())
		}
	}
	if work > 0 {
		p.now += 5e3
		return
	}
	p.now = max(p.now+1e3, min(next, p.now+1e6))
}

// until runs rounds until done says so; false after the given virtual time.
func (p *pair) until(done func() bool, limit time.Duration) bool {
	for end := p.now.Add(limit); !done(); p.round() {
		if p.now > end {
			return false
		}
	}
	return true
}

// established tells whether LLR is up in both directions.
func (p *pair) established() bool { return p.a.established() && p.b.established() }

func (e *end) established() bool {
	return e.l.LLR.Tx.State() == llr.TxAdvance && e.l.LLR.Rx.State() == llr.RxSendAcks && e.l.Partner.Present()
}

// offer hands the host's next frame to its interface, up to the given number.
func (e *end) offer(limit uint64) {
	var buf [1024]byte
	for range 8 {
		if e.sent >= limit || !e.host.Send(frametest.NumberedOf(buf[:], e.sent, e.spread)) {
			return
		}
		e.sent++
	}
}

// forget passes over what the host here got before LLR was up: frames came over
// the wire unprotected then, and damaged control may look like one.
func (e *end) forget() {
	for e.host.Recv() != nil {
	}
}

// take checks what the host here has got: whole frames in order, none twice.
func (e *end) take() error {
	var buf [1024]byte
	for f := e.host.Recv(); f != nil; f = e.host.Recv() {
		if len(f) < 22 {
			return fmt.Errorf("host %s got %d octets", e.name, len(f))
		}
		n := binary.BigEndian.Uint64(f[14:])
		if n < e.delivered {
			return fmt.Errorf("host %s got frame %d after frame %d", e.name, n, e.delivered-1)
		}
		if string(frametest.NumberedOf(buf[:], n, e.spread)) != string(f) {
			return fmt.Errorf("host %s got frame %d damaged", e.name, n)
		}
		e.gaps += n - e.delivered
		e.delivered = n + 1
	}
	return nil
}

// invariant checks what must hold between any two rounds.
func (e *end) invariant() error {
	l := e.l
	frames, octets := l.LLR.Tx.Outstanding()
	if frames > len(e.l.Port.Slots.state) || frames < 0 || octets < 0 {
		return fmt.Errorf("end %s: %d frames, %d octets outstanding", e.name, frames, octets)
	}
	if err := e.x.conserved(); err != nil {
		return fmt.Errorf("end %s: %w", e.name, err)
	}
	if err := l.buffered.conserved(l.LLR.Rx.CountKept()); err != nil {
		return fmt.Errorf("end %s: %w", e.name, err)
	}
	return nil
}

// String is what an end is at, for a failure.
func (e *end) String() string {
	l := e.l
	frames, octets := l.LLR.Tx.Outstanding()
	return fmt.Sprintf("sent %d, queued %d, tx %v next %d, %d frames (%d octets) outstanding, %d posted, %d slots free, "+
		"ring room %d; rx %v next %d; edge %d slots free, ring room %d; %+v",
		e.sent, l.Port.egress.waiting, l.LLR.Tx.State(), l.LLR.Tx.NextSeq(), frames, octets, l.Port.Slots.Posted,
		l.Port.Slots.pool.Len(),
		l.Port.device().TxRoom(),
		l.LLR.Rx.State(), l.LLR.Rx.NextSeq(), e.edge.Slots.pool.Len(), e.edge.device().TxRoom(), *l.LLR.Counters())
}

// carry sends n frames each way and checks that each comes out exactly once and
// in order.
func (p *pair) carry(t testing.TB, n uint64) {
	t.Helper()
	if err := p.run(n, 60*time.Second); err != nil {
		t.Fatal(err)
	}
	for _, e := range []*end{p.a, p.b} {
		if e.gaps > 0 {
			t.Errorf("host %s: %d frames never came", e.name, e.gaps)
		}
	}
}

// run brings both hosts to n frames sent and delivered in all.
func (p *pair) run(n uint64, limit time.Duration) error {
	return p.runWith(n, limit, func() {})
}

// runWith is run, with something done in each round.
func (p *pair) runWith(n uint64, limit time.Duration, do func()) error {
	var err error
	rounds := 0
	done := func() bool {
		do()
		p.a.offer(n)
		p.b.offer(n)
		for _, e := range []*end{p.a, p.b} {
			if err == nil {
				err = e.take()
			}
			if err == nil && rounds%64 == 0 {
				err = e.invariant()
			}
		}
		rounds++
		return err != nil || p.a.delivered == n && p.b.delivered == n
	}
	if !p.until(done, limit) {
		return fmt.Errorf("no progress in %v: a is at %d and b at %d of %d\na: %v\nb: %v", limit, p.a.delivered,
			p.b.delivered, n, p.a, p.b)
	}
	return err
}

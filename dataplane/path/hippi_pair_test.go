package path

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
	"time"

	"uelink/dataplane/fault"
	"uelink/dataplane/frame"
	"uelink/dataplane/mem"
	"uelink/dataplane/model"
	"uelink/hippi"
	"uelink/wire"
)

// hippiEnd is one uelink of a pair that speaks HIPPI-6400-PH: its xconnect over devices in memory, the host behind its
// edge, and the bad wire that its link receives from. The host numbers the frames of each virtual channel.
type hippiEnd struct {
	name   string
	x      *Domain
	edge   *Port
	h      *HIPPI
	host   *mem.Host
	link   *mem.Device
	linkIn *fault.Device
	hub    *model.Hub
	events <-chan model.Event

	sent      [2]uint64 // frames handed to the host's interface, short and long ones
	delivered [2]uint64 // the number that the other host is to get next
	missing   uint64
}

// hippiPair is two ends and the wire between them, on a virtual clock.
type hippiPair struct {
	now  wire.Time
	ends [2]*hippiEnd
	o    hippiOptions

	renewal renewal // of ports, and of domains
	broken  error   // of the renewal
	handed  int     // times that a domain was handed over
}

type hippiOptions struct {
	settings model.PortSettings
	edge     model.PortSettings
	wire     fault.Config
	ring     int
	chunk    int
	mtu      int
	sizes    [2]int // octets of the longest short and long frame; long 0: none are sent
}

func hippiDefaults() hippiOptions {
	p := hippi.Software()
	p.SULAAllowed = true
	return hippiOptions{
		settings: model.PortSettings{Name: "link0", Role: model.RoleLink, Protocol: model.HIPPI6400, FCS: true,
			EtherTypeData: wire.EtherTypeData, EtherTypeControl: wire.EtherTypeControl,
			HIPPI: model.HIPPISettings{Profile: p, Recover: time.Second}},
		edge: model.PortSettings{Name: "edge0", Role: model.RoleEdge},
		ring: 64, chunk: 2048, mtu: 1500, sizes: [2]int{1514, 0},
	}
}

// jumbo has half of the frames too long for VC0.
func (o hippiOptions) jumbo() hippiOptions {
	o.chunk, o.mtu, o.sizes = 16384, 9000, [2]int{2194, 9014}
	return o
}

func newHIPPIPair(o hippiOptions, seed uint64) *hippiPair {
	p := &hippiPair{o: o, now: 1}
	g := frame.Geometry{ChunkSize: o.chunk, RX: 2 * o.ring, Spare: o.ring, TX: o.ring}
	a, b := mem.NewPair(g, g, o.ring)
	for i, dev := range []*mem.Device{a, b} {
		p.ends[i] = p.newEnd(i, dev, seed)
	}
	return p
}

func (p *hippiPair) newEnd(i int, dev *mem.Device, seed uint64) *hippiEnd {
	o := &p.o
	e := &hippiEnd{name: string(rune('a' + i)), x: NewDomain(2 * time.Second), hub: &model.Hub{}, link: dev}
	e.events, _ = e.hub.Subscribe()
	e.edge = &Port{}
	e.edge.Set(o.edge, p.now)
	id := Identity{Nonce: [2]byte{byte(seed), byte(2*i + 1)}}
	e.connect(NewHIPPI(o.settings, id, p.now))
	g := frame.Geometry{ChunkSize: o.chunk, RX: 2 * o.ring, Spare: o.ring, TX: o.ring}
	port, host := mem.NewPair(g, frame.Geometry{ChunkSize: o.chunk, RX: 4 * o.ring, TX: o.ring}, o.ring)
	e.host = mem.NewHost(host)
	e.x.Attach(e.edge, []frame.Device{port}, wire.MAC{2, 0, 0, 0, 1, byte(i)}, o.mtu)
	e.x.SetUp(e.edge, true, p.now)
	c := o.wire
	c.Seed = seed*2 + uint64(i)
	dev.ShuffleCompletions(c.Seed)
	e.linkIn = fault.New(dev, c, func() wire.Time { return p.now })
	e.plug(p)
	return e
}

// connect ties the edge to a link without devices.
func (e *hippiEnd) connect(h *HIPPI) {
	e.h = h
	e.x.Add(e.edge)
	e.x.Add(&h.Port)
	e.edge.Other, h.Port.Other = &h.Port, e.edge
}

// plug gives the link its device.
func (e *hippiEnd) plug(p *hippiPair) {
	e.x.Attach(&e.h.Port, []frame.Device{e.linkIn}, wire.MAC{2, 0, 0, 0, 0, e.name[0]}, p.o.mtu+p.o.settings.Overhead())
	e.x.SetUp(&e.h.Port, true, p.now)
}

func (p *hippiPair) round() {
	next, work := wire.Never, 0
	for _, e := range p.ends {
		n, at := e.x.Step(p.now)
		e.x.report(e.hub, p.now)
		work += n
		next = min(next, at, e.linkIn.Next())
		if p.broken == nil {
			p.broken = errors.Join(p.renewal.renew(e.x, 100), p.handOver(e))
		}
	}
	if work > 0 {
		p.now += 5e3
		return
	}
	p.now = max(p.now+1e3, min(next, p.now+1e6))
}

func (p *hippiPair) until(done func() bool, limit time.Duration) bool {
	for end := p.now.Add(limit); !done(); p.round() {
		if p.now > end {
			return false
		}
	}
	return true
}

func (p *hippiPair) ready() bool { return p.ends[0].h.End.Ready() && p.ends[1].h.End.Ready() }

// readyPair is a pair whose link carries frames.
func readyPair(t testing.TB, o hippiOptions) *hippiPair {
	t.Helper()
	p := newHIPPIPair(o, 1)
	if !p.until(p.ready, 5*time.Second) {
		t.Fatal(p)
	}
	return p
}

// hippiFrame writes frame n of a kind (0 short, 1 long) into b. Its length, from 22 octets, follows from its number.
func hippiFrame(b []byte, kind int, n uint64, sizes [2]int) []byte {
	least := 22
	if kind == 1 {
		least = sizes[0] + 1
	}
	f := b[:least+int(n*2654435761%uint64(sizes[kind]-least+1))]
	copy(f, []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x90, byte(kind)})
	binary.BigEndian.PutUint64(f[14:], n)
	for i := 22; i < len(f); i++ {
		f[i] = byte(n) ^ byte(i)
	}
	return f
}

// offer hands the host's next frames of each kind to its interface, up to n of each.
func (p *hippiPair) offer(e *hippiEnd, n uint64) {
	var buf [16384]byte
	for range 8 {
		for kind, size := range p.o.sizes {
			if size > 0 && e.sent[kind] < n && e.host.Send(hippiFrame(buf[:], kind, e.sent[kind], p.o.sizes)) {
				e.sent[kind]++
			}
		}
	}
}

// take checks what the host has got: whole frames, in order within their kind, none twice.
func (p *hippiPair) take(e *hippiEnd) error {
	var buf [16384]byte
	for f := e.host.Recv(); f != nil; f = e.host.Recv() {
		if len(f) < 22 || f[13] > 1 {
			return fmt.Errorf("host %s got %d octets", e.name, len(f))
		}
		kind, n := int(f[13]), binary.BigEndian.Uint64(f[14:])
		if n < e.delivered[kind] {
			return fmt.Errorf("host %s got frame %d of kind %d after frame %d", e.name, n, kind, e.delivered[kind]-1)
		}
		if !bytes.Equal(hippiFrame(buf[:], kind, n, p.o.sizes), f) {
			return fmt.Errorf("host %s got frame %d of kind %d damaged", e.name, n, kind)
		}
		e.missing += n - e.delivered[kind]
		e.delivered[kind] = n + 1
	}
	return nil
}

// run carries frames until both hosts have got n of each kind, or all that is not missing.
func (p *hippiPair) run(n uint64, limit time.Duration, do func()) (err error) {
	rounds := 0
	done := func() bool {
		do()
		all := true
		for _, e := range p.ends {
			p.offer(e, n)
			if err == nil {
				err = p.take(e)
			}
			if err == nil && rounds%64 == 0 {
				err = errors.Join(p.broken, e.x.conserved())
			}
			for kind, size := range p.o.sizes {
				all = all && (size == 0 || e.delivered[kind] == n)
			}
		}
		rounds++
		return all || err != nil
	}
	if !p.until(done, limit) {
		return fmt.Errorf("no end within %v: %v", limit, p)
	}
	return err
}

// atRest makes the wire good and checks that nothing is held any more: chunks, slots, credits.
func (p *hippiPair) atRest() error {
	for _, e := range p.ends {
		e.linkIn.SetConfig(fault.Config{})
	}
	for range 200 {
		p.round()
		for _, e := range p.ends {
			if err := p.take(e); err != nil {
				return err
			}
		}
	}
	rest := func() bool {
		for _, e := range p.ends {
			if !e.h.End.Ready() || e.x.Held() > 0 {
				return false
			}
			for vc := range uint8(hippi.VCs) {
				if e.h.End.Source().Credit(vc) != e.h.Port.settings.HIPPI.Profile.Buffers[vc] ||
					len(e.h.in.assembly.free[vc]) != assemblyChunks || e.h.End.Destination().Waiting(vc) != 0 {
					return false
				}
			}
		}
		return true
	}
	if !p.until(rest, 5*time.Second) {
		return fmt.Errorf("no rest: %v", p)
	}
	for _, e := range p.ends {
		if err := e.x.conserved(); err != nil {
			return err
		}
	}
	return p.broken
}

func (p *hippiPair) String() string {
	text := ""
	for _, e := range p.ends {
		s := e.h.Port.State(p.now)
		text += fmt.Sprintf("\n%s at %v: sent %d, got %d, missing %d, queued %d, leaves %04b, shut %b, filling %v: %+v",
			e.name, p.now, e.sent, e.delivered, e.missing, e.h.Port.egress.waiting, e.h.out.leaves,
			e.h.Port.egress.shut, e.h.in.filling, *s.HIPPI)
	}
	return text
}

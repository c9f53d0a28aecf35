package path

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"time"

	"uelink/dataplane/bridge"
	"uelink/dataplane/fault"
	"uelink/dataplane/frame"
	"uelink/dataplane/mem"
	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/wire"
)

// lan is bridges in a row, joined by links over bad wires, with hosts at their edges, on a
// virtual clock.
type lan struct {
	r       *rand.Rand
	now     wire.Time
	domains []*Domain
	wires   []*fault.Device // both ends of each
	hosts   []*lanHost
	o       pairOptions
	bridge  bridge.Settings
	steps   int
	renewal
}

// lanHost is a host behind an edge port. Its frames have its number and count up.
type lanHost struct {
	number  int
	vlan    uint16
	domain  *Domain
	edge    *Port
	stopper *held
	host    *mem.Host
	device  *mem.Device // the host's own end
	sent    uint32
	last    []uint32   // by sender: the last number that came, and 1
	owed    [][]uint32 // by sender: numbers that are to come
	missing int        // numbers that were owed and passed over
	got     int
}

const lanRing = 64

// newLAN makes so many bridges in a row, with so many hosts at each.
func newLAN(r *rand.Rand, bridges, hosts int, o pairOptions, s bridge.Settings) *lan {
	n := &lan{r: r, o: o, bridge: s}
	for i := range bridges {
		d := NewDomain(2 * time.Second)
		d.Bridge = bridge.New(s, r.Uint64(), 0)
		n.domains = append(n.domains, d)
		for range hosts {
			n.addHost(d)
		}
		if i > 0 {
			n.join(n.domains[i-1], d)
		}
	}
	for _, h := range n.hosts {
		h.last, h.owed = make([]uint32, len(n.hosts)), make([][]uint32, len(n.hosts))
	}
	return n
}

func (n *lan) addHost(d *Domain) {
	h := &lanHost{number: len(n.hosts), domain: d, vlan: uint16(10 + len(n.hosts)%2*10)}
	n.plug(h)
	n.hosts = append(n.hosts, h)
}

// plug gives a host a port of its bridge.
func (n *lan) plug(h *lanHost) {
	s := model.PortSettings{
		Name: fmt.Sprintf("edge%d", h.number), Role: model.RoleEdge, QoS: n.classes(uint8(h.number % 4)),
	}
	h.edge = NewPort(s, n.o.profile, 0, 0)
	h.domain.Add(h.edge)
	h.attach(n)
	n.put(h.domain, h.edge, bridge.PortSettings{PVID: h.vlan, Untagged: []uint16{h.vlan}, Learning: true})
}

// classes is maps by which what comes in has one class.
func (n *lan) classes(class uint8) (m qos.Map) {
	m = n.o.ports.QoS
	m.Trust = qos.TrustDot1p
	for i := range m.Dot1pDEI {
		m.Dot1pDEI[i] = class
	}
	return m
}

// attach gives a host's edge port an interface.
func (h *lanHost) attach(n *lan) {
	g := n.o.cut(frame.Geometry{RX: 2 * lanRing, Spare: lanRing, TX: lanRing}, n.o.mtu)
	dev, end := mem.NewPair(g, n.o.cut(frame.Geometry{RX: 4 * lanRing, TX: lanRing}, n.o.mtu), 4*lanRing)
	h.stopper, h.device, h.host = &held{Device: dev}, end, mem.NewHost(end)
	h.domain.Attach(h.edge, []frame.Device{h.stopper}, wire.MAC{2, 0xFF}, n.o.mtu)
	h.domain.SetUp(h.edge, true, n.now)
}

// put makes a port one of the bridge.
func (n *lan) put(d *Domain, p *Port, s bridge.PortSettings) {
	if err := d.Bridge.SetPort(p.Number, s); err != nil {
		panic(err)
	}
}

// join ties two bridges by a link.
func (n *lan) join(a, b *Domain) {
	_, assured := n.o.ports.Reserved()
	g := n.o.cut(frame.Geometry{
		RX: 2*lanRing + assured, Spare: lanRing + assured, TX: lanRing + n.o.profile.MaxOutstandingFrames,
	}, n.o.mtu+n.o.ports.Overhead())
	x, y := mem.NewPair(g, g, lanRing)
	for i, dev := range []*mem.Device{x, y} {
		d := []*Domain{a, b}[i]
		s := n.o.ports
		s.Name = fmt.Sprintf("link%d", len(n.wires))
		id := Identity{
			Seq: n.r.Uint32() & wire.SeqMask, Nonce: [2]byte{byte(n.r.Uint32()), 1}, Start: n.r.Uint32() & wire.StartMask,
		}
		l := NewLink(s, n.o.profile, id, 2*time.Second, 0)
		d.Add(&l.Port)
		dev.ShuffleCompletions(n.r.Uint64())
		bad := fault.New(dev, n.o.wire, func() wire.Time { return n.now })
		n.wires = append(n.wires, bad)
		mac := wire.MAC{2, 0xFE, byte(len(n.wires))}
		d.Attach(&l.Port, []frame.Device{bad}, mac, n.o.mtu+n.o.ports.Overhead())
		d.SetUp(&l.Port, true, 0)
		n.put(d, &l.Port, bridge.PortSettings{Tagged: []uint16{10, 20}, Learning: true})
	}
}

// round works every bridge once and moves the clock.
func (n *lan) round() error {
	work := 0
	next := n.now + 1e6
	for i := range n.domains {
		if err := n.handOver(i); err != nil {
			return err
		}
		d := n.domains[i]
		if err := n.renew(d, 100); err != nil {
			return err
		}
		worked, at := d.Step(n.now)
		work += worked
		next = min(next, at)
	}
	for _, w := range n.wires {
		next = min(next, w.Next())
	}
	if n.steps++; work > 0 {
		n.now += 5e3
	} else {
		n.now = max(n.now+1e3, next)
	}
	for _, h := range n.hosts {
		if err := h.receive(); err != nil {
			return err
		}
	}
	for i, d := range n.domains {
		if err := d.conserved(); err != nil {
			return fmt.Errorf("bridge %d: %w", i, err)
		}
	}
	return nil
}

// until runs rounds until done says so.
func (n *lan) until(goal string, limit time.Duration, done func() bool) error {
	for end := n.now.Add(limit); !done(); {
		if err := n.round(); err != nil {
			return err
		}
		if n.now > end {
			return fmt.Errorf("%s: not within %v", goal, limit)
		}
	}
	return nil
}

// established tells whether LLR is up on every link.
func (n *lan) established() bool {
	for _, d := range n.domains {
		for _, p := range d.links {
			l := p.Link
			if !l.LLR.Rx.Live() || l.outgoing() != nil || l.channels != l.vcs() {
				return false
			}
		}
	}
	return true
}

// mac is the address of a host.
func (h *lanHost) mac() wire.MAC { return wire.MAC{2, 0, 0, 0, 1, byte(h.number)} }

// send has a host send its next frame; to is nil for a broadcast. It is false if its
// interface has no room.
func (n *lan) send(h, to *lanHost) bool {
	var buf [9100]byte
	f := buf[:60+n.r.IntN(n.o.spread-40)]
	copy(f, []byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF})
	if to != nil {
		mac := to.mac()
		copy(f, mac[:])
	}
	mac := h.mac()
	copy(f[6:], mac[:])
	f[12], f[13], f[14] = 0x90, 0x01, byte(h.number)
	binary.BigEndian.PutUint32(f[15:], h.sent)
	for i := 19; i < len(f); i++ {
		f[i] = byte(h.sent) ^ byte(i)
	}
	if !h.host.Send(f) {
		return false
	}
	for _, x := range n.hosts {
		if x != h && (x == to || to == nil) && (x.vlan == h.vlan || !n.bridge.VLANFiltering) {
			x.owed[h.number] = append(x.owed[h.number], h.sent)
		}
	}
	h.sent++
	return true
}

// receive checks what has come to a host: whole, of its VLAN, in order, none twice.
func (h *lanHost) receive() error {
	for f := h.host.Recv(); f != nil; f = h.host.Recv() {
		if len(f) < 60 || f[12] != 0x90 {
			return fmt.Errorf("host %d got %x", h.number, f)
		}
		from, number := int(f[14]), binary.BigEndian.Uint32(f[15:])
		for i := 19; i < len(f); i++ {
			if f[i] != byte(number)^byte(i) {
				return fmt.Errorf("host %d got frame %d of host %d damaged", h.number, number, from)
			}
		}
		if number < h.last[from] {
			return fmt.Errorf("host %d got frame %d of host %d after frame %d", h.number, number, from, h.last[from]-1)
		}
		h.last[from] = number + 1
		h.got++
		owed := h.owed[from]
		for len(owed) > 0 && owed[0] < number {
			owed = owed[1:]
			h.missing++
		}
		if len(owed) > 0 && owed[0] == number {
			owed = owed[1:]
		}
		h.owed[from] = owed
	}
	return nil
}

// waits is how many frames a host is owed.
func (h *lanHost) waits() (frames int) {
	for _, owed := range h.owed {
		frames += len(owed)
	}
	return frames
}

// outgoing says why a link's transmitter is not up.
func (l *Link) outgoing() error {
	if s := l.LLR.Tx.State().String(); s != "ADVANCE" && s != "REPLAY" {
		return fmt.Errorf("tx %s", s)
	}
	if !l.Partner.Present() {
		return fmt.Errorf("partner not known")
	}
	return nil
}

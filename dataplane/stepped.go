package dataplane

import (
	"fmt"
	"math/rand/v2"
	"time"

	"uelink/dataplane/bridge"
	"uelink/dataplane/frame"
	"uelink/llr"
	"uelink/wire"
)

// steppedDrain is how long a link of a Stepped that is switched off may deliver.
const steppedDrain = 2 * time.Second

// steppedAddresses is how many addresses the bridge of a Stepped learns at most.
const steppedAddresses = 1024

// Stepped is an edge and its links without a worker, a clock or an interface of the kernel: the
// frame path of the daemon, and its caller gives it devices and says what time it is. Package lab
// builds benches of it. It belongs to one goroutine.
type Stepped struct {
	domain *domain
	edge   *port
	links  []*link
}

// NewStepped returns an xconnect whose ports have no devices yet. Settings and profile are valid
// ones; the seed decides what is random at the start of a link. now is monotonic time in
// nanoseconds, as it is in every other method.
func NewStepped(edge, lnk PortSettings, p llr.Profile, seed uint64, now int64) *Stepped {
	s := newStepped(edge, now)
	l := s.addLink(lnk, p, rand.New(rand.NewPCG(seed, 0)), now)
	s.edge.other, l.other = &l.port, s.edge
	return s
}

// NewSteppedBridge returns a bridge of an edge port, with the station of an address behind it, and
// of so many links with the same settings.
func NewSteppedBridge(
	edge, lnk PortSettings, links int, station wire.MAC, p llr.Profile, seed uint64, now int64,
) *Stepped {
	s := newStepped(edge, now)
	s.domain.bridge = bridge.New(bridge.Settings{MaxEntries: steppedAddresses}, seed, now)
	s.bridged(s.edge, bridge.PortSettings{Static: []bridge.Address{{MAC: station}}})
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range links {
		lnk.Name = fmt.Sprintf("link%d", i)
		s.bridged(&s.addLink(lnk, p, r, now).port, bridge.PortSettings{Learning: true})
	}
	return s
}

func newStepped(edge PortSettings, now int64) *Stepped {
	s := &Stepped{domain: newDomain(int64(steppedDrain)), edge: newPort(edge, llr.Profile{}, 0, now)}
	s.domain.add(s.edge)
	return s
}

func (s *Stepped) addLink(settings PortSettings, p llr.Profile, r *rand.Rand, now int64) *link {
	id := identity{
		seq: r.Uint32() & wire.SeqMask, nonce: [2]byte{byte(r.Uint32()), byte(r.Uint32())},
		start: r.Uint32() & wire.StartMask,
	}
	l := newLink(settings, p, id, int64(steppedDrain), now)
	s.links = append(s.links, l)
	s.domain.add(&l.port)
	return l
}

// bridged makes a port one of the bridge.
func (s *Stepped) bridged(p *port, settings bridge.PortSettings) {
	if err := s.domain.bridge.SetPort(p.number, settings); err != nil {
		panic("dataplane: " + err.Error())
	}
}

// AttachEdge gives the edge port an interface that is up, of that MTU in octets.
func (s *Stepped) AttachEdge(d frame.Device, mac wire.MAC, mtu int, now int64) {
	s.attach(s.edge, d, mac, mtu, now)
}

// AttachLink gives link number i, from 0, one, whose speed is so many Mb/s, 0 for not known. Its
// MTU has to be larger than the edge's by the Overhead of its settings.
func (s *Stepped) AttachLink(i int, d frame.Device, mac wire.MAC, mtu, speed int, now int64) {
	s.attach(&s.links[i].port, d, mac, mtu, now)
	s.links[i].setSpeed(speed)
}

func (s *Stepped) attach(p *port, d frame.Device, mac wire.MAC, mtu int, now int64) {
	s.domain.attach(p, []frame.Device{d}, mac, mtu)
	s.domain.setUp(p, true, now)
}

// Step works one batch from each port. It returns how many frames it moved, and when it has
// something to do by itself.
func (s *Stepped) Step(now int64) (worked int, deadline int64) { return s.domain.step(now) }

// Edge is a snapshot of the edge port.
func (s *Stepped) Edge() PortState { return s.edge.state(s.domain.last) }

// Links is how many links there are.
func (s *Stepped) Links() int { return len(s.links) }

// Link is a snapshot of link number i.
func (s *Stepped) Link(i int) PortState { return s.links[i].state(s.domain.last) }

// Outstanding is how many frames the links have sent that are not acknowledged.
func (s *Stepped) Outstanding() (frames int) {
	for _, l := range s.links {
		n, _ := l.llr.Tx.Outstanding()
		frames += n
	}
	return frames
}

// NextSeq is the sequence number that the next frame gets that the first link sends.
func (s *Stepped) NextSeq() uint32 { return s.links[0].llr.Tx.NextSeq() }

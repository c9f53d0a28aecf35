package dataplane

import (
	"math/rand/v2"
	"time"

	"uelink/dataplane/frame"
	"uelink/llr"
	"uelink/wire"
)

// steppedDrain is how long the link of a Stepped that is switched off may deliver.
const steppedDrain = 2 * time.Second

// Stepped is an xconnect without a worker, a clock or an interface of the kernel: the frame path
// of the daemon, and its caller gives it devices and says what time it is. Package lab builds
// benches of it. It belongs to one goroutine.
type Stepped struct {
	domain *domain
	edge   *port
	link   *link
}

// NewStepped returns an xconnect whose ports have no devices yet. Settings and profile are valid
// ones; the seed decides what is random at the start of a link. now is monotonic time in
// nanoseconds, as it is in every other method.
func NewStepped(edge, lnk PortSettings, p llr.Profile, seed uint64, now int64) *Stepped {
	r := rand.New(rand.NewPCG(seed, 0))
	id := identity{
		seq: r.Uint32() & wire.SeqMask, nonce: [2]byte{byte(r.Uint32()), byte(r.Uint32())},
		start: r.Uint32() & wire.StartMask,
	}
	s := &Stepped{
		domain: newDomain(int64(steppedDrain)),
		edge:   newPort(edge, llr.Profile{}, 0, now),
		link:   newLink(lnk, p, id, int64(steppedDrain), now),
	}
	s.domain.add(s.edge)
	s.domain.add(&s.link.port)
	s.edge.other, s.link.other = &s.link.port, s.edge
	return s
}

// AttachEdge gives the edge port an interface that is up, of that MTU in octets.
func (s *Stepped) AttachEdge(d frame.Device, mac wire.MAC, mtu int, now int64) {
	s.attach(s.edge, d, mac, mtu, now)
}

// AttachLink gives the link port one, whose speed is so many Mb/s, 0 for not known. Its MTU has to
// be wire.Overhead larger than the edge's.
func (s *Stepped) AttachLink(d frame.Device, mac wire.MAC, mtu, speed int, now int64) {
	s.attach(&s.link.port, d, mac, mtu, now)
	s.link.setSpeed(speed)
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

// Link is a snapshot of the link port.
func (s *Stepped) Link() PortState { return s.link.state(s.domain.last) }

// Outstanding is how many frames the link has sent that are not acknowledged.
func (s *Stepped) Outstanding() int {
	n, _ := s.link.llr.Tx.Outstanding()
	return n
}

// NextSeq is the sequence number that the next frame gets that the link sends.
func (s *Stepped) NextSeq() uint32 { return s.link.llr.Tx.NextSeq() }

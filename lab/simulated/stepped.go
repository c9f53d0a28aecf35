package simulated

import (
	"fmt"
	"math/rand/v2"
	"time"

	"uelink/dataplane/bridge"
	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/path"
	"uelink/llr"
	"uelink/wire"
)

// steppedDrain is the most time that a link of a Stepped may deliver after it was switched off.
const steppedDrain = 2 * time.Second

// steppedAddresses is how many addresses the bridge of a Stepped learns at most.
const steppedAddresses = 1024

// Stepped is an edge and its links without a worker, a clock or an interface of the kernel: the daemon's frame path,
// with devices and time from the caller. A Stepped belongs to one goroutine.
type Stepped struct {
	domain *path.Domain
	edge   *path.Port
	links  []link
}

// link is a link port that speaks LLR or HIPPI-6400-PH.
type link struct {
	*path.Port
	llr *path.Link // nil: the link speaks HIPPI-6400-PH
}

// NewStepped returns the frame path of an edge port and a link port tied together (xconnect). The ports have no
// devices yet. Settings and LLR profile must be valid; the seed decides the random values at the start of a link.
func NewStepped(edge, lnk model.PortSettings, p llr.Profile, seed uint64, now wire.Time) *Stepped {
	s := newStepped(edge, now)
	l := s.addLink(lnk, p, rand.New(rand.NewPCG(seed, 0)), now)
	s.edge.Other, l.Other = l, s.edge
	return s
}

// NewSteppedBridge returns the frame path of a bridge of one edge port and of several link ports with equal
// settings, without devices yet. station is the address of the station behind the edge. Otherwise as NewStepped.
func NewSteppedBridge(
	edge, lnk model.PortSettings, links int, station wire.MAC, p llr.Profile, seed uint64, now wire.Time,
) *Stepped {
	s := newStepped(edge, now)
	s.domain.Bridge = bridge.New(bridge.Settings{MaxEntries: steppedAddresses}, seed, now)
	s.bridged(s.edge, bridge.PortSettings{Static: []bridge.Address{{MAC: station}}})
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range links {
		lnk.Name = fmt.Sprintf("link%d", i)
		s.bridged(s.addLink(lnk, p, r, now), bridge.PortSettings{Learning: true})
	}
	return s
}

// newStepped returns a frame path that has only the edge port.
func newStepped(edge model.PortSettings, now wire.Time) *Stepped {
	s := &Stepped{domain: path.NewDomain(steppedDrain), edge: path.NewPort(edge, llr.Profile{}, 0, now)}
	s.domain.Add(s.edge)
	return s
}

// addLink adds a link of either protocol. r is the source of the link's random start values: sequence number, nonce and
// start id.
func (s *Stepped) addLink(settings model.PortSettings, p llr.Profile, r *rand.Rand, now wire.Time) *path.Port {
	id := path.Identity{
		Seq: r.Uint32() & wire.SeqMask, Nonce: [2]byte{byte(r.Uint32()), byte(r.Uint32())},
		Start: r.Uint32() & wire.StartMask,
	}
	var l link
	if settings.Protocol == model.HIPPI6400 {
		l.Port = &path.NewHIPPI(settings, id, now).Port
	} else {
		l.llr = path.NewLink(settings, p, id, steppedDrain, now)
		l.Port = &l.llr.Port
	}
	s.links = append(s.links, l)
	s.domain.Add(l.Port)
	return l.Port
}

// bridged adds a port to the bridge with these settings, and panics if the bridge refuses them.
func (s *Stepped) bridged(p *path.Port, settings bridge.PortSettings) {
	if err := s.domain.Bridge.SetPort(p.Number, settings); err != nil {
		panic("simulated: " + err.Error())
	}
}

// AttachEdge gives the edge port its device d, as an interface that is up, with an address and an MTU in octets.
func (s *Stepped) AttachEdge(d frame.Device, mac wire.MAC, mtu int, now wire.Time) {
	s.attach(s.edge, d, mac, mtu, now)
}

// AttachLink gives link i, from 0, its device d, as an interface that is up. speed is in Mb/s, 0 for not known.
// The MTU, in octets, must exceed the edge's by the Overhead of the link's settings.
func (s *Stepped) AttachLink(i int, d frame.Device, mac wire.MAC, mtu, speed int, now wire.Time) {
	s.attach(s.links[i].Port, d, mac, mtu, now)
	if l := s.links[i].llr; l != nil {
		l.Port.SetSpeed(speed)
	}
}

// attach gives a port its device d, as an interface that is up.
func (s *Stepped) attach(p *path.Port, d frame.Device, mac wire.MAC, mtu int, now wire.Time) {
	s.domain.Attach(p, []frame.Device{d}, mac, mtu)
	s.domain.SetUp(p, true, now)
}

// ConfigureEdge applies new settings to the edge port, as a reload of the daemon does between two rounds.
func (s *Stepped) ConfigureEdge(settings model.PortSettings, now wire.Time) {
	s.domain.Configure(s.edge, settings, llr.Profile{}, now)
}

// ConfigureLink applies new settings and an LLR profile to link i, from 0, as a reload of the daemon does between two
// rounds.
func (s *Stepped) ConfigureLink(i int, settings model.PortSettings, p llr.Profile, now wire.Time) {
	s.domain.Configure(s.links[i].Port, settings, p, now)
}

// SetLLRLocal switches LLR_MODE_LOCAL of link i, from 0, as a command does.
func (s *Stepped) SetLLRLocal(i int, on bool, now wire.Time) { s.links[i].llr.AllowLocal(on, now) }

// SetLLRRemote switches LLR_MODE_REMOTE of link i, from 0, as a command does.
func (s *Stepped) SetLLRRemote(i int, on bool, now wire.Time) { s.links[i].llr.AllowRemote(on, now) }

// Step receives, handles and sends one batch of frames at each port. It returns the number of frames moved, and
// when Step must be called next if no frame arrives.
func (s *Stepped) Step(now wire.Time) (worked int, deadline wire.Time) { return s.domain.Step(now) }

// Edge returns a snapshot of the state of the edge port.
func (s *Stepped) Edge() model.PortState { return s.edge.State(s.domain.Last) }

// Links returns the number of link ports.
func (s *Stepped) Links() int { return len(s.links) }

// Link returns a snapshot of the state of link i, from 0.
func (s *Stepped) Link(i int) model.PortState { return s.links[i].State(s.domain.Last) }

// Outstanding returns how many frames sent by all links together are not acknowledged yet; of a link that speaks
// HIPPI-6400-PH, micropackets.
func (s *Stepped) Outstanding() (n int) {
	for _, l := range s.links {
		if l.llr == nil {
			n += l.HIPPI.End.Source().Outstanding()
			continue
		}
		frames, _ := l.llr.LLR.Tx.Outstanding()
		n += frames
	}
	return n
}

// NextSeq returns the LLR sequence number that the next new frame of the first link, which speaks LLR, will have.
func (s *Stepped) NextSeq() uint32 { return s.links[0].llr.LLR.Tx.NextSeq() }

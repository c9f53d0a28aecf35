package llr

import (
	"math"
	"math/rand/v2"
	"time"

	"uelink/wire"
	"uelink/wire/wiretest"
)

// packet is a frame or a control ordered set in flight to a station.
type packet struct {
	to     *station
	ctl    wire.CtlOS   // control if it has a type
	with   []wire.CtlOS // STATION in the same control frame
	seq    uint32
	id     int // what the frame carries: the number that its sender counted
	length int
	fcs    wire.FCS
	bare   bool
	behind bool // the wire lets the next packet overtake it
}

// network is a wire between two stations in virtual time.
type network struct {
	now   wire.Time
	a, b  *station
	batch int           // most packets that a station takes between two polls
	room  int           // most frames that a station posts between two polls
	pace  time.Duration // how soon it posts more after that
	// fate says when a packet arrives: one delay for each copy, none if it is
	// lost. It may damage the packet.
	fate func(from *station, p *packet, delays []time.Duration) []time.Duration
	log  *journal
	// renews draws when a station continues with another link that has its state; nil: never.
	renews *rand.Rand
	// renewed counts how often a station did.
	renewed uint64

	wire   wiretest.Arrivals[packet]
	delays []time.Duration
	failed func(format string, args ...any)
}

// newNetwork joins two stations; faults of either are told to failed.
func newNetwork(a, b *station, failed func(format string, args ...any)) *network {
	n := &network{a: a, b: b, batch: 32, room: math.MaxInt, pace: 1000, failed: failed}
	a.net, b.net, a.peer, b.peer = n, n, b, a
	return n
}

// send puts a packet on the wire; with the carrier lost at either end it is gone.
func (n *network) send(from *station, p packet) {
	p.to = from.peer
	if from.down || from.peer.down {
		return
	}
	n.delays = n.fate(from, &p, n.delays[:0])
	for _, d := range n.delays {
		if p.behind {
			n.wire.PutBehind(n.now.Add(d), p)
		} else {
			n.wire.Put(n.now.Add(d), p)
		}
	}
}

// run lets time pass until it is end.
func (n *network) run(end wire.Time) {
	for {
		t := min(n.a.wake, n.b.wake, n.wire.Earliest(wire.Never))
		if t > end {
			break
		}
		n.now = max(n.now, t)
		n.instant()
	}
	n.now = end
}

// instant does all that happens at this moment: each station takes what has
// arrived for it, batch by batch, and with the last one finds its ring empty.
func (n *network) instant() {
	for _, s := range []*station{n.a, n.b} {
		s.inbox = s.inbox[:0]
	}
	for p, ok := n.wire.Take(n.now); ok; p, ok = n.wire.Take(n.now) {
		p.to.inbox = append(p.to.inbox, p)
	}
	for _, s := range []*station{n.a, n.b} {
		for len(s.inbox) > n.batch {
			s.work(s.inbox[:n.batch], false)
			s.inbox = s.inbox[n.batch:]
		}
		if len(s.inbox) > 0 || s.wake <= n.now {
			s.work(s.inbox, true)
		}
	}
}

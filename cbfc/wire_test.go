package cbfc

import (
	"slices"
	"time"

	"uelink/wire"
	"uelink/wire/wiretest"
)

// packet is a frame or a control frame in flight to a machine.
type packet struct {
	to        *machine
	control   []wire.CtlOS // of a control frame
	counts    *wire.CCUpdate
	id        int // of a frame: the how manieth of its channel
	octets    int
	seq       uint32
	vc        uint8
	sequenced bool
	bad       bool
}

// network is a wire between two machines in virtual time.
type network struct {
	now    wire.Time
	ends   [2]*machine
	fate   func(p *packet, delays []time.Duration) []time.Duration // when each copy arrives; it may damage the packet
	check  func()                                                  // is called after each step of a machine
	failed func(format string, args ...any)

	wire   wiretest.Arrivals[packet]
	delays []time.Duration
}

// send puts a packet on the wire.
func (n *network) send(p packet) {
	n.delays = n.fate(&p, n.delays[:0])
	for _, d := range n.delays {
		n.wire.Put(n.now.Add(d), p)
	}
}

// run lets time pass until it is end.
func (n *network) run(end wire.Time) {
	for {
		t := min(n.ends[0].wake, n.ends[1].wake, n.wire.Earliest(wire.Never))
		if t > end {
			n.now = end
			return
		}
		n.now = max(n.now, t)
		n.instant()
	}
}

// instant has both machines do all that they have to do at this moment.
func (n *network) instant() {
	for p, ok := n.wire.Take(n.now); ok; p, ok = n.wire.Take(n.now) {
		p.to.inbox = append(p.to.inbox, p)
	}
	for _, m := range n.ends {
		if len(m.inbox) == 0 && m.wake > n.now {
			continue
		}
		m.work()
		m.inbox = m.inbox[:0]
		n.check()
	}
}

// quiet reports whether nothing is on the wire.
func (n *network) quiet() bool { return n.wire.Len() == 0 }

// drainer is who reads a channel's buffer, at its own pace.
type drainer struct {
	held   []int         // credits of the frames in the buffer, oldest first
	period time.Duration // of one frame
	next   wire.Time     // when the next is read
}

// store takes a frame in.
func (d *drainer) store(credits int, now wire.Time) {
	if len(d.held) == 0 {
		d.next = max(d.next, now.Add(d.period))
	}
	d.held = append(d.held, credits)
}

// read gives the credits of the next frame that is read by now.
func (d *drainer) read(now wire.Time) (credits int, ok bool) {
	if len(d.held) == 0 || d.next > now {
		return 0, false
	}
	credits = d.held[0]
	d.held = slices.Delete(d.held, 0, 1)
	d.next = d.next.Add(d.period)
	return credits, true
}

func (d *drainer) wake() wire.Time {
	if len(d.held) == 0 {
		return wire.Never
	}
	return d.next
}

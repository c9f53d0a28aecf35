package simulated

import (
	"slices"
	"time"

	"uelink/dataplane/fault"
	"uelink/dataplane/frame"
	"uelink/dataplane/mem"
	"uelink/dataplane/model"
	"uelink/wire"
)

// longestStep is how far the clock moves at most while nothing is due.
const longestStep = time.Millisecond

// burst is the number of steps of the clock whose frames the edge of B may send at once. The edge sends only when the
// bench makes a step, so it may be a few steps late, and then sends the frames of all these steps.
const burst = 3

// Bench is a set of ends and the wires between them. A Bench belongs to one goroutine.
type Bench struct {
	A, B    *End   // A is the first of the senders
	Senders []*End // the ends that have a link to B
	options Options
	now     wire.Time
}

// End is one end of one or several links: an xconnect or a bridge, and the host behind its edge port.
type End struct {
	*Stepped
	Host   *Host // sends to the edge port, and receives from it
	number byte
	wires  []wireEnd // the end's side of the wire of each link
	frozen bool
}

// wireEnd is the receiving side of a link port: the memory wire, a script, and the delay and faults of the wire.
type wireEnd struct {
	mem      *mem.Device
	scripted *scripted
	delay    *fault.Device
}

// New builds the ends, wires and hosts that the options describe, in memory. LLR is not up yet: see Establish.
func New(o Options) *Bench {
	b := &Bench{options: o, now: 1}
	senders := max(1, o.Senders)
	b.B = b.newEnd(1, senders)
	for i := range senders {
		a := b.newEnd(2*byte(i), 1)
		b.Senders = append(b.Senders, a)
		b.join(a, i)
	}
	b.A = b.Senders[0]
	return b
}

// ends returns every end of the bench: the senders, and then the receiving end B.
func (b *Bench) ends() []*End { return append(b.Senders[:len(b.Senders):len(b.Senders)], b.B) }

// newEnd makes an end with a host behind its edge port, and with this number of links, which have no wires yet; several
// links are joined to the edge by a bridge. number is 1 for B, else twice the number of the sender.
func (b *Bench) newEnd(number byte, links int) *End {
	o, seed := b.options, fault.Stream(b.options.Seed, int(number))
	settings := o.Edge
	if number == 1 { // the edge of B sends at the rate Drain
		settings.Scheduler.Rate = o.Drain
		settings.Scheduler.Burst = uint32(o.Drain * uint64(burst*o.Step) / 8e9)
	}
	e := &End{number: number}
	if links == 1 {
		e.Stepped = NewStepped(settings, o.Link, o.Profile, seed, b.now)
	} else {
		e.Stepped = NewSteppedBridge(settings, o.Link, links, destMAC, o.Profile, seed, b.now)
	}
	spare := o.Ring + settings.Assured()
	g := frame.Geometry{ChunkSize: o.Chunk, RX: o.Ring + spare, Spare: spare, TX: o.Ring}
	edge, host := mem.NewPair(g, frame.Geometry{ChunkSize: o.Chunk, RX: 4 * o.Ring, TX: o.Ring}, o.Ring)
	e.Host = newHost(host, sourceMAC(number), o.Edge.PFC)
	e.AttachEdge(edge, wire.MAC{2, 0, 0, 0, 1, number}, o.MTU, b.now)
	return e
}

// join puts a wire in memory between the only link of sender a and link i of B. Each end of the wire has room for a
// full ring, for assured and kept frames, and for the replay buffer.
func (b *Bench) join(a *End, i int) {
	o := b.options
	spare := o.Ring + o.Link.Assured()
	frames := o.Profile.KeptFrames()
	g := frame.Geometry{
		ChunkSize: o.Chunk, RX: 3*o.Ring + spare + frames, Spare: spare, Kept: frames, TX: o.Ring + o.Profile.ReplaySlots(),
	}
	x, y := mem.NewPair(g, g, o.Ring)
	b.plug(a, 0, x, 2*byte(i))
	b.plug(b.B, i, y, 2*byte(i)+1)
}

// plug attaches link number link of an end to its side of a wire, dev, with the faults and the delay of the
// options. number is different for each link of the bench, for address and random numbers.
func (b *Bench) plug(e *End, link int, dev *mem.Device, number byte) {
	o := b.options
	w := o.Wire
	w.Seed = fault.Stream(o.Seed, int(number))
	s := &scripted{Device: dev}
	d := fault.New(s, w, func() wire.Time { return b.now })
	e.wires = append(e.wires, wireEnd{dev, s, d})
	e.AttachLink(link, d, wire.MAC{2, 0, 0, 0, 0, number}, o.MTU+o.Link.Overhead(), o.Speed, b.now)
}

// Link returns a snapshot of the state of the end's first link.
func (e *End) Link() model.PortState { return e.Stepped.Link(0) }

// LinkTo returns a snapshot of the state of the end's link i, from 0.
func (e *End) LinkTo(i int) model.PortState { return e.Stepped.Link(i) }

// SetScript makes a script handle all frames that arrive at the links of the end from now on: the script may
// change or drop each frame. nil ends that.
func (e *End) SetScript(s Script) {
	for _, w := range e.wires {
		w.scripted.script = s
	}
}

// SetUp switches the carrier of the wire between a sender and B on or off, at both ends. While it is off, frames on
// the wire are lost.
func (b *Bench) SetUp(sender *End, up bool) {
	i := slices.Index(b.Senders, sender)
	for _, side := range []struct {
		end  *End
		link int
	}{{sender, 0}, {b.B, i}} {
		side.end.wires[side.link].mem.SetUp(up)
		side.end.domain.SetUp(side.end.links[side.link].Port, up, b.now)
	}
}

// SetWire changes the faults of the wires that end e receives from, for the frames that arrive from now on. Delay and
// rate stay those of the options.
func (b *Bench) SetWire(e *End, bad fault.Config) {
	bad.Delay, bad.Jitter, bad.RateBPS = b.options.Wire.Delay, b.options.Wire.Jitter, b.options.Wire.RateBPS
	for i, w := range e.wires {
		bad.Seed = fault.Stream(b.options.Seed, int(e.number)<<8+i)
		w.delay.SetConfig(bad)
	}
}

// Freeze stops the end, as SIGSTOP stops a daemon: until Thaw it handles no frame and no timer, and its rings fill.
func (e *End) Freeze() { e.frozen = true }

// Thaw lets a frozen end go on.
func (e *End) Thaw() { e.frozen = false }

// Now returns the time of the virtual clock.
func (b *Bench) Now() wire.Time { return b.now }

// Round lets every end handle a batch of frames and moves the virtual clock: by a step after work, or while a link
// has unread frames; else to the next deadline or to latest, whichever is first, at most 1 ms.
func (b *Bench) Round(latest wire.Time) {
	next, work := latest, 0
	for _, e := range b.ends() {
		if e.frozen {
			continue
		}
		e.Host.repeat(b.now)
		n, at := e.Step(b.now)
		work += n
		next = min(next, at, e.Host.repeatAt)
		for _, w := range e.wires {
			next = min(next, w.delay.Next())
		}
	}
	if work > 0 || b.pending() {
		b.now = b.now.Add(b.options.Step)
		return
	}
	b.now = max(b.now.Add(b.options.Step), min(next, b.now.Add(longestStep)))
}

// pending reports whether a frame that has arrived at any link of an end that is not frozen is still unread.
func (b *Bench) pending() bool {
	for _, e := range b.ends() {
		if e.frozen {
			continue
		}
		for _, w := range e.wires {
			if w.mem.Pending() > 0 {
				return true
			}
		}
	}
	return false
}

// Until runs rounds until done returns true, and then returns true. It returns false when the virtual clock has
// passed limit. done is called before every round.
func (b *Bench) Until(done func() bool, limit time.Duration) bool {
	for end := b.now.Add(limit); !done(); b.Round(wire.Never) {
		if b.now > end {
			return false
		}
	}
	return true
}

package path

import (
	"time"

	"uelink/dataplane/acd"
	"uelink/dataplane/bridge"
	"uelink/dataplane/frame"
	"uelink/wire"
)

// Domain is a set of ports that can send to each other: an edge and a link tied together by an xconnect, or the ports
// of a bridge.
type Domain struct {
	ports     []*Port        // by number; nil: no port has the number
	links     []*Port        // the ports that are links
	Edges     []*Port        // the other ports
	Bridge    *bridge.Bridge // nil: an xconnect
	events    []bridge.Event // scratch
	trace     *Trace         // nil: no frames are traced
	warmed    uint64         // sink for warm's reads, so that the compiler cannot remove them
	sources   []*source
	entries   entries
	Trimming  trimming
	crowded   bool          // so many frames wait in an RX ring that the next rounds have full batches
	prompt    bool          // a link acknowledges in the round (HIPPI-6400-PH): no frame is held back, and edges go first
	freed     bool          // some chunks wait to be returned to a source
	gathered  bool          // posted frames wait for Flush of gathering, at the end of the worker's round
	orphans   int           // sources whose sockets are closed, and whose frames still wait
	Draining  bool          // intake has stopped: an edge's XDP program could not be made to pass frames on to the kernel
	Drain     time.Duration // how long frames wait after their ingress has gone
	dropsAt   wire.Time     // time of the next check for drops
	learning  learning      // of a bridge
	conflicts conflicts
	Last      wire.Time // time of the last step
	rest      wire.Time // nothing to do before this time unless a frame comes

	gathering frame.Gathering // that of the worker; nil: each port sends by system calls of its own
	asker     asker
}

// NewDomain returns a domain without ports; drain is how long frames of closed sockets may wait.
func NewDomain(drain time.Duration) *Domain {
	return &Domain{Drain: drain, conflicts: conflicts{table: acd.New()}}
}

// Step handles one batch of frames from each RX ring. It returns the number of frames moved, and the time of the
// next work without a new frame. In an idle domain it only checks the rings, because a worker may have many
// domains.
func (d *Domain) Step(now wire.Time) (worked int, deadline wire.Time) {
	d.stepped(now)
	d.crowded = false
	// Every edge completes before a link delivers: a frame of a link is copied straight into a slot of an edge.
	for _, p := range d.Edges {
		p.complete()
		if p.pause.on {
			p.notePauses(now)
		}
	}
	for _, l := range d.links {
		l.complete()
		worked += l.link.deliver(d, now)
		if l.caught != nil {
			d.caughtUp(l, now)
		}
	}
	if d.trace != nil {
		d.trace.review(now)
	}
	// The service of the links comes after the control frames just received, which acknowledge what need not be replayed,
	// and before any new frame, which would take the room of replays in the TX ring.
	rests := worked == 0 && now < d.rest
	if !rests {
		worked += d.serve(now)
	}
	for _, p := range d.Edges { // after serve: acknowledgements have freed slots, and replays have taken their room
		worked += d.intake(p, now)
		if p.caught != nil {
			d.caughtUp(p, now)
		}
	}
	if worked == 0 && rests {
		return 0, d.rest
	}
	for _, l := range d.links { // after all that may let waiting frames leave: completions, acknowledgements, credits, PFC
		worked += d.sendQueued(l, batch, now)
		l.link.served(now)
	}
	for _, p := range d.Edges {
		if p.egress.waiting > 0 {
			worked += d.sendQueued(p, batch, now)
		}
		p.judge(now)
		if p.pause.on {
			p.stops(now)
		}
	}
	if d.orphans > 0 {
		d.purge(now)
	}
	d.flush()
	d.asker.ask(d, now)                   // after flush: the kernel takes some 100 µs, and nothing posted must wait for it
	underWay, deadline := d.deadline(now) // last: each step may have set a timer, or left work for want of room
	d.rest = 0
	if worked == 0 && !underWay {
		d.rest = min(deadline, now.Add(maxSleep))
	}
	return worked, deadline
}

// serve does the sending of all links that comes before any new frame of the round. It returns the number of replayed
// frames.
func (d *Domain) serve(now wire.Time) (replays int) {
	if d.trace != nil {
		d.trace.beforeReplays()
	}
	for _, l := range d.links {
		d.flushBeforeNack(l) // the LLR_NACK acknowledges frames that may be posted and not flushed
		replays += l.link.serve(now)
	}
	if d.trace != nil {
		d.trace.afterReplays()
	}
	return replays
}

// stopped is a time between two steps longer than any sleep of a worker: the process, or its machine, must have been
// stopped.
const stopped = 3 * maxSleep / 2

// stepped records the time of a step. If this process was stopped (SIGSTOP, a paused VM), that time does not count
// as silence of the partners. Otherwise the link would forget a partner that was stopped too, and the partner
// would drop the frames then sent without a shim.
func (d *Domain) stepped(now wire.Time) {
	if gap := now.Sub(d.Last); d.Last > 0 && gap >= stopped {
		for _, l := range d.links {
			if l.Link != nil {
				l.Link.Partner.ThisEndStopped(gap)
			}
		}
	}
	d.Last = now
}

// retry is the longest time to the next step while frames wait for room, or are posted and not completed.
const retry = 200 * time.Microsecond

// deadline returns the time of the next work if no frame arrives. underWay reports whether the worker shall look again
// soon (after retry at most): posted frames have not completed, frames wait for room or were caught, or a pump is to be
// asked now.
func (d *Domain) deadline(now wire.Time) (underWay bool, deadline wire.Time) {
	deadline = wire.Never
	for _, l := range d.links {
		underWay = underWay || l.caught != nil || l.blocked || l.Slots.Posted > 0
		deadline = min(deadline, l.link.deadline(now), l.egress.opens())
	}
	for _, p := range d.Edges {
		underWay = underWay || p.caught != nil || p.blocked || p.Slots.Posted > 0
		deadline = min(deadline, p.egress.opens(), p.pause.deadline())
	}
	if at := d.asker.deadline(d, now); at < wire.Never {
		underWay, deadline = underWay || at <= now, min(deadline, at)
	}
	if underWay {
		deadline = min(deadline, now.Add(retry))
	}
	if d.orphans > 0 {
		deadline = min(deadline, d.purgeAt())
	}
	if d.Bridge != nil {
		deadline = min(deadline, d.Bridge.Poll(now))
	}
	return underWay, deadline
}

// slowed reports whether a link of the domain sends smaller batches, because its wire loses frames.
func (d *Domain) slowed() bool {
	for _, l := range d.links {
		if l.link.slowed() {
			return true
		}
	}
	return false
}

// Held returns the number of frames of the domain that wait, are unacknowledged, or have not left an edge port
// yet.
func (d *Domain) Held() (n int) {
	for _, p := range d.ports {
		if p == nil {
			continue
		}
		n += p.egress.waiting
		if p.link == nil {
			n += p.Slots.Posted
			continue
		}
		n += p.link.outstanding()
	}
	return n
}

// maxSleep bounds how long a worker sleeps when nothing is due.
const maxSleep = time.Second

// PortName returns the name of the port with a number in the domain, "?" if there is none.
func (d *Domain) PortName(number int) string {
	if number < 0 || number >= len(d.ports) || d.ports[number] == nil {
		return "?"
	}
	return d.ports[number].settings.Name
}

// port returns the port with a number, nil if there is none.
func (d *Domain) port(number int) *Port {
	if number < 0 || number >= len(d.ports) {
		return nil
	}
	return d.ports[number]
}

package dataplane

// The path of a frame through a domain, which one worker steps round by round:
//
//  1. complete: the TX slots that the kernel has sent become free
//  2. receive from the links (deliver.go): a batch from each RX ring, whatever the
//     neighbours do. Control frames first, because acknowledgements free slots. Then data:
//     shim parsed, FCS image checked, delivered or not as LLR decides
//  3. serve the links (send.go): LLR's ordered sets leave as one control frame, before any
//     data; slots that LLR replays are posted again, without a copy
//  4. receive from the edges (intake.go): a batch, parsed and classified
//  5. forward (forward.go): an xconnect has one egress, a bridge looks the egress up. If nothing
//     is ahead of the frame and the gates are open, the frame is copied into a TX slot at once;
//     from a link to an edge in the pass that checks its FCS image. Else the frame waits in a
//     queue of the egress (queue.go), in the chunk that it was received in (source.go). A queue
//     with trimming but without room trims the frame into the queue of trimmed frames (trimming.go)
//  6. send the waiting frames (forward.go, egress.go): the scheduler picks a queue whose gates are open: the
//     host's PFC (pause.go), credits (credits.go), LLR's window. The frame is copied into a TX
//     slot, and its chunk and its credits are returned
//  7. flush: one system call for each port

import (
	"math"

	"uelink/dataplane/bridge"
)

// domain is a set of ports that can send to each other: an edge and a link tied together by an xconnect, or the ports
// of a bridge.
type domain struct {
	ports    []*port        // by number; nil: no port has the number
	links    []*link        // the ports that are links
	edges    []*port        // the other ports
	bridge   *bridge.Bridge // nil: an xconnect
	events   []bridge.Event // scratch
	warmed   uint64         // sink for warm's reads, so that the compiler cannot remove them
	sources  []*source
	entries  entries
	trimming trimming
	freed    bool  // some chunks wait to be returned to a source
	gone     int   // sources whose sockets are closed, and whose frames still wait
	draining bool  // intake has stopped: the doors of edges could not be closed
	drain    int64 // how long frames wait after their ingress has gone, ns
	dropsAt  int64 // time of the next check for drops, ns
	last     int64 // time of the last step, ns
	rest     int64 // until then nothing to do without a new frame, ns
}

// newDomain returns a domain without ports; drain is the value of domain.drain.
func newDomain(drain int64) *domain { return &domain{drain: drain} }

// step handles one batch from each RX ring. It returns the number of frames moved, and the next deadline. In an idle
// domain step only checks the rings, because a worker may have many domains.
func (d *domain) step(now int64) (worked int, deadline int64) {
	d.stepped(now)
	for _, p := range d.edges {
		p.complete()
		if p.pause.on {
			p.notePauses(now)
		}
	}
	for _, l := range d.links {
		l.complete()
		worked += d.deliver(l, now)
		if l.caught != nil {
			d.caughtUp(&l.port, now)
		}
	}
	rests := worked == 0 && now < d.rest
	if !rests {
		for _, l := range d.links {
			worked += l.serve(now)
		}
	}
	for _, p := range d.edges {
		worked += d.intake(p, now)
		if p.caught != nil {
			d.caughtUp(p, now)
		}
	}
	if worked == 0 && rests {
		return 0, d.rest
	}
	for _, l := range d.links {
		worked += d.sendQueued(&l.port, batch, now)
		l.served()
	}
	for _, p := range d.edges {
		if p.waiting > 0 {
			worked += d.sendQueued(p, batch, now)
		}
		p.judge(now)
		if p.pause.on {
			p.stops(now)
		}
	}
	if d.gone > 0 {
		d.purge(now)
	}
	d.flush()
	underWay, deadline := d.deadline(now)
	d.rest = 0
	if worked == 0 && !underWay {
		d.rest = min(deadline, now+maxSleep)
	}
	return worked, deadline
}

// stopped is a time between two steps longer than any sleep of a worker: the process, or its machine, must have been
// stopped.
const stopped = 3 * maxSleep / 2

// stepped records the time of the step. If this process was stopped (SIGSTOP, a paused VM), that time does not count as
// silence of the partners. Otherwise the link would forget a partner that was stopped too, and the partner would drop
// the frames then sent without a shim.
func (d *domain) stepped(now int64) {
	if gap := now - d.last; d.last > 0 && gap >= stopped {
		for _, l := range d.links {
			l.partner.ThisEndStopped(gap)
		}
	}
	d.last = now
}

// retry is the longest time to the next step while frames wait for room, or are posted and not completed.
const retry = 200e3 // ns

// deadline returns the time of the next work without a new frame; underWay reports whether posted frames have not
// completed, or frames wait for room.
func (d *domain) deadline(now int64) (underWay bool, deadline int64) {
	deadline = math.MaxInt64
	for _, l := range d.links {
		underWay = underWay || l.caught != nil || l.blocked || l.slots.posted > 0
		deadline = min(deadline, l.deadline(now), l.opens())
	}
	for _, p := range d.edges {
		underWay = underWay || p.caught != nil || p.blocked || p.slots.posted > 0
		deadline = min(deadline, p.opens(), p.pause.deadline())
	}
	if underWay {
		deadline = min(deadline, now+retry)
	}
	if d.gone > 0 {
		deadline = min(deadline, d.purgeAt())
	}
	if d.bridge != nil {
		deadline = min(deadline, d.bridge.Poll(now))
	}
	return underWay, deadline
}

// flush hands the posted frames to the kernel. The port with most frames goes last, so that it delays the other ports
// least, and a single frame does not wait for the acknowledgement of the frame before it. On a wire that loses frames
// the links go first: the sooner a partner learns of a loss, the fewer frames follow.
func (d *domain) flush() {
	d.recycle()
	if d.slowed() {
		d.flushLinks(nil)
		d.flushEdges(nil)
		return
	}
	last := d.busiest()
	d.flushEdges(last)
	d.flushLinks(last)
	if last != nil {
		last.flush()
	}
}

// recycle returns to each source the chunks of frames that waited, and are sent or dropped now.
func (d *domain) recycle() {
	if !d.freed {
		return
	}
	d.freed = false
	for _, s := range d.sources {
		if s != nil {
			s.recycle()
		}
	}
}

func (d *domain) flushLinks(but *port) {
	for _, l := range d.links {
		if &l.port != but {
			l.flush()
		}
	}
}

func (d *domain) flushEdges(but *port) {
	for _, p := range d.edges {
		if p != but {
			p.flush()
		}
	}
}

// busiest returns the port with most posted frames; among equal ports, a link.
func (d *domain) busiest() (most *port) {
	for _, p := range d.edges {
		if most == nil || p.unsent > most.unsent {
			most = p
		}
	}
	for _, l := range d.links {
		if most == nil || l.unsent >= most.unsent {
			most = &l.port
		}
	}
	return most
}

// slowed reports whether the pace of a link is lowered, because its wire loses frames.
func (d *domain) slowed() bool {
	for _, l := range d.links {
		if l.pace.slowed() {
			return true
		}
	}
	return false
}

// held returns the number of frames that wait, are unacknowledged, or have not left an edge port yet.
func (d *domain) held() (n int) {
	for _, p := range d.ports {
		if p == nil {
			continue
		}
		n += p.waiting
		if p.link == nil {
			n += p.slots.posted
			continue
		}
		frames, _ := p.link.llr.Tx.Outstanding()
		n += frames
	}
	return n
}

// maxSleep bounds how long a worker sleeps when nothing is due.
const maxSleep = 1e9 // ns

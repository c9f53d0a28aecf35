package dataplane

// The path of a frame through a domain, which one worker steps round by round:
//
//  1. complete: the TX slots whose posting is over come back
//  2. receive from the links (deliver.go): a batch from each RX ring, whatever the
//     neighbours do. Control frames are worked first, so that slots are freed. Then data:
//     shim parsed, FCS image checked, LLR says deliver or not
//  3. serve the links (send.go): what LLR has to say leaves as one control frame, before any
//     data; slots that LLR wants sent again are posted again, without a copy
//  4. receive from the edges (intake.go): a batch, parsed and classified
//  5. forward (forward.go): an xconnect has one way to go, a bridge looks it up. Where
//     nothing is ahead of the frame and the gates are open it is copied into a TX slot at
//     once; from a link to an edge in the pass that checks its FCS image. Else it waits in a
//     queue of the egress (queue.go), in the chunk that it came in (source.go), or
//     trimmed in another where there is no room for it (trimming.go)
//  6. send what waits (forward.go, egress.go): the scheduler picks a queue whose gates are open: the
//     host's PFC (pause.go), credits (credits.go), LLR's window. The frame is copied into a TX
//     slot, and its chunk goes back, and with it its credits
//  7. flush: one system call for each port

import (
	"math"

	"uelink/dataplane/bridge"
)

// domain is ports that can send to each other: an edge and a link tied together by an
// xconnect, or the ports of a bridge.
type domain struct {
	ports    []*port        // by number; nil: there is none of that number
	links    []*link        // those of the ports that are links
	edges    []*port        // and the others
	bridge   *bridge.Bridge // nil: an xconnect
	events   []bridge.Event // scratch
	warmed   uint64         // what warm has read, so that it has to
	sources  []*source
	entries  entries
	trimming trimming
	freed    bool  // chunks are on their way back to a source
	gone     int   // sources whose sockets have gone
	draining bool  // intake has stopped: the doors of edges could not be closed
	drain    int64 // for how long frames wait whose ingress has gone, ns
	dropsAt  int64 // when drops are looked for next, ns
	last     int64 // when it was stepped last, ns
	rest     int64 // nothing to do until then unless something comes, ns
}

// newDomain returns a domain without ports; drain is what domain.drain is.
func newDomain(drain int64) *domain { return &domain{drain: drain} }

// step works one batch from each RX ring. It returns how many frames it moved and when it
// has something to do by itself. Where nothing is under way and nothing has come it only
// looks: a worker may have many domains.
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

// stopped is a time between two steps that is longer than a worker ever sleeps: then the
// process was stopped, or its machine.
const stopped = 3 * maxSleep / 2

// stepped notes when the domain is stepped. The links do not take a time in which this process
// was stopped for their partners' silence. A partner that may have been stopped, too, would be
// forgotten, and would drop the frames without a shim that it then gets.
func (d *domain) stepped(now int64) {
	if gap := now - d.last; d.last > 0 && gap >= stopped {
		for _, l := range d.links {
			l.partner.ThisEndStopped(gap)
		}
	}
	d.last = now
}

// retry is how soon a round comes back when frames wait for room, or have been
// posted and not completed.
const retry = 200e3 // ns

// deadline is when there is something to do without a frame coming in; underWay tells
// whether frames have been posted and have not completed, or wait for room.
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

// flush has what was posted sent. The port with most frames goes last: so it keeps the
// others waiting least, and a single frame does not wait for the acknowledgement of the
// one before. On a wire that loses frames the links go first: the sooner a partner knows of
// a loss, the fewer frames follow it.
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

// recycle gives back the chunks of frames that have waited.
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

// busiest is the port that most frames were posted to; of equal ones, a link.
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

// slowed tells whether a link loses frames.
func (d *domain) slowed() bool {
	for _, l := range d.links {
		if l.pace.slowed() {
			return true
		}
	}
	return false
}

// held is how many frames wait, are unacknowledged, or have not left an edge port yet.
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

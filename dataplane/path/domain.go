package path

import (
	"time"

	"uelink/dataplane/acd"
	"uelink/dataplane/bridge"
	"uelink/dataplane/frame"
	"uelink/llr"
	"uelink/wire"
)

// Domain is a set of ports that can send to each other: an edge and a link tied together by an xconnect, or the ports
// of a bridge.
type Domain struct {
	ports    []*Port        // by number; nil: no port has the number
	links    []*Port        // the ports that are links
	Edges    []*Port        // the other ports
	Bridge   *bridge.Bridge // nil: an xconnect
	events   []bridge.Event // scratch
	trace    *Trace         // nil: no frames are traced
	warmed   uint64         // sink for warm's reads, so that the compiler cannot remove them
	sources  []*source
	entries  entries
	Trimming trimming
	crowded  bool          // so many frames wait in an RX ring that the next rounds have full batches
	prompt   bool          // a link acknowledges in the round (HIPPI-6400-PH): no frame is held back, and edges go first
	freed    bool          // some chunks wait to be returned to a source
	gathered bool          // frames wait for the end of the worker's round
	gone     int           // sources whose sockets are closed, and whose frames still wait
	Draining bool          // intake has stopped: the doors of edges could not be closed
	Drain    time.Duration // how long frames wait after their ingress has gone
	dropsAt  wire.Time     // time of the next check for drops
	learning learning      // of a bridge
	acd      acd.Table     // IPv4 addresses that the hosts behind the ports claim
	Last     wire.Time     // time of the last step
	rest     wire.Time     // until then nothing to do without a new frame

	gathering frame.Gathering // of the worker; nil: each port's frames leave alone
	asking    bool            // a source of an edge may have a pump and not rest
	turn      int             // number of the edge that is asked first
}

// NewDomain returns a domain without ports; drain is how long frames of closed sockets may wait.
func NewDomain(drain time.Duration) *Domain { return &Domain{Drain: drain, acd: acd.New()} }

// Step handles one batch of frames from each RX ring. It returns the number of frames moved, and the time of the
// next work without a new frame. In an idle domain it only checks the rings, because a worker may have many
// domains.
func (d *Domain) Step(now wire.Time) (worked int, deadline wire.Time) {
	d.stepped(now)
	d.crowded = false
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
	rests := worked == 0 && now < d.rest
	if !rests {
		worked += d.serve(now)
	}
	for _, p := range d.Edges {
		worked += d.intake(p, now)
		if p.caught != nil {
			d.caughtUp(p, now)
		}
	}
	if worked == 0 && rests {
		return 0, d.rest
	}
	for _, l := range d.links {
		worked += d.sendQueued(l, batch, now)
		l.link.served(now)
	}
	for _, p := range d.Edges {
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
	d.ask(now)
	underWay, deadline := d.deadline(now)
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
		d.flushBeforeNack(l)
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

// deadline returns the time of the next work if no frame arrives; underWay reports whether posted frames have not
// completed, or frames wait for room.
func (d *Domain) deadline(now wire.Time) (underWay bool, deadline wire.Time) {
	deadline = wire.Never
	for _, l := range d.links {
		underWay = underWay || l.caught != nil || l.blocked || l.Slots.Posted > 0
		deadline = min(deadline, l.link.deadline(now), l.opens())
	}
	for _, p := range d.Edges {
		underWay = underWay || p.caught != nil || p.blocked || p.Slots.Posted > 0
		deadline = min(deadline, p.opens(), p.pause.deadline())
	}
	if at := d.askDeadline(now); at < wire.Never {
		underWay, deadline = underWay || at <= now, min(deadline, at)
	}
	if underWay {
		deadline = min(deadline, now.Add(retry))
	}
	if d.gone > 0 {
		deadline = min(deadline, d.purgeAt())
	}
	if d.Bridge != nil {
		deadline = min(deadline, d.Bridge.Poll(now))
	}
	return underWay, deadline
}

// flush hands the posted frames to the kernel. The port with most frames goes last, so that it delays the other ports
// least, and a single frame does not wait for the acknowledgement of the frame before it. On a wire that loses frames
// the links go first: the sooner a partner learns of a loss, the fewer frames follow.
func (d *Domain) flush() {
	d.recycle()
	switch {
	case d.prompt:
		d.flushEdges(nil)
		d.flushLinks(nil)
	case d.slowed():
		d.crowded = false
		d.flushLinks(nil)
		d.flushEdges(nil)
	default:
		last := d.busiest()
		d.flushEdges(last)
		d.flushLinks(last)
		if last != nil {
			d.flushPort(last)
		}
	}
	d.forwarded()
}

// forwarded reports to the LLR of each link that all frames accepted so far were handed to the kernel, so that they
// may be acknowledged. It skips a link while another port holds frames back for a larger batch: if this process were
// killed then, acknowledged frames would be lost, uncounted. So are frames that wait for the end of the round.
func (d *Domain) forwarded() {
	if d.gathered {
		return
	}
	for _, l := range d.links {
		if l.Link != nil && (!d.crowded || !d.holds(l)) {
			l.Link.LLR.Rx.Forwarded()
		}
	}
}

// holds reports whether any port other than link l has posted frames that are not yet handed to the kernel, because
// they wait for a larger batch.
func (d *Domain) holds(l *Port) bool {
	for _, p := range d.Edges {
		if p.unsent > 0 {
			return true
		}
	}
	for _, o := range d.links {
		if o != l && o.unsent > 0 {
			return true
		}
	}
	return false
}

// flushBeforeNack hands the posted frames of all ports but l to the kernel if link l is about to send an LLR_NACK. An
// LLR_NACK acknowledges every frame before the missing one, so these frames must not get lost.
func (d *Domain) flushBeforeNack(l *Port) {
	if l.Link == nil || l.Link.LLR.Rx.State() != llr.RxSendNack {
		return
	}
	for _, p := range d.Edges {
		if p.unsent > 0 || d.gathered {
			p.flush()
		}
	}
	for _, o := range d.links {
		if o != l && (o.unsent > 0 || d.gathered) {
			o.flush()
		}
	}
}

// crowd is the number of frames in an RX ring from which crowded is set. With the batch just received they fill a
// system call: no frame that is held back waits for one that has not arrived yet.
const crowd = heldMost - batch

// flushPort hands the posted frames of a port to the kernel, or leaves them for the next round, for a larger
// batch.
func (d *Domain) flushPort(p *Port) {
	if d.crowded && p.holdBack() {
		return
	}
	if d.gathering == nil || d.prompt || d.slowed() {
		p.flush()
	} else if p.flushTogether(d.gathering) {
		d.gathered = true
	}
}

// flushHeld hands the frames to the kernel that the last round has left for a larger batch. The worker calls
// flushHeld where the next round does not follow at once.
func (d *Domain) flushHeld() {
	if !d.crowded {
		return
	}
	d.crowded = false
	d.flushEdges(nil)
	d.flushLinks(nil)
	d.forwarded()
}

// checkCrowd marks the domain as crowded if a full batch was received from source s and its RX ring still holds many
// more frames.
func (d *Domain) checkCrowd(s *source, received int) {
	if received == batch && !d.crowded && !d.prompt {
		d.crowded = s.device.Waiting() >= crowd
	}
}

// recycle gives each socket back the chunks of frames that waited and are sent or dropped now.
func (d *Domain) recycle() {
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

func (d *Domain) flushLinks(but *Port) {
	for _, l := range d.links {
		if l != but {
			d.flushPort(l)
		}
	}
}

func (d *Domain) flushEdges(but *Port) {
	for _, p := range d.Edges {
		if p != but {
			d.flushPort(p)
		}
	}
}

// busiest returns the port with the largest number of posted frames; among equal ports, a link.
func (d *Domain) busiest() (most *Port) {
	for _, p := range d.Edges {
		if most == nil || p.unsent > most.unsent {
			most = p
		}
	}
	for _, l := range d.links {
		if most == nil || l.unsent >= most.unsent {
			most = l
		}
	}
	return most
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
		n += p.waiting
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

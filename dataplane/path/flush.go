package path

import "uelink/llr"

// flush hands the posted frames to the kernel. The port with most frames goes last, so that it delays the other ports
// least, and a single frame does not wait for the acknowledgement of the frame before it. With a link that acknowledges
// in the round (prompt) the edges go first. On a wire that loses frames the links go first: the sooner a partner learns
// of a loss, the fewer frames follow.
func (d *Domain) flush() {
	d.recycle() // before the system calls, which also make the kernel use refilled chunks
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
	d.forwarded() // only now: frames that LLR acknowledges must not be lost with this process
}

// forwarded reports to the LLR of each link that all frames accepted so far were handed to the kernel, so that LLR may
// acknowledge them. It skips a link while another port holds frames back for a larger batch, and all links while frames
// wait for the end of the round: if this process were killed then, acknowledged frames would be lost, uncounted.
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
		if p.tx.unsent > 0 {
			return true
		}
	}
	for _, o := range d.links {
		if o != l && o.tx.unsent > 0 {
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
		if p.tx.unsent > 0 || d.gathered {
			p.flush()
		}
	}
	for _, o := range d.links {
		if o != l && (o.tx.unsent > 0 || d.gathered) {
			o.flush()
		}
	}
}

// crowd is the least number of frames in an RX ring for which the domain is marked as crowded. With the batch just
// received these frames fill a system call (heldMost): no frame that is held back waits for a frame that has not
// arrived yet.
const crowd = heldMost - batch

// flushPort hands the posted frames of a port to the kernel, or leaves them for a larger batch: while the domain is
// crowded for the next round, or, if they are few and the worker gathers frames, for the end of the worker's round.
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

// busiest returns the port with the largest number of posted frames; among equal ports, a link; nil if there is no
// port.
func (d *Domain) busiest() (most *Port) {
	for _, p := range d.Edges {
		if most == nil || p.tx.unsent > most.tx.unsent {
			most = p
		}
	}
	for _, l := range d.links {
		if most == nil || l.tx.unsent >= most.tx.unsent {
			most = l
		}
	}
	return most
}

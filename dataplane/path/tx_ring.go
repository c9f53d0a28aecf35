package path

import "uelink/dataplane/frame"

// A system call that sends live frames costs 11 µs, and 165 ns for each frame: it pays to send several rounds' frames
// by one call. Frames that leave by AF_XDP are held back as well. heldLeast is the least number of frames that a round
// posts for a port whose frames are held back for more; heldMost the number of posted frames from which none are held
// back.
const (
	heldLeast = batch / 2
	heldMost  = 256
)

// batch is the number of frames handled at once in one direction of a port.
const batch = 64

// txRing is the worker's account of the TX ring of a port.
type txRing struct {
	ring        int // free entries of the TX ring: at the last call of complete, less those posted since
	unsent      int // frames posted and not flushed yet
	deferred    int // those of unsent that were posted in earlier rounds, and are held back for a larger batch
	outLen      int // frames in out: posted, and not yet passed to the device
	completions int // number of completions read at the beginning of this round
	out         [batch]frame.Desc
	done        [batch]uint64
}

// txRoom returns the number of new frames that can be posted for sending now, each in a free slot.
func (p *Port) txRoom() int { return min(p.Slots.pool.Len(), p.tx.ring) }

// postRoom returns the number of frames in used slots that can be posted again now, for replays.
func (p *Port) postRoom() int { return p.tx.ring }

// slot removes a free TX slot from the pool and returns the slot and its chunk; txRoom must have returned more
// than 0.
func (p *Port) slot() (uint32, []byte) {
	slot, chunk := p.next()
	p.Slots.pool.Take()
	return slot, chunk
}

// next returns the TX slot that slot would return next, and its chunk, and leaves the slot in the pool.
func (p *Port) next() (uint32, []byte) {
	slot := p.Slots.pool.Next()
	addr := p.Slots.addr(slot)
	return slot, p.sources[0].area[addr : addr+p.Slots.size]
}

// post counts the frame in a TX slot as sent, and queues the slot for the device.
func (p *Port) post(slot uint32) {
	d := p.Slots.post(slot)
	p.Counters.TxFrames++
	p.Counters.TxOctets += uint64(d.Len)
	p.tx.ring--
	p.tx.unsent++
	p.tx.out[p.tx.outLen] = d
	if p.tx.outLen++; p.tx.outLen == batch {
		p.submit()
	}
}

// submit passes the posted frames to the device, which must have room for all.
func (p *Port) submit() {
	if p.device().Transmit(p.tx.out[:p.tx.outLen]) != p.tx.outLen {
		panic("path: more frames were posted than the device has room for")
	}
	p.tx.outLen = 0
}

// flush makes the kernel send all posted frames and use refilled chunks, by system calls only where the kernel needs
// one. It ignores errors of Kick: the watch of the interface finds an interface that fails.
func (p *Port) flush() {
	if p.tx.outLen > 0 {
		p.submit()
	}
	p.tx.unsent, p.tx.deferred = 0, 0
	for _, s := range p.sources {
		_ = s.device.Kick()
	}
}

// flushTogether flushes like flush, but may leave a few frames for the next Flush of g. left reports whether frames
// wait for Flush.
func (p *Port) flushTogether(g frame.Gathering) (left bool) {
	if p.tx.unsent == 0 || p.sources[0].gathers == nil {
		p.flush()
		return false
	}
	if p.tx.outLen > 0 {
		p.submit()
	}
	p.tx.unsent, p.tx.deferred = 0, 0
	left, _ = p.sources[0].gathers.KickTogether(g)
	for _, s := range p.sources[1:] {
		_ = s.device.Kick()
	}
	return left
}

// holdBack reports whether the posted frames shall wait for those of the next round, which comes at once: many
// were posted in this round, a system call would send more, and the ring has room for more. The frames are then
// marked as held.
func (p *Port) holdBack() bool {
	if p.tx.unsent-p.tx.deferred < heldLeast || p.tx.unsent >= heldMost || p.tx.ring <= batch+controlReserve {
		return false
	}
	p.tx.deferred = p.tx.unsent
	return true
}

// complete releases the TX slots whose frames the kernel has sent, at the beginning of a round.
func (p *Port) complete() {
	p.blocked, p.tx.completions = false, 0
	if p.Slots.Posted == 0 {
		return
	}
	for {
		n := p.device().Completed(p.tx.done[:])
		p.tx.completions += n
		for _, addr := range p.tx.done[:n] {
			p.Slots.completed(addr)
		}
		if n < batch {
			p.tx.ring = p.device().TxRoom() - p.tx.outLen
			return
		}
	}
}

// lastSlot returns the TX slot that was posted last.
func (p *Port) lastSlot() uint32 {
	last := &p.tx.out[(p.tx.outLen+batch-1)%batch]
	return uint32((last.Addr - p.Slots.first) / p.Slots.size)
}

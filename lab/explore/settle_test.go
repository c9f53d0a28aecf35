package explore

import (
	"slices"
	"unsafe"

	"uelink/cbfc"
	"uelink/llr"
	"uelink/wire"
)

// Start of every window: so the window lies across the end of its number space.
const (
	seqBase   = 1<<seqBits - 2
	countBase = 1<<countBits - 2
	askBase   = 100 // transactions
)

// settle replaces a state by the representative of all states that differ only in fields without influence, or in the
// positions of their number spaces.
func (w *world) settle() {
	w.forget()
	w.moveSeq()
	for vc := range w.peek.vc {
		w.forgetVC(vc)
		w.moveCounts(vc)
		w.moveTransactions(vc)
	}
	w.expect, w.nextID = 0, w.nextID-w.expect
}

// forget clears counters, and times without influence because their event may happen at any time.
func (w *world) forget() {
	p := &w.peek
	for _, t := range p.zero {
		*t = 0
	}
	for _, b := range p.flags {
		*b = false
	}
	*p.interval = 1_000_000
	if *p.due > now || w.running() {
		*p.due = now + 1_000_000
	}
	*p.reach, *p.apart, *p.acked, *p.again, *p.most = llr.MaxOutstandingFrames, 0, 0, 0, 0 // no bound in so small a window
	*p.row = min(*p.row, 4)
	*p.first, *p.octets, *p.twice = 0, 0, 0
	w.forgetEchoes()
	*w.a.Counters(), *w.b.Counters() = llr.Counters{}, llr.Counters{}
	w.from.Count, w.to.Count, w.from.Tx.Watermark = cbfc.PortCounters{}, cbfc.PortCounters{}, 0
	*p.ready &= *p.asked
	*p.dueCF = 0 // the link is idle: all freed credits are reported
	*p.refresh = tick
	*p.repeat = pending(*p.repeat, *p.on != 0)
	*p.ccAt = pending(*p.ccAt, w.from.Tx.Used > 0 || *p.astray)
}

// pending returns whether a deadline is due: now, later, or never.
func pending(at wire.Time, is bool) wire.Time {
	switch {
	case !is:
		return 0
	case at <= now:
		return now
	}
	return now + tick
}

func (w *world) forgetVC(vc int) {
	c := &w.peek.vc[vc]
	moves := *c.phase == cbfc.Draining || *c.phase == cbfc.Asking
	*c.next = pending(*c.next, moves)
	*c.since = max(*c.since, now-tick)
	if moves {
		*c.since = now
	}
	if *c.phase == cbfc.BestEffort {
		*c.op = 0
	}
	*c.retryAt = pending(*c.retryAt, *c.phase == cbfc.BestEffort && w.wants>>vc&1 != 0)
	*c.backoff, *c.watermark = 0, 0
	for _, n := range c.counters {
		*n = cbfc.Counters{}
	}
	*c.reported = *c.rcf
	if *w.peek.forget>>vc&1 != 0 && *w.peek.asked>>vc&1 == 0 {
		*c.question = wire.Channel{}
	}
	if (*c.doubted == wire.Channel{}) {
		*c.sightings = 0
	}
	clean(c.question)
	clean(c.doubted)
}

// forgetEchoes drops the LLR_INIT_ECHOs that A no longer waits for.
func (w *world) forgetEchoes() {
	p := &w.peek
	if w.running() {
		*p.waiting = 0
		for i := range w.up {
			w.up[i].says = slices.DeleteFunc(w.up[i].says, func(c wire.CtlOS) bool { return c.Type == wire.LLRInitEcho })
		}
		w.up = slices.DeleteFunc(w.up, func(l list) bool { return len(l.says) == 0 })
	}
	clear(p.echoes[*p.waiting:])
}

// clean clears the padding between the fields of a message.
func clean(c *wire.Channel) {
	got := *c
	clear(unsafe.Slice((*byte)(unsafe.Pointer(c)), unsafe.Sizeof(got)))
	c.VC, c.Op, c.Transaction, c.CreditSize, c.Limit, c.Overhead = got.VC, got.Op, got.Transaction, got.CreditSize,
		got.Limit, got.Overhead
}

// moveSeq moves the sequence numbers, and LLR's ring.
func (w *world) moveSeq() {
	p := &w.peek
	n := *p.tail - *p.oldest
	var ring [window + 1]heldFrame
	for i := range n {
		ring[i] = p.ring[(*p.oldest+i)%(window+1)]
		ring[i].slot, ring[i].pushed = i, 0
	}
	copy(p.ring, ring[:])
	if w.selective {
		w.settlePositions(n)
	}
	*p.cursor -= *p.oldest
	if w.tx.State() != llr.TxReplay {
		*p.cursor = 0
	}
	*p.freed, *p.oldest, *p.tail = 0, 0, n
	if *p.misfits == 0 {
		*p.misfit = *p.seq
	}
	move := func(s *uint32) {}
	if w.selective {
		*p.replaying = false // counts only
	}
	if *p.live {
		by := seqBase + n - *p.seq
		move = func(s *uint32) { *s = (*s + by) & (1<<seqBits - 1) }
		if !*p.replaying {
			*p.last = *p.next
		}
		if w.rx.State() == llr.RxSendAcks {
			*p.gapEnd, *p.early = *p.next, *p.next
		}
		for _, s := range []*uint32{p.next, p.last, p.early, p.gapEnd} {
			move(s)
		}
	}
	for _, s := range []*uint32{p.seq, p.hello, p.misfit} {
		move(s)
	}
	if w.running() {
		*p.hello = 0
	}
	w.eachSeq(move)
	if w.selective {
		w.settleKept(move)
	}
}

// eachSeq changes every sequence number on the wire or stored with a frame.
func (w *world) eachSeq(move func(*uint32)) {
	for _, frames := range [][]frame{w.waiting, w.data, w.saved} {
		for i := range frames {
			f := &frames[i]
			if f.seq == removed {
				continue
			}
			f.id = (f.id - w.expect) & 15
			s := uint32(f.seq)
			move(&s)
			f.seq = uint8(s)
		}
	}
	for _, lists := range [][]list{w.down, w.up} {
		for i := range lists {
			for j := range lists[i].says {
				moveCtlOS(&lists[i].says[j], move)
			}
		}
	}
}

// moveCtlOS changes the sequence numbers of a control ordered set.
func moveCtlOS(c *wire.CtlOS, move func(*uint32)) {
	switch c.Type {
	case wire.LLRAck, wire.LLRNack, wire.LLRInit, wire.LLRInitEcho:
		move(&c.Seq)
	case wire.GapCtlOS:
		item := wire.GapItem(c.Item)
		first, second, _ := c.Gap(item)
		move(&first)
		move(&second)
		*c = wire.Gap(item, first, second)
	case wire.CFUpdate, wire.StationCtlOS, wire.ChannelCtlOS:
	}
}

// moveCounts moves the counts of a channel, unless it has just started with all of them 0.
func (w *world) moveCounts(vc int) {
	c := &w.peek.vc[vc]
	if *w.peek.counted>>vc&1 == 0 || *w.peek.on>>vc&1 == 0 || *c.rcc|*c.rcf|*c.scc|*c.scf == 0 {
		return
	}
	by := countBase - *c.scf
	move := func(n uint32) uint32 { return (n + by) & (1<<countBits - 1) }
	for _, n := range []*uint32{c.scc, c.scf, c.rcc, c.rcf, c.reported} {
		*n = move(*n)
	}
	for _, frames := range [][]frame{w.waiting, w.data, w.saved} {
		for i := range frames {
			if f := &frames[i]; f.notes && f.vcs>>vc&1 != 0 {
				f.count[vc] = uint8(move(uint32(f.count[vc])))
			}
		}
	}
	for i := range w.up {
		for j := range w.up[i].says {
			if s := &w.up[i].says[j]; s.Type == wire.CFUpdate {
				for k := range s.CF {
					if half := &s.CF[k]; int(half.VC) == vc {
						half.Count = uint16(move(uint32(half.Count)))
					}
				}
			}
		}
	}
}

// moveTransactions moves the numbers of a channel's transactions.
func (w *world) moveTransactions(vc int) {
	c := &w.peek.vc[vc]
	by := askBase - *c.number
	*c.number += by
	if (*c.question != wire.Channel{}) {
		c.question.Transaction += by
	}
	if (*c.doubted != wire.Channel{}) {
		c.doubted.Transaction += by
	}
	for _, lists := range [][]list{w.down, w.up} {
		for i := range lists {
			for j := range lists[i].says {
				if s := &lists[i].says[j]; s.Type == wire.ChannelCtlOS && int(s.Data[0]>>3) == vc {
					s.Data[1] += by
				}
			}
		}
	}
}

package explore

import (
	"cmp"
	"slices"
	"unsafe"

	"uelink/llr"
	"uelink/wire"
)

// Selective replay adds to a state the frames that B keeps behind a gap, and the sendings by which A knows what is
// lost.

// places is how many frames B keeps: with the window they are fewer than the sequence numbers.
const places = 4

// reorderMost is how many sendings later the evidence must be, as in package llr.
const reorderMost = 3

// soon is a loop time within which a copy is not answered: A's frames are younger until A finds them overdue.
const soon = 1

// keptPlace, keptGap and lastSending are B's place of a kept frame, a gap, and A's last sending of a frame.
type keptPlace struct {
	handle uint32
	near   bool
}

type keptGap struct{ from, to uint32 }

type lastSending struct {
	at             wire.Time
	serial, former uint32
	copied, lost   bool
}

// selectiveFields holds pointers to the fields of selective replay.
type selectiveFields struct {
	places           *[]keptPlace
	gaps             *[]keptGap
	free             *[]uint32
	any              *bool
	last, high, mark *uint32
	zero             []*uint32 // counts, and numbers without influence

	sendings         *[]lastSending
	lost             *[]uint32
	head             *int
	posting, due     *bool
	serial, evidence *uint32
	reached          *uint32 // position after the highest frame that has arrived
	probed, wait     *wire.Time
	clock, timer     *wire.Time
	least            *wire.Time
}

func newSelectiveFields(w *world) selectiveFields {
	tx, rx := w.tx, w.rx
	return selectiveFields{
		places: at[[]keptPlace](rx, "reorder.places"), gaps: at[[]keptGap](rx, "reorder.gaps"),
		free: at[[]uint32](rx, "reorder.free"), any: at[bool](rx, "reorder.any"), last: at[uint32](rx, "reorder.last"),
		high: at[uint32](rx, "reorder.high"), mark: at[uint32](rx, "reorder.mark"),
		zero: []*uint32{at[uint32](rx, "reorder.ever"), at[uint32](rx, "arrivals.noted"), at[uint32](rx, "reorder.refused"),
			at[uint32](rx, "reorder.refusedEnd")},
		sendings: at[[]lastSending](tx, "sel.sendings"), lost: at[[]uint32](tx, "sel.lost"), head: at[int](tx, "sel.head"),
		posting: at[bool](tx, "sel.posting"), due: at[bool](tx, "tail.due"), serial: at[uint32](tx, "sel.serial"),
		evidence: at[uint32](tx, "sel.evidence"), reached: at[uint32](tx, "sel.high"), probed: at[wire.Time](tx, "tail.sent"),
		wait: at[wire.Time](tx, "tail.wait"), clock: at[wire.Time](tx, "now"), timer: at[wire.Time](tx, "timer"),
		least: at[wire.Time](tx, "patience.least"),
	}
}

// keep tells each end that the other keeps frames, and starts both once, so that all memory is there.
func (w *world) keep() {
	items := (&wire.Station{Keeps: 2}).Items(nil)
	i := slices.IndexFunc(items, func(c wire.CtlOS) bool { return c.Item == wire.StationServices })
	for _, l := range []*llr.Link{w.a, w.b} {
		l.ReceivedControl(now, items[i])
	}
	for range 2 {
		w.b.ReceivedControl(now, w.a.Poll(now, true, nil)...)
		w.a.ReceivedControl(now, w.b.Poll(now, true, nil)...)
	}
	w.tx.SetMode(false, now)
	w.rx.SetMode(false)
	w.tx.SetMode(true, now)
	w.rx.SetMode(true)
}

// memory returns the words of a slice's array.
func memory[T any](s []T) []uint64 {
	size := uintptr(cap(s)) * unsafe.Sizeof(*new(T))
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(s))), size/8)
}

// parts returns the memory of selective replay outside of the machines' own.
func (p *selectiveFields) parts() [][]uint64 {
	return [][]uint64{memory(*p.places), memory(*p.gaps), memory(*p.free), memory(*p.sendings), memory(*p.lost)}
}

// keepFrame stores a frame that B keeps.
func (w *world) keepFrame(f frame) {
	f.twice = false
	w.saved = append(w.saved, f)
	w.rx.Keep(uint32(f.seq), uint32(len(w.saved)-1))
}

// takeKept passes on the kept frame whose turn has come.
func (w *world) takeKept() bool {
	handle, ok := w.rx.NextKept()
	if !ok {
		return false
	}
	if int(handle) >= len(w.saved) {
		w.fail("B passes on frame %d of %d kept", handle, len(w.saved))
		return true
	}
	f := w.saved[handle]
	w.saved[handle].seq = removed
	w.arrive(f)
	return true
}

// gone marks a frame that is no longer kept, until settle.
const removed = 255

// loseKept has B lose the memory in which it keeps frames.
func (w *world) loseKept() bool {
	if w.rx.CountKept() == 0 {
		return false
	}
	w.rx.GiveUpKept()
	w.freeKept()
	return true
}

// freeKept drops the frames that B has given up: all of them.
func (w *world) freeKept() {
	n := 0
	for _, ok := w.rx.FreeKept(); ok; _, ok = w.rx.FreeKept() {
		n++
	}
	switch {
	case n == 0:
	case n != len(w.saved) || w.rx.CountKept() > 0:
		w.fail("B gives up %d of %d kept frames", n, len(w.saved))
	default:
		w.saved = w.saved[:0]
	}
}

// age lets a loop time pass, after which all that is outstanding is overdue.
func (w *world) age() (aged bool) {
	if !w.selective {
		return false
	}
	p, s := &w.peek, &w.peek.selective
	for i := *p.oldest; i != *p.tail; i++ {
		f := &(*s.sendings)[i%(window+1)]
		aged = aged || f.at > 0
		f.at = 0
	}
	return aged
}

// probe lets the time pass after which A probes the last frame.
func (w *world) probe() bool {
	s := &w.peek.selective
	if !w.selective || *s.due || len(w.down) >= *maxControl || !w.running() {
		return false
	}
	timer := *s.timer
	*s.timer = now // the replay timer lasts longer
	if w.a.Deadline() > now {
		*s.timer = timer
		return false
	}
	w.say(&w.down, w.a.Poll(now, true, w.out[:0]))
	return true
}

// checkSelective checks what must hold of kept frames and of those to be sent again.
func (w *world) checkSelective() {
	p, s := &w.peek, &w.peek.selective
	const mask = 1<<seqBits - 1
	if n := w.rx.CountKept(); n != len(w.saved) || n >= places {
		w.fail("B keeps %d frames, of %d", n, len(w.saved))
	}
	last := uint32(0)
	for i, g := range *s.gaps {
		from, to := (g.from-*p.next)&mask, (g.to-*p.next)&mask
		if from >= to || to >= places || i > 0 && from <= last {
			w.fail("gaps %v, the next frame is %d", *s.gaps, *p.next)
		}
		last = to
	}
	lost := 0
	for i := *p.oldest; i != *p.tail; i++ {
		if (*s.sendings)[i%(window+1)].lost {
			lost++
		}
	}
	if n := len(*s.lost) - *s.head; n != lost || n > 0 != *s.posting {
		w.fail("%d frames are to be sent again, %d are marked, %v", n, lost, *s.posting)
	}
}

// settlePositions moves the positions of selective replay before the window's, which has n frames, and lowers the
// serials.
func (w *world) settlePositions(n uint32) {
	p, s := &w.peek, &w.peek.selective
	*s.reached -= *p.oldest
	*p.cursor = *p.oldest // selective replay has none
	var sendings [window + 1]lastSending
	for i := range n {
		sendings[i] = (*s.sendings)[(*p.oldest+i)%(window+1)]
	}
	clear(memory(*s.sendings))
	for i, f := range sendings[:n] {
		to := &(*s.sendings)[i]
		to.at, to.serial, to.former, to.copied, to.lost = f.at, f.serial, f.former, f.copied, f.lost
	}
	var left []uint32
	for _, at := range (*s.lost)[*s.head:] {
		if at -= *p.oldest; at < n && (*s.sendings)[at].lost {
			left = append(left, at)
		}
	}
	clear(memory(*s.lost))
	*s.lost, *s.head = append((*s.lost)[:0], left...), 0
	w.settleSerials((*s.sendings)[:n])
	*s.probed, *s.wait = 0, 0
	*s.least = soon
}

// serialBase is the serial of the last sending, in every state.
const serialBase = 1000

// settleSerials gives the sendings the serials just below serialBase. Only their order counts, and differences up to
// reorderMost.
func (w *world) settleSerials(sendings []lastSending) {
	s := &w.peek.selective
	all := []*uint32{s.serial}
	for i := range sendings {
		all = append(all, &sendings[i].serial, &sendings[i].former)
	}
	oldest := *slices.MinFunc(all, func(a, b *uint32) int { return cmp.Compare(*a, *b) })
	if *s.evidence = max(*s.evidence, oldest-1); len(sendings) == 0 {
		*s.evidence = *s.serial
	}
	all = append(all, s.evidence)
	slices.SortFunc(all, func(a, b *uint32) int { return cmp.Compare(*b, *a) })
	before, serial := *all[0], uint32(serialBase)
	for _, x := range all {
		serial -= min(before-*x, reorderMost+1)
		before, *x = *x, serial
	}
}

// settleKept moves the numbers of B's kept frames and gaps by a call of move, after next_rx_seq was moved.
func (w *world) settleKept(move func(*uint32)) {
	p, s := &w.peek, &w.peek.selective
	for _, x := range s.zero {
		*x = 0
	}
	w.checkPlaces()
	saved := slices.Clone(w.saved)
	saved = slices.DeleteFunc(saved, func(f frame) bool { return f.seq == removed })
	clear(memory((*s.gaps)[len(*s.gaps):]))
	clear(memory(*s.free))
	clear(memory(*s.places))
	if !*p.live {
		w.saved, *s.any, *s.last, *s.high, *s.mark = w.saved[:0], false, 0, 0, 0
		return
	}
	for i := range *s.gaps {
		move(&(*s.gaps)[i].from)
		move(&(*s.gaps)[i].to)
	}
	for _, x := range []*uint32{s.last, s.high, s.mark} {
		move(x)
	}
	w.catchUp()
	ahead := func(f frame) uint32 { return (uint32(f.seq) - *p.next) & (1<<seqBits - 1) }
	slices.SortFunc(saved, func(a, b frame) int { return cmp.Compare(ahead(a), ahead(b)) })
	w.saved = append(w.saved[:0], saved...)
	for i, f := range w.saved {
		to := &(*s.places)[f.seq%places]
		to.handle, to.near = uint32(i), true
	}
}

// checkPlaces checks that B has a place for each frame it keeps, and no others.
func (w *world) checkPlaces() {
	s := &w.peek.selective
	var has [window + places]bool
	for _, k := range *s.places {
		if k.near && (int(k.handle) >= len(w.saved) || w.saved[k.handle].seq == removed) {
			w.fail("B has frame %d in a place, and does not keep it", k.handle)
		} else if k.near {
			has[k.handle] = true
		}
	}
	for i, f := range w.saved {
		if (f.seq != removed) != has[i] {
			w.fail("B keeps frame %d without a place: %v", i, *s.places)
		}
	}
}

// catchUp updates the numbers of what has arrived, as B does before it uses them.
func (w *world) catchUp() {
	p, s := &w.peek, &w.peek.selective
	const mask = 1<<seqBits - 1
	if *s.mark != *p.next {
		*s.any, *s.last, *s.mark = true, (*p.next-1)&mask, *p.next
		if ahead := (*p.next - *s.high) & mask; ahead > 0 && ahead <= mask/2 {
			*s.high = *p.next
		}
	}
	if !*s.any {
		*s.last = *p.next
	}
}

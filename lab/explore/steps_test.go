package explore

import (
	"fmt"

	"uelink/cbfc"
	"uelink/llr"
	"uelink/wire"
)

// kind is the condition of a step.
type kind uint8

// The kinds.
const (
	faults kind = 1 << iota // of the wire
	second                  // VC 1
	starts                  // starts of channels, except the first; and giving up
)

// step is a possible event. do returns false, without a change, if the event is not possible in the state.
type step struct {
	name string
	kind kind
	do   func(w *world) bool
}

// plainRoom is the number of best-effort frames of a channel that B has room for.
const plainRoom = 2

// steps lists all possible events.
var steps = []step{
	{"A sends a frame on VC 0", 0, func(w *world) bool { return w.send(0) }},
	{"A sends a frame on VC 1", second, func(w *world) bool { return w.send(1) }},
	{"a frame arrives", 0, func(w *world) bool { return w.deliver(wire.FCSGood, false) }},
	{"a frame arrives, and once more later", faults, func(w *world) bool { return w.deliver(wire.FCSGood, true) }},
	{"a frame arrives damaged", faults, func(w *world) bool { return w.deliver(wire.FCSBad, false) }},
	{"a frame is lost", faults, (*world).lose},
	{"A sends a frame again", 0, (*world).replay},
	{"A's LLR timer expires", 0, (*world).timer},
	{"A's frames are overdue", 0, (*world).age},
	{"A probes its last frame", 0, (*world).probe},
	{"B takes a kept frame", 0, (*world).takeKept},
	{"B loses the frames it keeps", faults, (*world).loseKept},
	{"A says what its port has to say", 0, (*world).speakA},
	{"B says what it has to say", 0, (*world).speakB},
	{"control arrives at B", 0, func(w *world) bool { return w.hear(&w.down, w.hearB, false) }},
	{"control arrives at B, and once more later", faults, func(w *world) bool { return w.hear(&w.down, w.hearB, true) }},
	{"control to B is lost", faults, func(w *world) bool { return drop(&w.down) }},
	{"control arrives at A", 0, func(w *world) bool { return w.hear(&w.up, w.hearA, false) }},
	{"control arrives at A, and once more later", faults, func(w *world) bool { return w.hear(&w.up, w.hearA, true) }},
	{"control to A is lost", faults, func(w *world) bool { return drop(&w.up) }},
	{"B reads a frame of VC 0", 0, func(w *world) bool { return w.read(0) }},
	{"B reads a frame of VC 1", second, func(w *world) bool { return w.read(1) }},
	{"A sends a CC_Update", 0, (*world).sendCounts},
	{"10 ms pass at A's port", 0, (*world).tickA},
	{"10 ms pass at B's port", 0, (*world).tickB},
	{"A has asked for a second", starts, (*world).giveUp},
	{"A's VC 1 is configured otherwise", starts, (*world).toggle},
}

// send passes a frame to LLR.
func (w *world) send(vc uint8) bool {
	credits, gate := w.from.Tx.Gate(vc, octets[vc])
	if len(w.data) >= *maxData || gate != cbfc.Open || w.tx.Admit(octets[vc]) != llr.Sequence {
		return false
	}
	w.push(frame{id: w.nextID, vc: vc, plain: credits == 0}, octets[vc])
	w.nextID = (w.nextID + 1) & 15
	w.from.Tx.Charge(vc, credits, now)
	return true
}

// push gives a frame a number, and puts it on the wire.
func (w *world) push(f frame, n int) {
	f.seq = uint8(w.tx.Push(uint32(len(w.waiting)), n, false, now))
	w.waiting = append(w.waiting, f)
	w.data = append(w.data, f)
}

func (w *world) sendCounts() bool {
	if !w.from.Tx.CCDue(now) || len(w.data) >= *maxData || w.tx.Admit(60) != llr.Sequence {
		return false
	}
	f := frame{notes: true, vcs: uint8(w.from.Tx.Counted())}
	for vc := range uint8(vcs) {
		if f.vcs>>vc&1 != 0 {
			f.count[vc] = uint8(w.from.Tx.Consumed(vc))
		}
	}
	w.push(f, 60)
	w.from.Tx.CCSent(now)
	return true
}

// deliver delivers the next frame. An LLR_INIT on the wire is delivered before: it is no older than half of the
// sequence numbers.
func (w *world) deliver(fcs wire.FCS, again bool) bool {
	if len(w.data) == 0 || again && w.data[0].twice || w.initUnderWay() {
		return false
	}
	f := w.data[0]
	if w.data[0].twice = again; !again {
		w.data = w.data[1:]
	}
	switch w.rx.Receive(uint32(f.seq), fcs, octets[f.vc]) {
	case llr.Deliver:
		w.arrive(f)
	case llr.Keep:
		w.keepFrame(f)
	case llr.DeliverPoisoned, llr.Ignore:
	}
	return true
}

// arrive passes on a frame whose turn has come.
func (w *world) arrive(f frame) {
	if !f.notes {
		w.accept(f)
		return
	}
	u := wire.CCUpdate{VCs: uint32(f.vcs)}
	for vc, count := range f.count {
		u.Count[vc] = uint32(count)
	}
	w.to.ReceivedCCUpdate(&u, wire.DialectSeed)
}

func (w *world) initUnderWay() bool {
	for i := range w.down {
		for _, c := range w.down[i].says {
			if c.Type == wire.LLRInit {
				return true
			}
		}
	}
	return false
}

// accept stores a frame in the buffer.
func (w *world) accept(f frame) {
	if f.id != w.expect {
		w.fail("B got frame %d, and was to get frame %d", f.id, w.expect)
	}
	w.expect = (w.expect + 1) & 15
	credits := w.to.Rx.Store(f.vc, octets[f.vc])
	switch {
	case f.plain && len(w.buffer[f.vc]) >= plainRoom:
		w.to.Rx.Free(f.vc, credits)
		return
	case f.plain:
		credits |= sentPlain
	case credits == 0:
		w.fail("a frame of VC %d was sent under credits, and B counts none", f.vc)
	}
	w.buffer[f.vc] = append(w.buffer[f.vc], uint8(credits))
}

func (w *world) lose() bool {
	if len(w.data) == 0 {
		return false
	}
	w.data = w.data[1:]
	return true
}

func (w *world) replay() bool {
	if len(w.data) >= *maxData {
		return false
	}
	*w.peek.selective.clock = now
	slot, ok := w.tx.Replay()
	if !ok {
		return false
	}
	if int(slot) >= len(w.waiting) {
		w.fail("replay of slot %d, LLR holds %d", slot, len(w.waiting))
		return true
	}
	w.data = append(w.data, w.waiting[slot])
	return true
}

func (w *world) read(vc uint8) bool {
	if len(w.buffer[vc]) == 0 {
		return false
	}
	w.to.Rx.Free(vc, int(w.buffer[vc][0]&^sentPlain))
	w.buffer[vc] = w.buffer[vc][1:]
	return true
}

// fail records a violation.
func (w *world) fail(format string, args ...any) {
	if w.wrong == "" {
		w.wrong = fmt.Sprintf(format, args...)
	}
}

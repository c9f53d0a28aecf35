package explore

import (
	"uelink/cbfc"
)

// check checks the invariants of every state.
func (w *world) check() {
	if n, _ := w.tx.Outstanding(); n > window || n != len(w.waiting) {
		w.fail("%d frames are outstanding, %d held, the window is %d", n, len(w.waiting), window)
	}
	if w.selective {
		w.checkSelective()
	}
	used, waiting := 0, 0
	for vc := range w.peek.vc {
		w.checkVC(vc)
		used += *w.peek.vc[vc].used
		for _, credits := range w.buffer[vc] {
			waiting += int(credits &^ sentPlain)
		}
	}
	if used != w.from.Tx.Used || waiting != w.to.Rx.Held {
		w.fail("%d credits are used, %d counted; %d held, %d counted", used, w.from.Tx.Used, waiting, w.to.Rx.Held)
	}
}

// checkVC checks a channel: the credits of held frames and of frames on the wire are the credits in use, and within
// the limit; the buffer never exceeds the grant.
func (w *world) checkVC(vc int) {
	c := &w.peek.vc[vc]
	mask := uint32(1)<<countBits - 1
	waiting, granted := 0, 0
	for _, credits := range w.buffer[vc] {
		waiting += int(credits &^ sentPlain)
		if credits&sentPlain == 0 {
			granted += int(credits)
		}
	}
	if *c.used < 0 || *c.used > *c.limit || uint32(*c.used) != (*c.scc-*c.scf)&mask {
		w.fail("VC %d: S_CC %d, S_CF %d, used %d of %d", vc, *c.scc, *c.scf, *c.used, *c.limit)
	}
	if granted > int(limits[vc]) || uint32(waiting) != (*c.rcc-*c.rcf)&mask {
		w.fail("VC %d: %d credits are held of %d, R_CC %d, R_CF %d", vc, waiting, limits[vc], *c.rcc, *c.rcf)
	}
	if *c.phase != cbfc.Lossless {
		return
	}
	if *w.peek.on>>vc&1 == 0 || c.question.Transaction != *c.number {
		w.fail("VC %d is lossless, and the receiver does not count its credits", vc)
	}
	if freed, lost := (*c.rcf-*c.scf)&mask, (*c.scc-*c.rcc)&mask; int(freed)+waiting+int(lost) != *c.used {
		w.fail("VC %d: S_CC %d, R_CC %d, R_CF %d, S_CF %d, used %d", vc, *c.scc, *c.rcc, *c.rcf, *c.scf, *c.used)
	}
}

// atRest reports whether all frames sent have arrived and were read, the channels are as wanted, and all counts are
// equal.
func (w *world) atRest() bool {
	frames := len(w.waiting) + len(w.data) + len(w.saved) + len(w.buffer[0]) + len(w.buffer[1])
	if frames+len(w.down)+len(w.up) > 0 || !w.running() || w.expect != w.nextID {
		return false
	}
	for vc := range w.peek.vc {
		c := &w.peek.vc[vc]
		lossless := w.wants>>vc&1 != 0
		if (*c.phase == cbfc.Lossless) != lossless || (*w.peek.on>>vc&1 != 0) != lossless || !lossless &&
			*c.phase != cbfc.BestEffort {
			return false
		}
		if *c.scc != *c.scf || lossless && (*c.rcc != *c.scc || *c.rcf != *c.scc) {
			return false
		}
	}
	return true
}

// goodRound is a round of a good wire and good ends: all packets on the wire arrive, all frames are read, all
// messages are sent. If no step is left, time passes.
func (w *world) goodRound() {
	busy := false
	for range 20 {
		repeat := w.hear(&w.down, w.hearB, false)
		repeat = w.hear(&w.up, w.hearA, false) || repeat
		w.settle()
		repeat = w.deliverGood() || repeat
		repeat = w.takeKept() || repeat
		repeat = w.read(0) || repeat
		repeat = w.read(1) || repeat
		repeat = w.replay() || repeat
		w.speakA()
		w.speakB()
		repeat = repeat || len(w.down)+len(w.up) > 0
		w.settle()
		if !repeat {
			break
		}
		busy = true
	}
	if busy {
		return
	}
	w.age()
	w.probe()
	w.settle()
	w.timer()
	w.settle()
	w.tickA()
	w.settle()
	w.tickB()
	w.settle()
	w.sendCounts()
	w.settle()
}

func (w *world) deliverGood() bool { return w.deliver(0, false) }

package explore

import (
	"uelink/cbfc"
	"uelink/wire"
)

// timer advances the time at A's LLR to its deadline.
func (w *world) timer() bool {
	d := w.a.Deadline()
	if d == wire.Never || len(w.down) >= *maxControl {
		return false
	}
	says := w.a.Poll(max(now, d), true, w.out[:0])
	w.say(&w.down, says)
	return true
}

// say puts a control frame on the wire.
func (w *world) say(way *[]list, says []wire.CtlOS) {
	if len(says) > 0 {
		*way = append(*way, list{says: append([]wire.CtlOS(nil), says...)})
	}
}

// speakA and speakB send the control frame of an end, and return false while the wire is full.
func (w *world) speakA() bool {
	if len(w.down) >= *maxControl {
		return false
	}
	says := w.from.Poll(now, w.env(2), w.out[:0])
	w.say(&w.down, says)
	return true
}

func (w *world) speakB() bool {
	if len(w.up) >= *maxControl {
		return false
	}
	says := w.b.Poll(now, true, w.out[:0])
	says = w.to.Poll(now, w.env(1), says)
	w.say(&w.up, says)
	return true
}

// hear delivers the next control frame of a direction.
func (w *world) hear(way *[]list, hears func([]wire.CtlOS), again bool) bool {
	if len(*way) == 0 || again && (*way)[0].twice {
		return false
	}
	says := (*way)[0].says
	if (*way)[0].twice = again; !again {
		*way = (*way)[1:]
	}
	hears(says)
	return true
}

func (w *world) hearA(says []wire.CtlOS) {
	w.a.ReceivedControl(now, says...)
	w.free()
	w.from.ReceivedControl(says, w.env(2), now)
}

func (w *world) hearB(says []wire.CtlOS) {
	w.b.ReceivedControl(now, says...)
	w.freeKept()
	w.to.ReceivedControl(says, w.env(1), now)
}

// free returns the slots that LLR no longer needs.
func (w *world) free() {
	first := -1
	for {
		slot, ok := w.tx.Free()
		if !ok {
			return
		}
		if first++; int(slot) != first || len(w.waiting) == 0 {
			w.fail("LLR gives slot %d back, %d are held", slot, len(w.waiting))
			return
		}
		w.waiting = w.waiting[1:]
	}
}

func drop(way *[]list) bool {
	if len(*way) == 0 {
		return false
	}
	*way = (*way)[1:]
	return true
}

// tickA makes all timers of A's port due, except the one for giving up.
func (w *world) tickA() bool {
	if len(w.down) >= *maxControl {
		return false
	}
	p := &w.peek
	*p.ccAt = min(*p.ccAt, now)
	for vc := range p.vc {
		c := &p.vc[vc]
		*c.next, *c.retryAt = min(*c.next, now), min(*c.retryAt, now)
		*c.since = now - tick
	}
	return w.speakA()
}

func (w *world) tickB() bool {
	if len(w.up) >= *maxControl {
		return false
	}
	*w.peek.repeat = min(*w.peek.repeat, now)
	return w.speakB()
}

// giveUp lets the second pass in which a question is repeated.
func (w *world) giveUp() bool {
	if len(w.down) >= *maxControl {
		return false
	}
	asks := false
	for vc := range w.peek.vc {
		if c := &w.peek.vc[vc]; *c.phase == cbfc.Asking {
			*c.since, asks = now-100*tick, true
		}
	}
	return asks && w.speakA()
}

func (w *world) toggle() bool {
	w.wants ^= 2
	w.from.Configure(settings(w.wants), now)
	return true
}

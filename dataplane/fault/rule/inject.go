package rule

import (
	"time"

	"uelink/wire"
)

// inject is the frame that a rule makes.
type inject struct {
	kind   Kind   // Ack, Nack, Init, InitEcho, CFUpdate, PFC, Pause; else Native: a whole frame, or one ordered set
	way    int    // number of the interface from which the frame comes
	seq    amount // relative to the highest data number of the other way; Init: of the same way
	vc     uint8  // virtual channel of a CF_Update, priority of a PFC frame
	value  amount // CF_Update: freed credits, absolute or relative to the last CF_Update; PFC, Pause: pause quanta
	octets []byte // init_data, a control ordered set, or a frame
	framed bool   // octets is a frame
}

// defaultSpacing is the time between two injected frames of a rule.
const defaultSpacing = time.Millisecond

// nextInject returns when the next frame is due that an inject rule sends into a way; wire.Never if there is none.
func (w *Wire) nextInject(way int) wire.Time {
	next := wire.Never
	if w.injects == 0 {
		return next
	}
	for _, s := range w.rules {
		if s.phase == Armed && s.rule.action == Inject && s.rule.inject.way == way && w.canInject(&s.rule.inject) {
			next = min(next, s.due)
		}
	}
	return next
}

// canInject reports whether everything is known that the frame needs: addresses from a control frame of its way, and
// for a relative number a data number seen before.
func (w *Wire) canInject(in *inject) bool {
	if in.framed || in.kind == PFC || in.kind == Pause {
		return true
	}
	dataWay := in.way
	if in.kind == Ack || in.kind == Nack || in.kind == InitEcho {
		dataWay = 1 - in.way
	}
	return w.ways[in.way].hasOuter && (!in.seq.relative || w.ways[dataWay].begun)
}

// injectDue makes the injected frames that are due, one for each rule, and puts them into the store of their way. Each
// counts as a hit of its rule, is announced, and arms the rules waiting for it.
func (w *Wire) injectDue(now wire.Time) {
	if w.injects == 0 {
		return
	}
	for _, s := range w.rules {
		in := &s.rule.inject
		if s.phase != Armed || s.rule.action != Inject || s.due > now || !w.canInject(in) {
			continue
		}
		s.counter.matched++
		s.counter.hits++
		if !w.ways[in.way].put(w.forge(in), waiting{due: now, added: true}) {
			s.overflow++
		}
		s.last = Hit{ID: s.id, Action: Inject, Time: now, Way: in.way, Kind: in.kind, Seq: -1, VC: -1}
		w.announce(s.last, w.own)
		s.due = now.Add(s.rule.spacing)
		if s.counter.over(&s.rule.occurrence) {
			w.setPhase(s, Done)
		}
		w.wake(s.id, now)
	}
}

// forge makes the frame that an inject rule describes, and returns it, in the memory w.own, valid until the next use.
// Addresses and relative values are those last seen on the wire.
func (w *Wire) forge(in *inject) []byte {
	y := &w.ways[in.way]
	w.own = append(w.own[:0], make([]byte, wire.MinFrameLen)...)
	da, sa := wire.MAC(y.outer[:wire.AddrLen]), wire.MAC(y.outer[wire.AddrLen:])
	if !y.hasOuter { // PFC and PAUSE need no address of the sender
		sa = wire.MAC{2}
	}
	set := wire.CtlOS{}
	switch {
	case in.framed:
		w.own = append(w.own[:0], in.octets...)
		return w.own
	case in.kind == PFC:
		p := wire.PFC{Enable: 1 << in.vc}
		p.Quanta[in.vc] = uint16(in.value.n)
		wire.PutPFC(w.own, sa, p)
		return w.own
	case in.kind == Pause:
		wire.PutPFC(w.own, sa, wire.Pause(uint16(in.value.n)))
		return w.own
	case in.kind == CFUpdate:
		c := wire.Credit{VC: in.vc, Count: uint16(in.value.apply(uint32(y.freed[in.vc]))) & (1<<wire.CCBitsSeed - 1)}
		set = wire.CtlOS{Type: wire.CFUpdate, CF: [2]wire.Credit{c, c}}
	case in.kind >= Ack && in.kind <= InitEcho:
		dataWay := in.way
		if in.kind != Init {
			dataWay = 1 - in.way
		}
		set = wire.CtlOS{Type: setTypes[in.kind-Ack], Seq: in.seq.apply(w.ways[dataWay].next-1) & wire.SeqMask}
		copy(set.InitData[:], in.octets)
	}
	n := wire.PutControlTo(w.own, da, sa, w.settings.Control, []wire.CtlOS{set})
	if in.kind == Native {
		copy(wire.CtlOSAt(w.own, 0), in.octets)
		wire.SealControl(w.own, 1)
	}
	return w.own[:n]
}

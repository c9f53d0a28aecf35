package rule

import (
	"math/rand/v2"

	"uelink/wire"
	"uelink/wire/micropacket"
)

// The way of a frame through the rules:
//
//  1. Pass finds out what the frame is (classify), and follows the sequence numbers of its way.
//  2. The rules look at the frame as a whole, in their order. Drop and hold end here.
//  3. If rules want them, they look at each control ordered set or micropacket of the frame. What they take out is
//     lost, or leaves in a frame of its own; the rest of the frame goes on with right checks.
//  4. Frames that the rules have made or held wait in a store, until Take.

// Settings is the wire that rules look at.
type Settings struct {
	Names         [2]string // of the interfaces a and b: frames of way 0 come from a
	Data, Control uint16    // EtherTypes of the link
	Seed          uint64    // of the random numbers
}

// Wire is the rules of a wire with two ways, and their state. A Wire belongs to one goroutine.
type Wire struct {
	settings Settings
	rules    []*state
	wanted   kinds // kinds of messages that the armed rules look at
	injects  int   // armed rules that inject
	random   *rand.PCG
	named    int    // number of rules named by the wire so far
	passes   uint64 // frames so far
	ways     [2]way

	onHit   []func(h Hit, octets []byte)
	message message
	sets    [wire.MaxCtlOS]wire.CtlOS
	removed [micropacket.MaxPerFrame]bool // ordered sets or micropackets of the present frame that were taken out
	own     []byte                        // a frame for a single message
	scratch []byte
}

// way is the state of one way.
type way struct {
	numbers
	store
	outer    wire.Addresses // addresses of the way's last control frame
	hasOuter bool
	freed    [32]uint16 // by VC: the count of the last CF_Update
	shift    uint32     // frames of micropackets added by rules: later frames have numbers higher by this
	last     uint32     // number of the last frame of micropackets
}

// New returns a wire without rules. EtherTypes of 0 are the defaults of the link.
func New(s Settings) *Wire {
	if s.Data == 0 {
		s.Data = wire.EtherTypeData
	}
	if s.Control == 0 {
		s.Control = wire.EtherTypeControl
	}
	return &Wire{settings: s, random: rand.NewPCG(s.Seed, 0), own: make([]byte, 0, 2048), scratch: make([]byte, 0, 2048)}
}

// OnHit makes the wire call f at each hit, before the action. f must not keep octets, and must not block.
func (w *Wire) OnHit(f func(h Hit, octets []byte)) { w.onHit = append(w.onHit, f) }

// announce calls the functions of OnHit.
func (w *Wire) announce(h Hit, octets []byte) {
	for _, f := range w.onHit {
		f(h, octets)
	}
}

func (w *Wire) draw() uint64 { return w.random.Uint64() >> 1 }

// outcome is what a rule has done with a message.
type outcome uint8

// The outcomes, from the weakest to the strongest: of several rules the strongest counts.
const (
	untouched outcome = iota
	changed
	lost
	withheld // the message waits in the store, or leaves in a frame of its own
)

// Pass applies the rules to a frame of a way, changes it in place, and returns its new length. Length 0: the frame does
// not go on; dropped then reports whether it is lost (true), or held or replaced by other frames (false).
func (w *Wire) Pass(way int, frame []byte, now wire.Time) (length int, dropped bool) {
	if len(frame) == 0 {
		return 0, true
	}
	m := &w.message
	w.passes++
	w.classify(m, way, frame)
	w.follow(m)
	store := &w.ways[way].store
	before := store.order
	result := untouched
	if w.wanted&m.kinds != 0 {
		result = w.search(m, now)
	}
	length = len(frame)
	if result == untouched && m.intact && len(w.rules) > 0 {
		length, result = w.units(m, now)
	}
	if result == lost || result == withheld {
		return 0, result == lost
	}
	store.overtake(before, now)
	return length, false
}

// follow updates the numbers and addresses known of the message's way, and sets fresh and copies of a message with a
// data number.
func (w *Wire) follow(m *message) {
	y := &w.ways[m.way]
	switch {
	case m.kinds&(1<<Data) != 0 || m.kinds&(1<<CCUpdate) != 0 && m.hasSeq:
		first := !y.begun
		repeated, fresh := y.sent(m.seq)
		m.fresh, m.copies = fresh, 1
		if repeated {
			m.copies = 2
		}
		if first {
			w.base(m.way, m.seq)
		}
	case m.kinds&(1<<Control) != 0 && m.intact:
		y.outer, y.hasOuter = wire.Addresses(m.frame), true
		w.followSets(y, m)
	}
}

// followSets records what a control frame says for later rules: LLR_INIT begins the numbers of way y, and the latest
// freed credits of a channel are what an injected CF_Update starts from.
func (w *Wire) followSets(y *way, m *message) {
	n, _, _ := wire.ParseControl(m.frame, &w.sets)
	for i := range w.sets[:n] {
		c := &w.sets[i]
		if c.Type == wire.LLRInit {
			first := !y.begun
			y.initialize(c)
			if first {
				w.base(m.way, c.Seq)
			}
		}
		if c.Type == wire.CFUpdate {
			y.freed[c.CF[1].VC], y.freed[c.CF[0].VC] = c.CF[1].Count, c.CF[0].Count
		}
	}
}

// base sets seq as the first data number of a way since the arming of a rule, for all rules that have none yet.
func (w *Wire) base(way int, seq uint32) {
	for _, s := range w.rules {
		if !s.based[way] {
			s.base[way], s.based[way] = seq, true
		}
	}
}

// search makes the armed rules look at a message, in their order, and returns what became of it. The search ends when
// the message is lost or withheld, or with the first hit, unless the rule only counts, or has the word continue.
func (w *Wire) search(m *message, now wire.Time) (result outcome) {
	for _, s := range w.rules {
		if s.phase != Armed || s.from == w.passes || !s.matches(m, w) || s.expired(now) {
			continue
		}
		if s.counter.matched == 0 {
			s.began = now
		}
		if s.rule.action == Replay {
			s.remember(w.alone(m, true), m.kinds&micropacketKinds != 0)
		}
		hit := s.counter.match(&s.rule.occurrence, w.draw)
		if hit {
			w.report(s, m, now)
			result = max(result, w.act(s, m, now))
		}
		if s.counter.over(&s.rule.occurrence) {
			w.setPhase(s, Done)
		}
		if hit && (result >= lost || s.rule.action != Count && !s.rule.proceed) {
			return result
		}
	}
	return result
}

// units lets the rules look at the control ordered sets or micropackets of a frame, and rebuilds the frame without the
// messages taken out. It returns the new length and untouched; if nothing is left, result says why.
func (w *Wire) units(m *message, now wire.Time) (length int, result outcome) {
	y, length := &w.ways[m.way], len(m.frame)
	if m.kinds&(1<<Hippi) == 0 {
		if m.kinds&(1<<Control) == 0 || w.wanted&setKinds == 0 {
			return length, untouched
		}
		count, changed, all := w.each(m, int(m.frame[countAt]), (*message).selectSet, now)
		if changed && all == untouched {
			wire.SealControl(m.frame, count)
		}
		return length, all
	}
	shift := y.shift
	count, rebuilt := int(m.head.N), shift != 0
	if w.wanted&micropacketKinds != 0 {
		var changed bool
		if count, changed, result = w.each(m, count, (*message).selectMicropacket, now); result != untouched {
			return 0, result
		}
		rebuilt = rebuilt || changed
	}
	// Frames that the wire adds have numbers, too, and each number must be above the former ones.
	y.last = m.head.Number + shift
	if rebuilt {
		length = m.putHippi(m.frame, count, y.last)
	}
	return length, untouched
}

// each lets the rules look at each of count messages of a frame, and removes those taken out; choose makes m the
// message with a number. It returns the number of messages left, whether the frame has changed, and, if nothing is
// left, what became of the messages.
func (w *Wire) each(m *message, count int, choose func(*message, int) bool, now wire.Time) (int, bool, outcome) {
	rebuilt, end := false, untouched
	whole := m.kinds
	for i := range count {
		w.removed[i] = false
		if !choose(m, i) || w.wanted&m.kinds == 0 {
			continue
		}
		m.fresh = m.hasSeq && m.seq == w.ways[m.dataWay()].next
		result := w.search(m, now)
		w.removed[i] = result >= lost
		rebuilt = rebuilt || result != untouched
		if result >= lost {
			end = max(end, result)
		}
	}
	left := 0
	for i := range count {
		if m.unit = i; w.removed[i] {
			continue
		}
		if left < i {
			m.kinds = whole
			copy(unitAt(m.frame, left, whole), unitAt(m.frame, i, whole))
		}
		left++
	}
	m.unit, m.kinds = -1, whole
	if left > 0 {
		end = untouched
	}
	return left, rebuilt, end
}

// unitAt returns the octets of message i of a control frame or of a frame of micropackets.
func unitAt(frame []byte, i int, whole kinds) []byte {
	if whole&(1<<Hippi) != 0 {
		return micropacket.At(frame, i)
	}
	return wire.CtlOSAt(frame, i)
}

// Take copies the next due frame of a way, made or held by the rules, into b, which has room for the longest frame;
// injected frames that are due are made first. n is 0 if no frame is due. added reports whether the frame is an
// additional one.
func (w *Wire) Take(way int, b []byte, now wire.Time) (n int, added bool) {
	w.injectDue(now)
	y := &w.ways[way]
	if y.store.earliest() > now {
		return 0, false
	}
	n, f := y.take(b)
	if f.rule != nil {
		f.rule.waiting--
	}
	if f.hippi {
		y.shift++
		y.last++
		w.renumber(b[:n], y.last)
	}
	return n, f.added
}

// renumber gives a frame of micropackets another number in its head; a damaged frame stays as it is.
func (w *Wire) renumber(frame []byte, number uint32) {
	h, fault := micropacket.ParseFrame(frame)
	if fault != wire.NoFault { // its damage stays
		return
	}
	outer := wire.Addresses(frame)
	h.Number = number
	micropacket.PutFrame(frame, &outer, wire.EtherType(frame), h)
}

// Next returns when Take has the next frame of a way; a time in the past: now.
func (w *Wire) Next(way int) wire.Time {
	return min(w.ways[way].store.earliest(), w.nextInject(way))
}

// Waiting returns how many frames wait in both ways.
func (w *Wire) Waiting() int { return len(w.ways[0].heap) + len(w.ways[1].heap) }

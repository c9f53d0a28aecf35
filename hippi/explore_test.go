package hippi

import (
	"flag"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"testing"

	"uelink/wire"
	"uelink/wire/micropacket"
)

// TestExplore visits the states of a link breadth first: two real ends with 4 sequence numbers and VC buffers of one
// micropacket, and a wire that keeps the order, carries one or two micropackets each way, and may lose each. Time
// stands still; any timer that runs may expire. End a sends Messages of one micropacket to b on VC0. From each state
// a good wire has to lead to rest: both ends Normal, all Messages there, all credit at the sender.

var (
	exploreStates = flag.Int("hippi.states", 7000, "how many states are visited at most in each case")
	exploreWire   = flag.Int("hippi.wire", 1, "how many micropackets each way carries at a time")
)

const exploreNow = wire.Time(1) << 40

// flying is a micropacket on the wire of an exploration, in a frame of its own.
type flying struct {
	head micropacket.FrameHead
	m    micropacket.Micropacket
}

// world is a state: two ends, and the wire to each.
type world struct {
	ends   [2]*Link
	to     [2][]flying
	sent   uint8  // Messages requested, modulo 256
	expect uint8  // the Message that b waits for
	given  uint64 // Messages that the ends counted as lost and that were not missed yet
	chunk  [micropacket.HeaderPayload]byte
	wrong  string
	parent *world
	step   string
}

func newWorld() *world {
	p := Software()
	p.Retries, p.Buffers, p.Silence, p.Activity = 1000, [VCs]uint8{1, 1, 1, 1}, 0, 0
	p.ACKTimeout = 1
	w := &world{}
	for i := range w.ends {
		w.ends[i] = newLinkOf(4, p, uint16(100*(i+1)))
		w.ends[i].SetCarrier(true, exploreNow)
	}
	return w
}

// clone returns a copy of a state that shares no memory.
func (w *world) clone() *world {
	c := *w
	for i, l := range w.ends {
		copied := *l
		copied.src.buffer = slices.Clone(l.src.buffer)
		for vc := range copied.dst.vc {
			copied.dst.vc[vc].slots = slices.Clone(l.dst.vc[vc].slots)
		}
		c.ends[i], c.to[i] = &copied, slices.Clone(w.to[i])
		for vc := range copied.arrival {
			if copied.arrival[vc].chunk != nil {
				copied.arrival[vc].chunk = c.chunk[:]
			}
		}
	}
	c.parent = w
	return &c
}

func (w *world) fail(format string, args ...any) {
	if w.wrong == "" {
		w.wrong = fmt.Sprintf(format, args...)
	}
}

// The steps: each returns false if it is not possible in the state.
type worldStep struct {
	name  string
	reset bool // a step that begins a Link Reset or Initialize
	fault bool
	do    func(w *world) bool
}

var worldSteps = func() (list []worldStep) {
	for i, name := range []string{"a", "b"} {
		list = append(list,
			worldStep{"a micropacket arrives at " + name, false, false, func(w *world) bool { return w.arrive(i) }},
			worldStep{"a micropacket to " + name + " is lost", false, true, func(w *world) bool { return w.lose(i) }},
			worldStep{name + " sends a micropacket", false, false, func(w *world) bool { return w.transmit(i) }},
			worldStep{"the ACK timeout of " + name + " expires", false, false, func(w *world) bool { return w.ackTimeout(i) }},
			worldStep{"the Dead-man timer of " + name + " expires", true, false, func(w *world) bool { return w.deadMan(i) }},
			worldStep{name + " is reset", true, false, func(w *world) bool {
				return w.ends[i].ControlRequest(CommandReset, exploreNow) == nil
			}},
			worldStep{name + " is initialized", true, false, func(w *world) bool {
				return w.ends[i].ControlRequest(CommandInitialize, exploreNow) == nil
			}},
		)
	}
	return append(list,
		worldStep{"a requests a Message", false, false, (*world).request},
		worldStep{"b takes a Message", false, false, (*world).read})
}()

func (w *world) arrive(i int) bool {
	if len(w.to[i]) == 0 {
		return false
	}
	f := w.to[i][0]
	w.to[i] = w.to[i][1:]
	if hearing, ok := w.ends[i].Hear(f.head); ok {
		w.ends[i].Receive(exploreNow, &f.m, hearing)
	}
	return true
}

func (w *world) lose(i int) bool {
	if len(w.to[i]) == 0 {
		return false
	}
	w.to[i] = w.to[i][1:]
	return true
}

func (w *world) transmit(i int) bool {
	l := w.ends[i]
	if len(w.to[1-i]) >= *exploreWire {
		return false
	}
	l.timers.turn = min(l.timers.turn, exploreNow)
	var m micropacket.Micropacket
	if l.timers.keepAt = wire.Never; l.state == Shutdown {
		return false
	}
	timer := l.src.timer
	l.src.timer, l.timers.due = wire.Never, wire.Never
	ok := l.Transmit(exploreNow, &m)
	if l.src.timer == wire.Never && l.src.count > 0 && l.src.at == l.src.count {
		l.src.timer = timer
	}
	if ok {
		w.to[1-i] = append(w.to[1-i], flying{l.FrameHead(1, false), m})
	}
	return ok
}

func (w *world) ackTimeout(i int) bool {
	l := w.ends[i]
	if l.state != Normal || l.src.timer == wire.Never {
		return false
	}
	l.src.timer, l.timers.due = exploreNow, exploreNow
	l.Expire(exploreNow)
	return true
}

func (w *world) deadMan(i int) bool {
	l := w.ends[i]
	if l.timers.deadMan == wire.Never {
		return false
	}
	l.timers.deadMan, l.timers.due = exploreNow, exploreNow
	l.Expire(exploreNow)
	return true
}

func (w *world) request() bool {
	a := w.ends[0]
	if w.sent-w.expect >= 3 {
		return false
	}
	a.TransferConfirm(0)
	if !a.Ready() || a.TransferRequest(0, Message{Data: []byte{w.sent}}, exploreNow) != nil {
		return false
	}
	w.sent++
	return true
}

func (w *world) read() bool {
	b := w.ends[1]
	if !b.Accept(0, w.chunk[:], exploreNow) {
		return false
	}
	i, ok := b.TransferIndicate(0)
	if !ok || !i.Status.Good() || len(i.Data) != 1 {
		w.fail("indication %+v, %v", i, ok)
		return true
	}
	b.TransferResponse(0, exploreNow)
	missing := i.Data[0] - w.expect
	w.expect = i.Data[0] + 1
	if uint64(missing) > w.given {
		w.fail("Message %d arrives, %d are missing before it, and %d are counted as lost", i.Data[0], missing, w.given)
	}
	w.given -= min(uint64(missing), w.given)
	return true
}

// settle makes what has no influence equal in all states.
func (w *world) settle() {
	for _, l := range w.ends {
		w.given += l.Counters.TxLostAtReset + l.Counters.RxLostAtReset
		l.Counters, l.Events, l.notices = Counters{}, Events{}, 0
		l.src.retries, l.src.loop = 0, loop{}
		l.timers.due, l.timers.keepAt = exploreNow, wire.Never
	}
	w.given = min(w.given, 8)
	for vc := range VCs {
		if n := int(w.ends[0].src.credit[vc]); n > 1 {
			w.fail("VC%d: %d credits for a buffer of one", vc, n)
		}
	}
}

// key encodes a state; epochs are renamed in the order of their appearance, Messages counted from the expected one.
func (w *world) key(b []byte) []byte {
	names := map[uint16]byte{0: 0}
	epoch := func(e uint16) byte {
		if _, ok := names[e]; !ok {
			names[e] = byte(len(names))
		}
		return names[e]
	}
	packet := func(m *micropacket.Micropacket) {
		c := m.Control.WithLCRC(0).WithECRC(0)
		b = fmt.Appendf(b, "%x", uint64(c))
		if c.Type() == micropacket.Header {
			b = append(b, m.Data[24]-w.expect)
		}
	}
	for i, l := range w.ends {
		s, d := &l.src, &l.dst
		b = append(b, byte(l.state), bit(l.met), byte(l.answer), bit(l.timers.deadMan != wire.Never),
			bit(l.timers.holdOff > exploreNow),
			epoch(l.epoch), epoch(l.partner), epoch(l.frames.from), s.first, s.count, s.at, bit(s.acked),
			bit(s.timer != wire.Never), s.waiting, s.funded, d.rseq, d.sentRSEQ, bit(d.repeat), byte(l.confirm[0].phase))
		for vc := range d.vc {
			b = append(b, s.credit[vc], d.vc[vc].n, d.vc[vc].owed, bit(d.vc[vc].open), byte(l.arrival[vc].phase))
		}
		for n := range s.count {
			packet(&s.buffer[s.space.add(s.first, n)])
		}
		if m := d.vc[0].front(); m != nil {
			b = append(b, m.Data[24]-w.expect)
		}
		if s.waiting&1 != 0 {
			b = append(b, s.origins[0].data[0]-w.expect)
		}
		for _, f := range w.to[i] {
			b = append(b, '/', epoch(f.head.From), epoch(f.head.To))
			packet(&f.m)
		}
		b = append(b, '|')
	}
	return append(b, w.sent-w.expect, byte(w.given))
}

func bit(on bool) byte {
	if on {
		return 1
	}
	return 0
}

// atRest reports whether nothing is left to do.
func (w *world) atRest() bool {
	for i, l := range w.ends {
		if !l.Ready() || l.src.count > 0 || l.src.waiting != 0 || l.dst.owes() || len(w.to[i]) > 0 || l.dst.vc[0].n > 0 ||
			l.src.credit != [VCs]uint8{1, 1, 1, 1} {
			return false
		}
	}
	return uint64(w.sent-w.expect) <= w.given
}

// goodRound is a round of a good wire; if nothing moves, the ACK timeouts expire.
func (w *world) goodRound() {
	moved := false
	for i := range w.ends {
		for range 40 {
			if !w.arrive(i) && !w.transmit(1-i) {
				break
			}
			moved = true
		}
	}
	if moved = w.read() || moved; moved {
		return
	}
	for i := range w.ends {
		w.ackTimeout(i)
	}
}

// rests checks that a good wire leads from a state to rest. A Link Reset that takes many rounds ends by the Dead-man
// timer.
func (w *world) rests() bool {
	for round := range 60 {
		if w.atRest() {
			return true
		}
		if w.goodRound(); round%10 == 9 {
			for i := range w.ends {
				w.deadMan(i)
				w.ackTimeout(i)
			}
		}
		if w.settle(); w.wrong != "" {
			return false
		}
	}
	for i, l := range w.ends {
		w.fail("a good wire does not lead to rest")
		w.wrong += fmt.Sprintf("; %c: %v, met %v, %d outstanding, %d sent, credit %v, RSEQ %02X, told %02X, on the wire %d",
			'a'+i, l.state, l.met, l.src.count, l.src.at, l.src.credit, l.dst.rseq, l.dst.sentRSEQ, len(w.to[i]))
	}
	return false
}

// trace returns the steps that lead to a state.
func (w *world) trace() string {
	var lines []string
	for ; w.parent != nil; w = w.parent {
		lines = append(lines, w.step)
	}
	slices.Reverse(lines)
	return "\n" + strings.Join(lines, "\n")
}

func TestExplore(t *testing.T) {
	for _, c := range []struct {
		name          string
		fault, resets bool
		rested        bool
	}{
		{"from power-on over a good wire", false, false, false},
		{"from power-on", true, false, false},
		{"Messages", true, false, true},
		{"Messages and resets over a good wire", false, true, true},
		{"Messages and resets", true, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			first := newWorld()
			if c.rested && !first.rests() {
				t.Fatal(first.wrong)
			}
			first.settle()
			explore(t, first, func(s *worldStep) bool { return (c.fault || !s.fault) && (c.resets || !s.reset) })
		})
	}
}

// explore visits states from first on, by the steps that are allowed.
func explore(t *testing.T, first *world, allowed func(*worldStep) bool) {
	seed, visited, transitions, complete := maphash.MakeSeed(), map[uint64]bool{}, 0, true
	first.parent = nil
	queue := []*world{first}
	for at := 0; at < len(queue); at++ {
		if len(queue) >= *exploreStates {
			complete = false
			break
		}
		from := queue[at]
		for i := range worldSteps {
			s := &worldSteps[i]
			if !allowed(s) {
				continue
			}
			w := from.clone()
			if w.step = s.name; !s.do(w) {
				continue
			}
			transitions++
			w.settle()
			key := maphash.Bytes(seed, w.key(nil))
			if w.wrong == "" && visited[key] {
				continue
			}
			visited[key] = true
			if check := w.clone(); w.wrong != "" || !check.rests() {
				t.Fatalf("after %d states: %s%s from:%s", len(queue), w.wrong, check.wrong, w.trace())
			}
			queue = append(queue, w)
		}
		from.ends, from.to = [2]*Link{}, [2][]flying{} // the trace needs no more of it
	}
	t.Logf("states %d, transitions %d, complete %v", len(queue), transitions, complete)
}

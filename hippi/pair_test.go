package hippi

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"time"

	"uelink/wire"
	"uelink/wire/micropacket"
	"uelink/wire/wiretest"
)

// packet is a frame of micropackets on the simulated wire.
type packet struct {
	head micropacket.FrameHead
	list []micropacket.Micropacket
}

// station is one end with a next layer that sends numbered Messages and checks those that arrive.
type station struct {
	name string
	l    *Link
	in   wiretest.Arrivals[packet] // frames on their way here
	peer *station

	perFrame int
	bursts   bool        // micropackets leave and arrive by TransmitBurst and ReceiveBurst
	sent     [VCs]uint32 // Messages requested, by virtual channel
	taken    [VCs]uint32 // Messages that have to be sent in all
	got      [VCs]uint32 // number behind the last Message that arrived
	arrived  [VCs]uint32 // good Messages
	refuses  bool        // the next layer has no memory
	chunks   [VCs][]byte
	busy     [VCs]bool
	payload  [VCs][]byte
	size     func(vc uint8, id uint32) int
	resets   int // Link Resets, Initializes, shutdowns and restarts so far: afterwards a Message may be missing
}

// newStation returns an end; longest is the longest payload.
func newStation(name string, p Profile, epoch uint16, longest int) *station {
	p.SULAAllowed, p.VC3 = true, true
	s := &station{name: name, l: NewLink(p, epoch), perFrame: 8}
	for vc := range s.chunks {
		s.chunks[vc], s.payload[vc] = make([]byte, longest), make([]byte, longest)
	}
	s.size = func(vc uint8, id uint32) int {
		return int(id*2654435761>>16) % (min(longest, int(LongestMessage(vc))) + 1)
	}
	return s
}

// message writes Message id of a virtual channel, and returns its payload.
func (s *station) message(b []byte, vc uint8, id uint32, n int) []byte {
	b = b[:n]
	for i := range b {
		b[i] = byte(uint32(i)*7 + id*13 + uint32(vc))
	}
	if n >= 4 {
		binary.BigEndian.PutUint32(b, id)
	}
	return b
}

// pair is two ends, the wire between them, and the time.
type pair struct {
	a, b   *station
	now    wire.Time
	rng    *rand.Rand
	fate   fate
	drops  func(p *packet) bool // nil = nothing besides fate
	failed func(format string, args ...any)

	renews  *rand.Rand // draws when an end is saved and restored; nil = never
	renewed int

	copies   *rand.Rand // draws when a burst is compared with single micropackets; nil = never
	compared int
}

// fate is how bad the wire is: probabilities in 1/1000.
type fate struct {
	loss, damage, twice, late int
	delay                     time.Duration
	cut                       [2]bool // nothing arrives at a, at b
}

func newPair(seed uint64, p Profile, longest int) *pair {
	w := &pair{rng: rand.New(rand.NewPCG(seed, 6400)), fate: fate{delay: 20 * time.Microsecond}}
	w.a, w.b = newStation("a", p, uint16(seed), longest), newStation("b", p, uint16(seed+77), longest)
	w.a.peer, w.b.peer = w.b, w.a
	w.failed = func(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
	return w
}

func (w *pair) both(f func(s *station)) { f(w.a); f(w.b) }

// carrier sets the carrier at both ends.
func (w *pair) carrier(up bool) {
	w.both(func(s *station) { s.l.SetCarrier(up, w.now) })
}

// run lets time pass until an instant.
func (w *pair) run(until wire.Time) {
	idle := 0
	for w.work(); ; w.work() {
		next := min(w.a.in.Earliest(wire.Never), w.b.in.Earliest(wire.Never), w.a.l.Deadline(), w.b.l.Deadline())
		if next > until {
			w.now = until
			return
		}
		if idle++; next > w.now {
			idle = 0
		}
		if idle > 100 {
			w.failed("a deadline at %d stays due at %d: a %v, b %v", next, w.now, w.a.l.State(), w.b.l.State())
		}
		w.now = max(next, w.now)
	}
}

// wait lets time pass.
func (w *pair) wait(d time.Duration) { w.run(w.now.Add(d)) }

// work lets both ends do all there is to do now.
func (w *pair) work() {
	w.both(w.renew)
	w.both(w.receive)
	w.both(func(s *station) { w.deliver(s); w.offer(s) })
	w.both(w.transmit)
}

// receive takes the frames that have arrived.
func (w *pair) receive(s *station) {
	for {
		p, ok := s.in.Take(w.now)
		if !ok {
			return
		}
		hearing, ok := s.l.Hear(p.head)
		if !ok {
			continue
		}
		if s.bursts {
			for list := p.list; len(list) > 0; w.deliver(s) {
				list = w.receiveBurst(s, list, hearing)
			}
			continue
		}
		for i := range p.list {
			m := p.list[i]
			s.l.Receive(w.now, &m, hearing)
			w.deliver(s)
		}
	}
}

// deliver lets the next layer of an end take Messages.
func (w *pair) deliver(s *station) {
	for vc := range uint8(VCs) {
		for {
			if i, ok := s.l.TransferIndicate(vc); ok {
				w.check(s, vc, i)
				s.busy[vc] = false
				s.l.TransferResponse(vc, w.now)
				continue
			}
			if s.refuses || s.busy[vc] || !s.l.Accept(vc, s.chunks[vc], w.now) {
				break
			}
			s.busy[vc] = true
		}
	}
}

// check checks a Message that has arrived: right octets, in order, none twice, none missing without a reset.
func (w *pair) check(s *station, vc uint8, i Indication) {
	if !i.Status.Good() {
		if s.resets+s.peer.resets == 0 {
			w.failed("%s: VC%d: status %+v without a reset: %+v, %+v", s.name, vc, i.Status, w.a.l.Events, w.b.l.Events)
		}
		return
	}
	id := binary.BigEndian.Uint32(i.S[2:])
	if id < s.got[vc] {
		w.failed("%s: VC%d: Message %d after %d", s.name, vc, id, s.got[vc]-1)
	}
	if id > s.got[vc] && s.resets+s.peer.resets == 0 {
		w.failed("%s: VC%d: Message %d, Message %d is missing without a reset", s.name, vc, id, s.got[vc])
	}
	want := s.message(make([]byte, len(s.payload[vc])), vc, id, s.peer.size(vc, id))
	if string(want) != string(i.Data) || int64(len(want)) != i.Length || i.SNAP != micropacket.SNAP(0x8181) {
		w.failed("%s: VC%d: Message %d has %d octets of %d, or others than were sent", s.name, vc, id, len(i.Data), len(want))
	}
	s.got[vc] = id + 1
	s.arrived[vc]++
}

// offer requests Messages.
func (w *pair) offer(s *station) {
	for vc := range uint8(VCs) {
		for s.sent[vc] < s.taken[vc] {
			s.l.TransferConfirm(vc)
			if !s.l.Ready() || s.l.confirm[vc].phase != confirmNone {
				break // during a shutdown the Message would be discarded
			}
			id := s.sent[vc]
			m := Message{SNAP: micropacket.SNAP(0x8181), Data: s.message(s.payload[vc], vc, id, s.size(vc, id))}
			binary.BigEndian.PutUint32(m.S[2:], id)
			if s.l.TransferRequest(vc, m, w.now) != nil {
				break
			}
			s.sent[vc]++
		}
	}
}

// transmit puts the frames of an end on the wire.
func (w *pair) transmit(s *station) {
	for {
		var list []micropacket.Micropacket
		for len(list) < s.perFrame {
			if s.bursts {
				n := len(list)
				if list = w.transmitBurst(s, list); len(list) > n {
					w.offer(s)
					continue
				}
			}
			var m micropacket.Micropacket
			if !s.l.Transmit(w.now, &m) {
				break
			}
			list = append(list, m)
			w.offer(s)
		}
		if len(list) == 0 {
			return
		}
		w.put(s, packet{s.l.FrameHead(len(list), false), list})
	}
}

// put puts a frame on the wire, unless it is lost.
func (w *pair) put(s *station, p packet) {
	f := &w.fate
	draw := func(n int) bool { return n > 0 && w.rng.IntN(1000) < n }
	if s == w.a && f.cut[1] || s == w.b && f.cut[0] || draw(f.loss) || w.drops != nil && w.drops(&p) {
		return
	}
	if draw(f.damage) {
		m := &p.list[w.rng.IntN(len(p.list))]
		bit := w.rng.IntN(8 * micropacket.Len)
		if bit < 8*micropacket.DataLen {
			m.Data[bit/8] ^= 1 << (bit % 8)
		} else {
			m.Control ^= 1 << (bit - 8*micropacket.DataLen)
		}
	}
	at := w.now.Add(f.delay)
	s.peer.in.Put(at, p)
	if draw(f.twice) {
		s.peer.in.Put(at.Add(time.Duration(w.rng.IntN(200_000))), p)
	}
	if draw(f.late) {
		s.peer.in.PutBehind(at, p)
	}
}

// normal reports whether both ends are in Normal, and know it of each other.
func (w *pair) normal() bool { return w.a.l.Ready() && w.b.l.Ready() }

// done reports whether all Messages have arrived, but for those lost by resets, and nothing is under
// way or waits.
func (s *station) done() bool {
	for vc := range s.sent {
		if s.sent[vc] < s.taken[vc] || s.l.src.waiting>>vc&1 != 0 || !s.l.dst.vc[vc].empty() {
			return false
		}
	}
	return s.l.src.count == 0
}

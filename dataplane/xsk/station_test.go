package xsk

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"uelink/dataplane/frame"
)

// station is one end of a conversation in numbered frames. Frames sent and not confirmed stay within a window, so
// that nothing overruns.
type station struct {
	t        testing.TB
	socket   *Socket
	peer     *station
	pool     *frame.Pool
	tags     []uint16 // VLAN TCIs, outer first
	lengths  []int    // of the frames, in turn
	sent     uint64
	received uint64
	posted   uint64
	done     uint64 // completions
	lost     bool   // frames may be lost: the numbers only have to rise
	next     uint64 // number expected
	batch    [16]frame.Desc
	addrs    [16]uint64
}

func converse(t testing.TB, a, b *Socket, lengths []int, tags []uint16) (*station, *station) {
	x := &station{t: t, socket: a, lengths: lengths, tags: tags, pool: frame.NewPool(a.Geometry().TX)}
	y := &station{t: t, socket: b, lengths: lengths, tags: tags, pool: frame.NewPool(b.Geometry().TX)}
	x.peer, y.peer = y, x
	return x, y
}

// compose returns frame number n: length, tags and content depend on n alone.
func (s *station) compose(into []byte, n uint64) []byte {
	f := into[:s.lengths[n%uint64(len(s.lengths))]]
	copy(f, []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2})
	rest := f[12:]
	for _, tci := range s.tags {
		binary.BigEndian.PutUint16(rest, 0x8100)
		binary.BigEndian.PutUint16(rest[2:], tci)
		rest = rest[4:]
	}
	binary.BigEndian.PutUint16(rest, 0x1234)
	binary.BigEndian.PutUint64(rest[2:], n)
	for i := range rest[10:] {
		rest[10+i] = byte(n + uint64(i))
	}
	return f
}

// number reads a frame's number and checks every octet of it.
func (s *station) number(f []byte) uint64 {
	s.t.Helper()
	at := 14 + 4*len(s.tags)
	if len(f) < at+8 {
		s.t.Fatalf("received %d octets: % x", len(f), f)
	}
	n := binary.BigEndian.Uint64(f[at:])
	if want := s.compose(make([]byte, MostPieces*4096), n); !bytes.Equal(f, want) {
		s.t.Fatalf("frame %d came changed:\ngot  % x\nwant % x", n, f, want)
	}
	return n
}

// send posts up to a batch of frames, as the window and the slots allow.
func (s *station) send(limit uint64, window uint64) {
	n := 0
	for n < len(s.batch) && s.sent < limit && s.sent-s.peer.received < window && n < s.socket.TxRoom() {
		slot, ok := s.pool.Take()
		if !ok {
			break
		}
		addr := s.socket.Geometry().SlotAddr(slot)
		f := s.compose(s.socket.Area()[addr:addr+uint64(s.socket.Geometry().SlotSize())], s.sent)
		s.batch[n] = frame.Desc{Addr: addr, Len: uint32(len(f))}
		s.sent++
		n++
	}
	if took := s.socket.Transmit(s.batch[:n]); took != n {
		s.t.Fatalf("Transmit took %d of %d frames that TxRoom had allowed", took, n)
	}
	s.posted += uint64(n)
}

// work receives the arrived frames and reads completions.
func (s *station) work() {
	s.t.Helper()
	n := s.socket.Receive(s.batch[:])
	for _, d := range s.batch[:n] {
		number := s.number(s.socket.Area()[d.Addr : d.Addr+uint64(d.Len)])
		if number != s.next && (!s.lost || number < s.next) {
			s.t.Fatalf("frame %d came, %d was due", number, s.next)
		}
		s.next = number + 1
		s.received++
	}
	s.socket.Recycle(s.batch[:n])
	n = s.socket.Completed(s.addrs[:])
	for _, addr := range s.addrs[:n] {
		s.pool.Give(s.socket.Geometry().Slot(addr))
	}
	s.done += uint64(n)
}

func (s *station) kick() {
	s.t.Helper()
	if err := s.socket.Kick(); err != nil {
		s.t.Fatal(err)
	}
}

// exchange makes both stations send up to their limit and receive all frames.
func exchange(x, y *station, limit, window uint64) {
	x.t.Helper()
	until(x.t, func() bool {
		for _, s := range []*station{x, y} {
			s.send(limit, window)
			s.kick()
		}
		x.work()
		y.work()
		return x.received == limit && y.received == limit && x.done == x.posted && y.done == y.posted
	})
}

// until calls work until done returns true; a minute counts as for ever.
func until(t testing.TB, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); {
		if time.Now().After(end) {
			t.Fatal("nothing moves any more")
		}
	}
}

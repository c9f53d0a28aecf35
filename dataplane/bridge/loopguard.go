package bridge

import "time"

// A loop makes addresses move to and fro: a frame of a station comes from the station's port,
// and again from the port at which the loop brings it back. A bout is an address that does so.
//
//	                boutMoves within boutTime
//	free ──► counting ──────────────────────► told ──► free
//	          │   ▲                            │   boutTime without a move, or, with
//	          └───┘ boutTime is over,          │   LoopGuardBlock, at once
//	                or strayMoves              └─ moves are no events
const (
	boutMoves  = 4
	strayMoves = 4 // with other ports, in a row: the bout is between those
	boutTime   = int64(time.Second)
	boutsMax   = 256 // a power of two; an address whose place is taken is not watched
)

// bout is an address that moves between two ports. The zero bout is free.
type bout struct {
	key   uint64
	began int64
	last  int64 // when it last moved between the two
	home  uint8 // the port from which it moved first
	later uint8 // the port to which it moved first
	moves uint8 // between the two
	stray uint8 // with other ports, since the last of those
	told  bool
}

// over tells whether the place may be taken.
func (o *bout) over(now int64) bool { return o.key == 0 || now-o.last > boutTime }

// has tells whether port n is one of the two.
func (o *bout) has(n int) bool { return o.key != 0 && (int(o.home) == n || int(o.later) == n) }

// note notes a move. Flapping tells that it is the one that makes boutMoves, quiet that it is
// one of a bout that was told already.
func (o *bout) note(key uint64, from, to int, now int64) (flapping, quiet bool) {
	if o.over(now) || o.key == key && !o.told && (now-o.began > boutTime || o.stray == strayMoves) {
		*o = bout{key: key, began: now, last: now, home: uint8(from), later: uint8(to)}
	}
	switch {
	case o.key != key:
		return false, false
	case !o.has(from) || !o.has(to):
		o.stray = min(o.stray+1, strayMoves)
		return false, false
	}
	o.last, o.stray = now, 0
	if o.told {
		return false, true
	}
	o.moves++
	o.told = o.moves >= boutMoves
	return o.told, false
}

// move has the address of an entry move to port in. It is false when that port is blocked
// because of it: then the address stays where it is.
func (b *Bridge) move(e *entry, in int, now int64) bool {
	from, address := e.port(), e.address()
	o := &b.bouts[b.table.hash(e.key)>>56%boutsMax]
	flapping, quiet := o.note(e.key, from, in, now)
	switch {
	case flapping:
		if b.flaps(o, address, now) == in {
			return false
		}
	case !quiet:
		b.events.tell(Event{Kind: Moved, Address: address, From: from, To: in}, now)
	}
	b.counters.FDBMoves++
	return true
}

// flaps tells of a bout and returns the port that it blocks for it, or -1.
func (b *Bridge) flaps(o *bout, address Address, now int64) (blocked int) {
	b.counters.FDBFlapping++
	e := Event{Kind: Flapping, Address: address, From: int(o.home), To: int(o.later)}
	b.events.tell(e, now)
	if b.settings.LoopGuard != LoopGuardBlock {
		return -1
	}
	e.Kind = Blocked
	b.block(e, now)
	*o = bout{}
	return e.To
}

// block blocks the port that the event tells of.
func (b *Bridge) block(e Event, now int64) {
	p := b.ports[e.To]
	p.blocked, p.until = true, now+int64(b.settings.BlockTime)
	p.blocks++
	b.wakeAt = min(b.wakeAt, p.until)
	b.events.tell(e, now)
}

// unblock has the blocked ports come back whose time is over.
func (b *Bridge) unblock(now int64) {
	b.wakeAt = never
	for n, p := range b.ports {
		switch {
		case p == nil || !p.blocked:
		case now >= p.until:
			p.blocked = false
			b.events.tell(Event{Kind: Unblocked, To: n}, now)
		default:
			b.wakeAt = min(b.wakeAt, p.until)
		}
	}
}

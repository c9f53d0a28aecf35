package bridge

import (
	"time"

	"uelink/wire"
)

// A loop makes addresses move back and forth: a frame of a station is received at the station's port, and again at
// the port where the loop returns it. A bout is an address that does so.
//
//	               boutMoves within boutTime
//	free ──► counting ──────────────────────► reported ──► free
//	          │   ▲                            │   boutTime without a move, or, with
//	          └───┘ boutTime is over,          │   LoopGuardBlock, at once
//	                or strayMoves              └─ moves are no events
const (
	boutMoves  = 4
	strayMoves = 4 // consecutive moves between other ports that end a bout: a new bout begins with these ports
	boutTime   = time.Second
	boutsMax   = 256 // a power of two; an address whose place is in use is not watched
)

// bout is an address that moves between two ports. The zero bout is free.
type bout struct {
	key      uint64
	began    wire.Time
	last     wire.Time // when the address last moved between the ports home and later
	home     uint8     // the port from which the address first moved
	later    uint8     // the port to which the address first moved
	moves    uint8     // moves between home and later
	stray    uint8     // moves with other ports, since the last move between home and later
	reported bool
}

// over reports whether the bout, a series of moves of an address between two ports, has ended: no move for
// boutTime. Another address may use its entry.
func (o *bout) over(now wire.Time) bool { return o.key == 0 || now.Sub(o.last) > boutTime }

// hasPort reports whether port n is one of the two ports between which the bout's address moves.
func (o *bout) hasPort(n int) bool { return o.key != 0 && (int(o.home) == n || int(o.later) == n) }

// record records a move of the address key between two ports in the bout, the series of its moves; a bout that is over,
// or one with too many stray moves, makes way for a new one. flapping is true for the move that reaches boutMoves;
// quiet is true for later moves of a bout already reported. A move of another address, or with a third port, is
// neither.
func (o *bout) record(key uint64, from, to int, now wire.Time) (flapping, quiet bool) {
	if o.over(now) || o.key == key && !o.reported && (now.Sub(o.began) > boutTime || o.stray == strayMoves) {
		*o = bout{key: key, began: now, last: now, home: uint8(from), later: uint8(to)}
	}
	switch {
	case o.key != key:
		return false, false
	case !o.hasPort(from) || !o.hasPort(to):
		o.stray = min(o.stray+1, strayMoves)
		return false, false
	}
	o.last, o.stray = now, 0
	if o.reported {
		return false, true
	}
	o.moves++
	o.reported = o.moves >= boutMoves
	return o.reported, false
}

// move reports that the address of an entry moves to port in, and counts the move; the caller changes the entry. It
// returns false if the loop guard blocks port in because of the move: then the address must stay at its port.
func (b *Bridge) move(e *entry, in int, now wire.Time) bool {
	from, address := e.port(), e.address()
	o := &b.bouts[b.table.hash(e.key)>>56%boutsMax]
	flapping, quiet := o.record(e.key, from, in, now)
	switch {
	case flapping:
		if b.reportFlapping(o, address, now) == in {
			return false
		}
	case !quiet:
		b.events.add(Event{Kind: Moved, Address: address, From: from, To: in}, now)
	}
	b.counters.FDBMoves++
	return true
}

// reportFlapping reports an address that moves to and fro between the two ports of bout o. If the settings say so, it
// blocks the later port, which ends the bout, and returns the port; else it returns -1.
func (b *Bridge) reportFlapping(o *bout, address Address, now wire.Time) (blocked int) {
	b.counters.FDBFlapping++
	e := Event{Kind: Flapping, Address: address, From: int(o.home), To: int(o.later)}
	b.events.add(e, now)
	if b.settings.LoopGuard != LoopGuardBlock {
		return -1
	}
	e.Kind = Blocked
	b.block(e, now)
	*o = bout{}
	return e.To
}

// block blocks the port e.To for the time BlockTime of the settings, and reports event e.
func (b *Bridge) block(e Event, now wire.Time) {
	p := b.ports[e.To]
	p.blocked, p.until = true, now.Add(b.settings.BlockTime)
	p.blocks++
	b.wakeAt = min(b.wakeAt, p.until)
	b.events.add(e, now)
}

// unblock unblocks the ports whose BlockTime is over, and reports each.
func (b *Bridge) unblock(now wire.Time) {
	b.wakeAt = wire.Never
	for n, p := range b.ports {
		switch {
		case p == nil || !p.blocked:
		case now >= p.until:
			p.blocked = false
			b.events.add(Event{Kind: Unblocked, To: n}, now)
		default:
			b.wakeAt = min(b.wakeAt, p.until)
		}
	}
}

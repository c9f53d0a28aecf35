package cbfc

import (
	"testing"
	"time"

	"uelink/wire"
)

// FuzzControl has a port get anything in control frames and CC_Updates, between frames that it sends
// and receives. It must keep its invariants, and when a good partner speaks again, recover.
func FuzzControl(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, false)
	f.Add([]byte{3, 0xF1, 0x09, 1, 6, 0, 100, 0, 3, 0x10, 0, 5, 0, 0, 5, 0, 7, 7, 1, 1}, true)
	f.Fuzz(func(t *testing.T, in []byte, total bool) {
		s := settingsOf(3, 100)
		if total {
			s.Total = 150
		}
		p := newPair(t, s)
		p.exchange()
		p.pass(underWay)
		forge(p, in)
		for vc := range uint8(VCs) { // what the receiver holds is read
			p.b.Rx.Free(vc, p.b.Rx.vc[vc].heldCredits(standard))
		}
		p.restartB()
		p.restartA()
		p.pass(10 * askInterval)
		for vc := range uint8(2) {
			p.phase(vc, Lossless)
			p.rests(vc)
		}
		if n := p.fills(0, 1); n[0]+n[1] < 150 {
			t.Errorf("%v frames leave", n)
		}
	})
}

// forge plays in: each step is a first octet that says what happens, and octets for it.
func forge(p *pair, in []byte) {
	next := func(n int) []byte {
		b := make([]byte, n)
		in = in[copy(b, in):]
		return b
	}
	for len(in) > 0 {
		switch step := next(1)[0]; step % 8 {
		case 0, 1:
			c, fault := wire.ParseCtlOS(append([]byte{0x4B}, next(7)...), wire.ViewPCS)
			if fault == wire.NoFault {
				p.a.ReceivedControl([]wire.CtlOS{c}, &p.a.env, p.now)
				p.b.ReceivedControl([]wire.CtlOS{c}, &p.b.env, p.now)
			}
		case 2:
			b := next(3)
			c := wire.Channel{VC: b[0] & 3, Op: wire.ChannelOp(b[0] >> 5), Transaction: b[1], CreditSize: 64,
				Limit: uint16(b[2])}
			p.a.ReceivedControl([]wire.CtlOS{c.CtlOS()}, &p.a.env, p.now)
			p.b.ReceivedControl([]wire.CtlOS{c.CtlOS()}, &p.b.env, p.now)
		case 3:
			b := next(2)
			p.cf(b[0]&3, uint32(b[1]))
		case 4:
			b := next(3)
			u := wire.CCUpdate{VCs: uint32(b[0])}
			u.Count[b[0]&7] = uint32(b[1])<<8 | uint32(b[2])
			p.b.ReceivedCCUpdate(&u, wire.Dialect(step>>3&1))
		case 5:
			b := next(2)
			if credits, ok := p.lose(b[0]&3, int(b[1])*8); ok {
				p.a.Tx.Block(b[0]&3, p.now)
				if c := p.b.Rx.Store(b[0]&3, int(b[1])*8); step&8 != 0 {
					p.b.Rx.Free(b[0]&3, min(c, max(credits, c)))
				}
			}
		case 6:
			p.now = p.now.Add(time.Duration(next(1)[0]) * ms)
			p.a.say(p.now)
			p.b.say(p.now)
		case 7:
			p.exchange()
		}
		sound(p)
	}
}

// sound checks the invariants of two ports after any messages.
func sound(p *pair) {
	p.t.Helper()
	for _, e := range []*end{p.a, p.b} {
		used, held := 0, 0
		t, r := &e.Tx, &e.Rx
		for vc := range uint8(VCs) {
			s := &t.vc[vc]
			used += s.used
			held += r.vc[vc].heldCredits(standard)
			if s.used < 0 || uint32(s.used) != (s.cc-s.cf)&0xFFFFF || s.used > MaxLimit || s.cc > 0xFFFFF || s.cf > 0xFFFFF {
				p.t.Fatalf("VC %d: S_CC %d, S_CF %d, used %d of %d", vc, s.cc, s.cf, s.used, s.limit)
			}
			if n := t.plain>>vc&1 + t.counted>>vc&1 + t.moving>>vc&1; n != 1 {
				p.t.Fatalf("VC %d is plain, counted and moving in %d ways", vc, n)
			}
			if phase := s.channel.phase; (phase == Lossless) != (t.counted>>vc&1 != 0) ||
				(phase == BestEffort) != (t.plain>>vc&1 != 0) {
				p.t.Fatalf("VC %d is %v", vc, phase)
			}
		}
		if used != t.Used || held != r.Held {
			p.t.Fatalf("used %d, counted %d; held %d, counted %d", used, t.Used, held, r.Held)
		}
		if r.unreported&^r.on != 0 || r.due&^r.on != 0 || r.left&^r.on != 0 || r.outdated&^r.on != 0 {
			p.t.Fatalf("channels %b are on, of which %b untold, %b due, %b left, %b outdated", r.on, r.unreported, r.due,
				r.left, r.outdated)
		}
		if t.pool.used > t.pool.size && t.pool.size >= 150 {
			p.t.Fatalf("%d used of a total of %d", t.pool.used, t.pool.size)
		}
	}
}

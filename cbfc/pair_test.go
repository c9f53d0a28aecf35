package cbfc

import (
	"testing"
	"time"

	"uelink/wire"
)

const (
	ms     = 1_000_000
	second = 1000 * ms
)

// end is one of two ports that are joined by a control channel without delay.
type end struct {
	*Port
	env  Env
	room int                   // most messages of one control frame
	cuts func(wire.CtlOS) bool // reports whether a message of this end is lost
	sent []wire.CtlOS          // in the last exchange
}

// pair is two ports, a which sends and b which receives.
type pair struct {
	t    *testing.T
	now  wire.Time
	a, b *end
}

// settingsOf returns settings with the channels of a bitmap lossless, each with a limit.
func settingsOf(lossless uint32, limit uint16) Settings {
	s := Settings{
		On: true, Size: Size{Credit: 64}, Lossless: lossless,
		CCTimer: 10 * ms, CFMinSpacing: 800, CFMaxSpacing: 65536,
	}
	for vc := range s.Limit {
		if lossless>>vc&1 != 0 {
			s.Limit[vc] = limit
		}
	}
	return s
}

// newPair joins a, with lossless channels, and b, which only receives.
func newPair(t *testing.T, s Settings) *pair {
	receives := s
	receives.Lossless = 0
	p := &pair{t: t, now: second, a: newEnd(s, 1), b: newEnd(receives, 2)}
	p.a.env.Start, p.b.env.Start = 2, 1
	return p
}

func newEnd(s Settings, start uint32) *end {
	return &end{
		Port: NewPort(s), room: 32,
		env: Env{Known: true, CBFC: true, Start: start, LLR: true, Largest: 1514, Idle: true},
	}
}

// started is a pair whose channels are under credits. It is past the time in which CF_Updates
// may be of before.
func started(t *testing.T, s Settings) *pair {
	t.Helper()
	p := newPair(t, s)
	p.exchange()
	for vc := range uint8(VCs) {
		if s.Lossless>>vc&1 != 0 {
			p.phase(vc, Lossless)
		}
	}
	p.pass(underWay)
	return p
}

// say returns the control ordered sets that an end sends, without those that cuts selects.
func (e *end) say(now wire.Time) (list []wire.CtlOS) {
	for range 100 {
		out := e.Poll(now, &e.env, make([]wire.CtlOS, 0, e.room))
		for _, c := range out {
			if e.cuts == nil || !e.cuts(c) {
				list = append(list, c)
			}
		}
		if len(out) < e.room {
			break
		}
	}
	e.sent = append(e.sent, list...)
	return list
}

// exchange passes messages between both ends until neither has another.
func (p *pair) exchange() {
	p.t.Helper()
	p.a.sent, p.b.sent = nil, nil
	for range 20 {
		a := p.a.say(p.now)
		p.b.ReceivedControl(a, &p.b.env, p.now)
		b := p.b.say(p.now)
		p.a.ReceivedControl(b, &p.a.env, p.now)
		if len(a)+len(b) == 0 {
			return
		}
	}
	p.t.Fatal("the ends never stop talking")
}

// pass advances the time; at each deadline the ends exchange messages.
func (p *pair) pass(d time.Duration) {
	p.t.Helper()
	end := p.now.Add(d)
	for steps := 0; p.now < end; steps++ {
		p.now = min(end, max(p.now, min(p.a.Deadline(), p.b.Deadline())))
		if p.exchange(); steps > 10_000 {
			p.t.Fatalf("at %d ns: a is to be called at %d, b at %d", p.now, p.a.Deadline(), p.b.Deadline())
		}
		if d := min(p.a.Deadline(), p.b.Deadline()); d <= p.now {
			p.t.Fatalf("at %d ns, after all was said, an end is to be called at %d", p.now, d)
		}
	}
}

// send has a send a frame of so many octets, which b takes into its buffer; ok is false if it has to
// wait.
func (p *pair) send(vc uint8, octets int) (credits int, ok bool) {
	p.t.Helper()
	credits, ok = p.lose(vc, octets)
	if !ok {
		return 0, false
	}
	if got := p.b.Rx.Store(vc, octets); got != credits {
		p.t.Fatalf("VC %d, %d octets: %d credits were charged, %d stored", vc, octets, credits, got)
	}
	return credits, true
}

// lose sends a frame from a that does not arrive.
func (p *pair) lose(vc uint8, octets int) (credits int, ok bool) {
	credits, gate := p.a.Tx.Gate(vc, octets)
	if gate != Open {
		return credits, false
	}
	p.a.Tx.Charge(vc, credits, p.now)
	return credits, true
}

// fill sends frames from a until its gate shuts, or they need no credits; it returns the credits of each.
func (p *pair) fill(vc uint8, octets int) (each []int) {
	p.t.Helper()
	for {
		credits, ok := p.send(vc, octets)
		if !ok || credits == 0 {
			return each
		}
		each = append(each, credits)
	}
}

// update sends a CC_Update from a, as both dialects carry it.
func (p *pair) update(d wire.Dialect) {
	u := wire.CCUpdate{VCs: p.a.Tx.Counted()}
	for vc := range uint8(VCs) {
		u.Count[vc] = p.a.Tx.Consumed(vc) & (1<<d.CCBits() - 1)
	}
	p.a.Tx.CCSent(p.now)
	p.b.ReceivedCCUpdate(&u, d)
}

func (p *pair) phase(vc uint8, want Phase) {
	p.t.Helper()
	if got := p.a.Tx.vc[vc].channel.phase; got != want {
		p.t.Fatalf("VC %d is %v, want %v", vc, got, want)
	}
}

func (p *pair) failure(vc uint8, want Failure) {
	p.t.Helper()
	if got := p.a.Tx.vc[vc].channel.failure; got != want {
		p.t.Fatalf("VC %d: failure %q, want %q", vc, got, want)
	}
}

// counts are S_CC, S_CF, R_CC and R_CF.
type counts struct{ scc, scf, rcc, rcf uint32 }

func (p *pair) counts(vc uint8) counts {
	s, r := &p.a.Tx.vc[vc], &p.b.Rx.vc[vc]
	return counts{s.cc, s.cf, r.cc, r.cf}
}

func (p *pair) want(vc uint8, want counts) {
	p.t.Helper()
	if got := p.counts(vc); got != want {
		p.t.Fatalf("VC %d: S_CC %d, S_CF %d, R_CC %d, R_CF %d; want %v", vc, got.scc, got.scf, got.rcc, got.rcf, want)
	}
}

// rests checks that all four counts of a channel are equal.
func (p *pair) rests(vc uint8) {
	p.t.Helper()
	c := p.counts(vc)
	p.want(vc, counts{c.scc, c.scc, c.scc, c.scc})
	if p.a.Tx.vc[vc].used != 0 {
		p.t.Fatalf("VC %d: %d credits are used at rest", vc, p.a.Tx.vc[vc].used)
	}
}

// restartB restarts b with its present settings.
func (p *pair) restartB() {
	cuts := p.b.cuts
	p.b = newEnd(p.b.Rx.settings, p.b.env.Start)
	p.b.cuts = cuts
	p.a.env.Start++
}

// restartA restarts a.
func (p *pair) restartA() {
	p.a = newEnd(p.a.Tx.settings, p.a.env.Start)
	p.b.env.Start += 1000
}

// says counts the VC messages of a list.
func says(list []wire.CtlOS, op wire.ChannelOp) (n int) {
	for _, c := range list {
		if ch, ok := c.Channel(); ok && ch.Op == op {
			n++
		}
	}
	return n
}

// cuts loses messages of an operation.
func cutsOp(op wire.ChannelOp) func(wire.CtlOS) bool {
	return func(c wire.CtlOS) bool { return says([]wire.CtlOS{c}, op) > 0 }
}

func cutsCF(c wire.CtlOS) bool { return c.Type == wire.CFUpdate }

func cutsAll(wire.CtlOS) bool { return true }

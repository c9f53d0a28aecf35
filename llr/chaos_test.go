package llr

import (
	"math/rand/v2"
	"time"

	"uelink/wire"
)

// chaos is a wire and an operator with bad intentions, drawn from a seed.
type chaos struct {
	rng     *rand.Rand
	net     *network
	profile Profile
	over    bool // all is good from now on

	latency, jitter time.Duration // of an ordinary packet, of one that is held back
	loss, corrupt   float64       // shares of the packets
	duplicate, late float64
	burst           float64      // chance that a lost packet takes the next with it
	losing          [2]bool      // a burst is under way, by direction
	events          float64      // chance of an event of the operator in a millisecond
	restarts        bool         // events are restarts and LLR_INIT from the past too
	forges          bool         // events are forged control too
	oneWay          bool         // LLR runs from a to b only
	speaks          [2]bool      // the stations know STATION
	never           map[int]bool // frames of both that never cross
	stubborn        bool         // nor when the wire is good
	mind            *rand.Rand   // draws what only selective replay has; nil: go-back-N
	nonces          uint16
	past            [2][]wire.CtlOS // LLR_INIT that a and b have sent in this start and the one before
	starts          [2]int          // where those of this start begin
}

// newChaos draws everything from the seed. One seed in three has restarts, one in four
// forged control, one in five LLR in one direction only, one in five frames that
// never cross. Of selective replay all is as in go-back-N, and what is its own is drawn apart.
func newChaos(seed uint64, replay ReplayKind) *chaos {
	rng := rand.New(rand.NewPCG(seed, 1))
	pick := func(v ...float64) float64 { return v[rng.IntN(len(v))] }
	c := &chaos{rng: rng, restarts: seed%3 == 0,
		latency: time.Duration(pick(2_000, 20_000, 200_000)),
		loss:    pick(0, 0.001, 0.01, 0.1), corrupt: pick(0, 0.001, 0.01, 0.1),
		duplicate: pick(0, 0.001, 0.05), late: pick(0, 0.001, 0.05),
		burst: pick(0, 0.5, 0.9), events: pick(0, 0.05, 0.3)}
	if c.restarts {
		c.events = pick(0.1, 0.3)
	}
	c.jitter = c.latency * time.Duration(rng.IntN(4)+1)
	c.profile = Profile{
		MaxOutstandingFrames: 1 + rng.IntN(96),
		MaxOutstandingBytes:  int64(1000 + rng.IntN(100_000)),
		MaxReplayTimer:       2*(c.latency+c.jitter) + time.Duration(rng.IntN(1_000_000)),
		MaxReplayCount:       uint8(pick(1, 3, 8, NoReplayLimit)),
		InitAction:           FrameAction(pick(float64(Block), float64(Block), float64(Discard), float64(BestEffort))),
		FlushAction:          FrameAction(pick(float64(Block), float64(Block), float64(Discard), float64(BestEffort))),
		ReInitOnFlush:        rng.IntN(2) == 0,
		CtlOSSpacingBytes:    400 + rng.IntN(8192),
	}
	if rng.IntN(3) == 0 {
		c.profile.HoldTimeout = 30 * c.profile.MaxReplayTimer
	}
	if rng.IntN(4) == 0 {
		c.profile.DataAgeTimeout = 10 * c.profile.MaxReplayTimer
	}
	if rng.IntN(4) == 0 {
		c.profile.PCSLostTimeout = time.Duration(rng.IntN(5_000_000))
	}
	c.forges, c.oneWay = rng.IntN(4) == 0, rng.IntN(5) == 0
	c.speaks = [][2]bool{{true, true}, {true, true}, {true, false}, {false, true}, {false, false}}[rng.IntN(5)]
	if rng.IntN(5) == 0 {
		c.never = map[int]bool{}
		for range 1 + rng.IntN(3) {
			c.never[rng.IntN(simFrames)] = true
		}
		c.stubborn = c.profile.MaxReplayCount != NoReplayLimit && rng.IntN(2) == 0
	}
	if c.profile.Replay = replay; replay != GoBackN {
		c.mind = rand.New(rand.NewPCG(seed, 5))
	}
	return c
}

// index is 0 for a, 1 for b.
func (c *chaos) index(s *station) int {
	if s == c.net.a {
		return 0
	}
	return 1
}

// fate of a packet on the bad wire, or the good one.
func (c *chaos) fate(from *station, p *packet, delays []time.Duration) []time.Duration {
	if c.restarts && p.ctl.Type == wire.LLRInit {
		i := c.index(from)
		c.past[i] = append(c.past[i], p.ctl)
	}
	if c.never[p.id] && p.ctl.Type == 0 && !p.bare && (!c.over || c.stubborn) {
		return delays
	}
	if c.over {
		return append(delays, c.latency)
	}
	way := &c.losing[c.index(from)]
	if *way = *way && c.rng.Float64() < c.burst || c.rng.Float64() < c.loss; *way {
		return delays
	}
	if c.rng.Float64() < c.corrupt {
		if p.ctl.Type != 0 {
			return delays // the control frame has a CRC of its own
		}
		c.damage(p)
	}
	delays = append(delays, c.delay())
	if c.rng.Float64() < c.duplicate {
		delays = append(delays, c.delay())
	}
	return delays
}

// damage breaks a frame, half of the time its number. A wire does not poison.
func (c *chaos) damage(p *packet) {
	p.fcs = wire.FCSBad
	if c.rng.IntN(2) == 0 {
		p.seq ^= 1 << c.rng.IntN(wire.SeqBits)
	}
}

func (c *chaos) delay() time.Duration {
	if c.rng.Float64() < c.late {
		return c.latency + time.Duration(c.rng.Int64N(int64(c.jitter)))
	}
	return c.latency
}

// meddle lets the operator do something, now and then.
func (c *chaos) meddle() {
	if c.mind != nil {
		c.meddleSelectively()
	}
	if c.rng.Float64() >= c.events {
		return
	}
	s := []*station{c.net.a, c.net.b}[c.rng.IntN(2)]
	if c.forges && c.rng.IntN(2) == 0 {
		c.forge(s)
		return
	}
	kinds := 5
	if c.restarts {
		kinds = 8
	}
	switch c.rng.IntN(kinds) {
	case 0:
		c.flap(s)
	case 1:
		s.link.Tx.Reinit(c.net.now)
		s.managed()
	case 2:
		c.modes(s, true, false)
		c.wait(time.Duration(c.rng.Int64N(2_000_000)))
		c.modes(s, true, true)
	case 3:
		c.reprofile(s)
	case 4:
		c.deafen(s)
	case 5:
		c.restart(s)
		if c.rng.IntN(3) == 0 {
			c.restart(s.peer)
		}
	default:
		c.remember(s)
	}
}

// meddleSelectively stops and starts the edge behind a station, makes a station lose the frames that it keeps, makes it
// change its mind about how many it keeps, gives it another kind of replay, and has it get reports that its partner has
// never sent.
func (c *chaos) meddleSelectively() {
	s := []*station{c.net.a, c.net.b}[c.mind.IntN(2)]
	switch {
	case c.mind.IntN(8) == 0:
		s.stopped = !s.stopped
		s.wake = c.net.now
	case c.mind.IntN(30) == 0:
		s.link.Rx.GiveUpKept()
		s.freeKept()
		s.wake = c.net.now
	case c.mind.IntN(40) == 0:
		s.announcer.keeps = []uint8{0, 1, 3, s.link.Rx.keepsLog, 18, 255}[c.mind.IntN(6)]
	case c.mind.IntN(40) == 0:
		s.changeKind(ReplayKind(c.mind.IntN(3)))
	case c.mind.IntN(10) == 0 && c.forges && !s.dead:
		for range 1 + c.mind.IntN(20) {
			s.work([]packet{c.forgedReport(s)}, true)
		}
	}
}

// forgedReport returns a report of frames near the window of a station: gaps that overlap, run backwards, or lie
// outside.
func (c *chaos) forgedReport(s *station) packet {
	near := func() uint32 { return wire.SeqAdd(s.link.Tx.acked(), c.mind.IntN(200)-50) }
	p := packet{ctl: wire.CtlOS{Type: wire.LLRAck, Seq: s.link.Tx.acked()}}
	if c.mind.IntN(2) == 0 {
		p.ctl.Type = wire.LLRNack
	}
	p.with = append(p.with, wire.Gap(wire.GapArrived, near(), near()))
	for range c.mind.IntN(30) {
		p.with = append(p.with, wire.Gap(wire.GapMissing, near(), near()))
	}
	return p
}

// flap takes the carrier of one or both ends away for a while.
func (c *chaos) flap(s *station) {
	both := c.rng.IntN(2) == 0
	s.setCarrier(false)
	if both {
		s.peer.setCarrier(false)
	}
	c.wait(time.Duration(c.rng.Int64N(10_000_000)))
	s.setCarrier(true)
	s.peer.setCarrier(true)
}

// deafen switches LLR_MODE_LOCAL off and on. Under an unlimited replay count the
// partner would never learn of it.
func (c *chaos) deafen(s *station) {
	if c.profile.MaxReplayCount == NoReplayLimit {
		return
	}
	c.modes(s, false, true)
	c.wait(time.Duration(c.rng.Int64N(5_000_000)))
	c.modes(s, true, true)
}

// modes switches the directions of a station that are to run at all.
func (c *chaos) modes(s *station, local, remote bool) {
	if c.oneWay {
		local, remote = local && s == c.net.b, remote && s == c.net.a
	}
	s.modes(local, remote)
}

// reprofile changes the window and the timers.
func (c *chaos) reprofile(s *station) {
	p := c.profile
	p.MaxOutstandingFrames = 1 + c.rng.IntN(150)
	p.MaxReplayTimer += time.Duration(c.rng.IntN(1_000_000))
	s.limits.MaxOutstandingFrames = max(s.limits.MaxOutstandingFrames, p.MaxOutstandingFrames)
	s.limits.MaxReplayTimer = max(s.limits.MaxReplayTimer, p.MaxReplayTimer)
	s.link.SetProfile(p)
	s.managed()
}

// restart kills a station's LLR, which leaves a bookmark in three cases out of four, and starts another, once what it
// had sent has left the wire: a process takes longer to come up than a frame to arrive. The
// partner has heard of it before: if not, it cannot tell.
func (c *chaos) restart(s *station) {
	if peer := s.peer.link.Rx.partner; !peer.accepted || peer.nonce != s.link.Tx.hello.nonce {
		return
	}
	i := c.index(s)
	c.past[i] = c.past[i][min(c.starts[i], len(c.past[i])):]
	c.starts[i] = len(c.past[i])
	mark, ok := s.link.Rx.Bookmark()
	s.dead = true
	c.wait(2 * (c.latency + c.jitter))
	s.dead = false
	c.boot(s)
	s.announcer.mark, s.announcer.resumes = mark, ok && c.rng.IntN(4) > 0
}

func (c *chaos) boot(s *station) {
	c.nonces++
	seq := c.rng.Uint32N(wire.SeqMask + 1)
	if c.rng.IntN(4) == 0 {
		seq = wire.SeqAdd(0, -c.rng.IntN(simFrames))
	}
	s.boot(c.profile, seq, [2]byte{byte(c.nonces >> 8), byte(c.nonces)})
	s.announcer, s.older = announcer{}, !c.speaks[c.index(s)]
	if !s.older {
		s.announcer.start, s.announcer.keeps = uint32(c.nonces), s.link.Rx.keepsLog
	}
	c.modes(s, true, true)
}

// forge has a station get control that its partner has never sent, once or as a storm:
// anything but what acknowledges frames that the partner does not have, or is an
// LLR_INIT with the partner's own nonce.
func (c *chaos) forge(s *station) {
	for range []int{1, 1, 20, 200}[c.rng.IntN(4)] {
		if s.dead {
			return
		}
		s.work([]packet{{ctl: c.forged(s)}}, true)
		c.wait(time.Duration(c.rng.Int64N(100_000)))
	}
}

func (c *chaos) forged(s *station) wire.CtlOS {
	any := c.rng.Uint32N(wire.SeqMask + 1)
	data := [2]byte{0xFF, byte(any)}
	switch c.rng.IntN(5) {
	case 0, 1:
		ctl := wire.CtlOS{Type: []wire.CtlOSType{wire.LLRAck, wire.LLRNack}[c.rng.IntN(2)], Seq: any}
		if n, _ := s.link.Tx.Outstanding(); wire.SeqDistance(s.link.Tx.acked(), any) <= uint32(n) || c.rng.IntN(2) == 0 {
			ctl.Seq = s.link.Tx.acked()
		}
		return ctl
	case 2:
		return wire.CtlOS{Type: wire.LLRInit, Seq: any, InitData: data}
	case 3:
		return wire.CtlOS{Type: wire.LLRInitEcho, Seq: any, InitData: data}
	}
	got := wire.Station{Live: c.rng.IntN(2) == 0, Start: 1<<23 | any}
	return got.Items(nil)[c.rng.IntN(2)]
}

// remember has a station get an LLR_INIT from its partner's past, once.
func (c *chaos) remember(s *station) {
	i := c.index(s.peer)
	if len(c.past[i]) < 2 || !s.link.Rx.live {
		return
	}
	k := c.rng.IntN(len(c.past[i]) - 1)
	old := c.past[i][k]
	c.past[i] = append(c.past[i][:k], c.past[i][k+1:]...)
	if k < c.starts[i] {
		c.starts[i]--
	}
	s.work([]packet{{ctl: old}}, true)
}

// wait lets time pass.
func (c *chaos) wait(d time.Duration) { c.net.run(c.net.now.Add(d)) }

// operate gets stations out of FLUSH that do not leave it by themselves.
func (c *chaos) operate() {
	for _, s := range []*station{c.net.a, c.net.b} {
		if s.link.Tx.State() == TxFlush {
			s.link.Tx.Reinit(c.net.now)
			s.managed()
		}
	}
}

// offer gives both ends more frames to send.
func (c *chaos) offer(n int) {
	for _, s := range []*station{c.net.a, c.net.b} {
		s.offered += n
		s.wake = c.net.now
	}
}

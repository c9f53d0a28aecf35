package cbfc

import (
	"testing"

	"pgregory.net/rapid"

	"uelink/wire"
)

// totalOf is settings of a receiver that grants a total, and of a sender with profiles for it.
func totalOf(total uint16, profiles ...Profile) Settings {
	s := settingsOf(1<<len(profiles)-1, 1)
	s.Total = total
	copy(s.Profile[:], profiles)
	return s
}

// fills has channels send frames of one credit until nothing leaves; it returns how many did on each.
func (p *pair) fills(vcs ...uint8) (n [VCs]int) {
	p.t.Helper()
	for sent := true; sent; {
		sent = false
		for _, vc := range vcs {
			if credits, ok := p.send(vc, 60); ok && credits > 0 {
				n[vc]++
				sent = true
			}
		}
	}
	return n
}

// TestPool is SAI's CBFC_CREDIT_PROFILE: a reserved part that nobody else has, and a shared one with
// no threshold or a static one.
func TestPool(t *testing.T) {
	for name, c := range map[string]struct {
		total    uint16
		profiles []Profile
		order    []uint8
		want     []int
	}{
		"one takes all":                      {100, []Profile{{}, {}}, []uint8{0}, []int{100, 0}},
		"all is shared":                      {100, []Profile{{}, {}}, []uint8{0, 1}, []int{50, 50}},
		"another's reserved part stays":      {100, []Profile{{}, {Reserved: 40}}, []uint8{0}, []int{60, 0}},
		"reserved and shared":                {100, []Profile{{}, {Reserved: 40}}, []uint8{1}, []int{0, 100}},
		"a static threshold":                 {100, []Profile{{Reserved: 30, Static: 25}, {}}, []uint8{0}, []int{55, 0}},
		"a threshold leaves others the rest": {100, []Profile{{Static: 25}, {}}, []uint8{0, 1}, []int{25, 75}},
		"reserved parts beyond the total":    {100, []Profile{{Reserved: 80}, {Reserved: 80}}, []uint8{0, 1}, []int{50, 50}},
	} {
		s := totalOf(c.total, c.profiles...)
		p := newPair(t, s)
		p.a.env.Largest = 60
		p.exchange()
		got := p.fills(c.order...)
		for vc, want := range c.want {
			if got[vc] != want {
				t.Errorf("%s: VC %d sent %d frames of one credit, want %d", name, vc, got[vc], want)
			}
		}
		if p.a.Tx.Used > int(c.total) || p.b.Rx.Held != p.a.Tx.Used {
			t.Errorf("%s: %d used, %d held, of %d", name, p.a.Tx.Used, p.b.Rx.Held, c.total)
		}
	}
}

// TestPoolReservedPartOfAChannelThatHasNotStarted: no other takes it meanwhile.
func TestPoolReservedPartOfAChannelThatHasNotStarted(t *testing.T) {
	p := newPair(t, totalOf(100, Profile{}, Profile{Reserved: 40}))
	p.b.cuts = func(c wire.CtlOS) bool { ch, ok := c.Channel(); return ok && ch.VC == 1 }
	p.exchange()
	if n := p.fills(0); n[0] != 60 {
		t.Errorf("%d frames", n[0])
	}
}

// TestPoolFrameThatItsPartCannotHold: a channel whose part never has room for its largest frame
// would wait for ever.
func TestPoolFrameThatItsPartCannotHold(t *testing.T) {
	for _, c := range []struct {
		profile Profile
		other   Profile
		want    Failure
	}{
		{Profile{Reserved: 10, Static: 13}, Profile{}, LimitTooLow},
		{Profile{Reserved: 10, Static: 14}, Profile{}, NoFailure},
		{Profile{}, Profile{Reserved: 77}, LimitTooLow},
		{Profile{}, Profile{Reserved: 76}, NoFailure},
	} {
		p := newPair(t, totalOf(100, c.profile, c.other)) // 1514 octets are 24 credits
		p.exchange()
		p.failure(0, c.want)
		if c.want != NoFailure {
			continue
		}
		if credits, gate := p.a.Tx.Gate(0, 1514); gate != Open {
			t.Errorf("%+v: %d credits, gate %d", c, credits, gate)
		}
		if _, gate := p.a.Tx.Gate(0, 1533); gate != TooLong {
			t.Errorf("%+v: a longer one: gate %d", c, gate)
		}
	}
}

// TestPoolProfilesOfOtherSettings: what is used under one profile is given back under another.
func TestPoolProfilesOfOtherSettings(t *testing.T) {
	s := totalOf(100, Profile{}, Profile{})
	p := started(t, s)
	p.fills(0, 1)
	s.Profile[0] = Profile{Reserved: 30}
	p.a.Configure(s, p.now)
	p.exchange()
	if _, ok := p.send(1, 60); ok {
		t.Error("a credit too many")
	}
	p.b.Rx.Free(0, 50)
	p.b.Rx.Free(1, 50)
	p.pass(2 * underWay)
	if pool := &p.a.Tx.pool; pool.shared != 0 || pool.used != 0 {
		t.Errorf("nothing is used, but %d shared credits of %d", pool.shared, pool.used)
	}
	if n := p.fills(1); n[1] != 70 {
		t.Errorf("%d frames", n[1])
	}
}

// TestPoolOfAChannelThatHasStopped: its part is free for others, reserved and used.
func TestPoolOfAChannelThatHasStopped(t *testing.T) {
	s := totalOf(100, Profile{}, Profile{Reserved: 40})
	p := started(t, s)
	p.fills(1)
	p.b.Rx.Free(1, 100)
	s.Lossless = 1
	p.a.Configure(s, p.now)
	p.exchange()
	p.phase(1, BestEffort)
	if n := p.fills(0); n[0] != 100 {
		t.Errorf("%d frames", n[0])
	}
}

// TestPoolWhereTheReceiverHoldsFrames: a channel that has fallen back to best effort since nobody
// answered still takes its part, for the receiver may hold its frames.
func TestPoolWhereTheReceiverHoldsFrames(t *testing.T) {
	s := totalOf(100, Profile{}, Profile{})
	s.Timeout, s.Reset = 50*ms, true
	p := started(t, s)
	p.b.cuts = cutsOp(wire.ChannelHeld)
	for range 60 {
		p.send(0, 60)
	}
	if _, gate := p.a.Tx.Gate(0, 41*64-4); gate != Shut {
		t.Fatal(gate)
	}
	p.a.Tx.Block(0, p.now)
	p.pass(50*ms + askLimit)
	p.failure(0, NoAnswer)
	if n := p.fills(1); n[1] != 40 || p.b.Rx.Held != 100 {
		t.Errorf("%d frames left, %d credits are held of 100", n[1], p.b.Rx.Held)
	}
	p.b.Rx.Free(0, 60)
	p.pass(retryFirst + underWay)
	p.phase(0, Lossless)
	if n := p.fills(1); n[1] != 60 {
		t.Errorf("%d frames left", n[1])
	}
}

// TestPoolWhereTheReceiverHoldsFramesOfAnotherStart: nothing starts before all of them are gone, for the new
// start knows nothing of them.
func TestPoolWhereTheReceiverHoldsFramesOfAnotherStart(t *testing.T) {
	p := started(t, totalOf(100, Profile{}, Profile{}))
	p.fills(1)
	p.restartA()
	p.exchange()
	p.phase(0, Asking)
	p.b.Rx.Free(1, 100)
	p.exchange()
	p.phase(0, Lossless)
	p.phase(1, Lossless)
	if n := p.fills(0); n[0] != 100 || p.b.Rx.Held != 100 {
		t.Errorf("%d frames, %d held", n[0], p.b.Rx.Held)
	}
}

// TestPoolOfAPartnerThatWasAway: what it held before it was given up it may still hold.
func TestPoolOfAPartnerThatWasAway(t *testing.T) {
	p := started(t, totalOf(100, Profile{}, Profile{}))
	for range 60 {
		p.send(1, 60)
	}
	p.a.PartnerLost()
	p.exchange()
	p.phase(0, Lossless)
	p.phase(1, Asking)
	if n := p.fills(0); n[0] != 40 || p.b.Rx.Held != 100 {
		t.Errorf("%d frames, %d held", n[0], p.b.Rx.Held)
	}
	p.restartB()
	p.exchange()
	if n := p.fills(0); n[0] != 100 {
		t.Errorf("%d frames to another start", n[0])
	}
}

// TestPoolNeverExceedsTheTotal draws profiles, and has channels start, stop, send and give back.
func TestPoolNeverExceedsTheTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p pool
		lossless := rapid.Uint32Range(1, 15).Draw(t, "lossless")
		var profile [VCs]Profile
		total := rapid.IntRange(1, 50).Draw(t, "total")
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			vc := uint8(rapid.IntRange(0, 3).Draw(t, "vc"))
			n := rapid.IntRange(1, 9).Draw(t, "n")
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				profile[vc] = Profile{Reserved: uint16(rapid.IntRange(0, 30).Draw(t, "r")), Static: uint16(rapid.IntRange(0,
					30).Draw(t, "s"))}
				p.configure(profile, lossless, rapid.IntRange(0, 60).Draw(t, "bound"))
			case 1:
				p.remove(vc)
				p.add(vc, total)
			case 2:
				p.remove(vc)
			case 3:
				if p.includes(vc) {
					p.charge(vc, -min(n, p.use[vc]))
				}
			default:
				if p.includes(vc) && p.allows(vc, n) {
					if p.use[vc] == 0 && n > p.maxUse(vc) {
						t.Fatalf("%d credits are admitted, the most is %d", n, p.maxUse(vc))
					}
					p.charge(vc, n)
				}
			}
			used, shared := 0, 0
			for vc := range uint8(VCs) {
				used += p.use[vc]
				shared += max(0, p.use[vc]-int(profile[vc].Reserved))
			}
			if used != p.used || shared != p.shared || used > total {
				t.Fatalf("%d used, %d counted, of %d; shared %d, %d counted", used, p.used, total, shared, p.shared)
			}
		}
	})
}

// TestPoolPartThatBecomesTooSmall: other profiles leave a channel that is lossless less than its longest frame costs.
func TestPoolPartThatBecomesTooSmall(t *testing.T) {
	s := totalOf(100, Profile{}, Profile{})
	p := started(t, s)
	s.Profile[1] = Profile{Reserved: 77}
	p.a.Configure(s, p.now)
	p.exchange()
	p.phase(0, BestEffort)
	p.failure(0, LimitTooLow)
	p.phase(1, Lossless)
	if _, gate := p.a.Tx.Gate(0, 1514); gate != Open {
		t.Errorf("gate %d: the channel has stopped", gate)
	}
}

// TestPoolOfTheSender: a pool of this end's own bounds what its channels use, whether the partner grants a total or a
// limit to each channel.
func TestPoolOfTheSender(t *testing.T) {
	bounded := func(s Settings, pool uint16, pooled uint32, profiles ...Profile) Settings {
		s.Pool, s.Pooled = pool, pooled
		copy(s.Profile[:], profiles)
		return s
	}
	for name, c := range map[string]struct {
		settings Settings
		order    []uint8
		want     [2]int
	}{
		"limits, shared":          {bounded(settingsOf(3, 100), 50, 3), []uint8{0, 1}, [2]int{25, 25}},
		"limits, a reserved part": {bounded(settingsOf(3, 100), 50, 3, Profile{}, Profile{Reserved: 30}), []uint8{0}, [2]int{20, 0}},
		"limits below the pool":   {bounded(settingsOf(3, 20), 50, 3), []uint8{0, 1}, [2]int{20, 20}},
		"one of them outside":     {bounded(settingsOf(3, 100), 50, 1), []uint8{0, 1}, [2]int{50, 100}},
		"a larger total":          {bounded(totalOf(100, Profile{}, Profile{}), 50, 3), []uint8{0, 1}, [2]int{25, 25}},
		"a smaller total":         {bounded(totalOf(40, Profile{}, Profile{}), 50, 3), []uint8{0, 1}, [2]int{20, 20}},
	} {
		p := newPair(t, c.settings)
		p.a.env.Largest = 60
		p.exchange()
		got := p.fills(c.order...)
		if [2]int(got[:2]) != c.want {
			t.Errorf("%s: sent %v frames of one credit, want %v", name, got[:2], c.want)
		}
		p.b.ReceivedControl(p.a.say(p.now), &p.b.env, p.now)
	}
}

// TestPoolOfTheSenderChanges: a pool that grows or shrinks acts at once; a pool that comes or goes starts its channels
// again. No credit is lost.
func TestPoolOfTheSenderChanges(t *testing.T) {
	s := settingsOf(3, 100)
	p := newPair(t, s)
	p.a.env.Largest = 60
	p.exchange()
	for _, c := range []struct {
		pool uint16
		want int
	}{{50, 50}, {80, 80}, {10, 10}, {0, 200}, {30, 30}} {
		s.Pool, s.Pooled = c.pool, 3
		p.a.Configure(s, p.now)
		p.exchange()
		p.pass(underWay)
		for vc := range uint8(2) {
			p.phase(vc, Lossless)
		}
		n := p.fills(0, 1)
		if n[0]+n[1] != c.want {
			t.Errorf("a pool of %d: %v frames of one credit", c.pool, n[:2])
		}
		for vc := range uint8(2) {
			p.b.Rx.Free(vc, n[vc])
		}
		p.exchange()
		if p.a.Tx.Used != 0 {
			t.Fatalf("a pool of %d: %d credits in use after all were freed", c.pool, p.a.Tx.Used)
		}
		p.pass(second)
	}
}

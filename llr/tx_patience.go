package llr

// How long the replay timer waits for a partner that is slow, and what counts as
// the same event seen twice, in nanoseconds.
const (
	patienceMax    = 16            // times REPLAY_TIMER_MAX that the timer lasts at most
	patienceForget = 1_000_000_000 // without traffic it is forgotten how slow the partner was
	apartLeast     = initInterval / 2
)

// patience is what is known of the time from a frame to its acknowledgement. It is
// learned from frames that were sent once: of one that was sent again nobody knows
// which copy is acknowledged. A slow partner's frames may all be sent again, so there
// is a second source: a replay of the timer that proves needless, because the partner
// counts frames that came twice after it has acknowledged them, and none before, while
// nothing else was sent again. Losses look like that at times, too.
type patience struct {
	least int64 // shortest since LLR is up; never = not known
	wait  int64 // the last one
	slow  int64 // how long they have lately been
	at    int64 // when there was progress

	twice  uint32 // frames that came to the partner twice, by its word
	told   bool   // it has given its word
	before uint32 // twice when the last timed replay began
	maybe  int64  // a wait that counts if that replay was needless; 0 = none
}

// forget is for a new handshake.
func (p *patience) forget() { *p = patience{least: never, twice: p.twice, told: p.told} }

// loop notes a loop time.
func (p *patience) loop(ns int64) { p.least = min(p.least, ns) }

// apart is how far apart two sightings are at least that are not of one and the same
// moment on the wire.
func (p *patience) apart() int64 {
	if p.least == never {
		return apartLeast
	}
	return max(p.least, apartLeast)
}

// took notes a wait that is certain. Two long waits on end count at once, one may
// have been an accident; short ones count little by little.
func (p *patience) took(ns int64) {
	p.slow = max(min(ns, p.wait), p.slow-max(0, p.slow-ns)/8)
	p.wait = ns
}

// needless notes a wait that seems to have cost a replay. It counts if the wait before was long, too: on a wire that
// loses frames certain ones, which are short, come in between.
func (p *patience) needless(ns int64) { p.slow, p.wait = max(p.slow, min(ns, p.wait)), ns }

// begin notes the first frame after nothing was outstanding.
func (p *patience) begin(now int64) {
	if now-p.at > patienceForget {
		p.slow, p.wait = 0, 0
	}
}

// learn takes the acknowledgement of the n oldest outstanding frames: how long the first of them has waited for it. The
// last of them has just come there, so its time is a loop time, which also tells how slow the partner is where a frame
// before it was sent again.
func (t *Tx) learn(n uint32, now int64) {
	p, r := &t.patience, &t.replay
	p.at = now
	first, last := t.window.first, t.window.first+n-1
	wait := now - t.window.at(first).pushed
	switch {
	case int32(last-r.again) >= 0:
		pushed := t.window.at(last).pushed
		t.looped(pushed, now)
		if int32(first-r.again) < 0 {
			wait = now - pushed
		}
		p.took(wait)
		p.maybe, r.timed = 0, false
	case !r.timed:
	case !t.overtakes(n):
		r.timed = false
	case t.knownLoss(now): // the replay was begun too late to be what is acknowledged
		p.needless(wait)
	case p.told && p.twice == p.before && p.maybe == 0:
		p.maybe = wait
	}
}

// overtakes reports whether the acknowledgement of n frames cannot be the answer to what the last replay has posted, or
// is one after which that replay posts nothing more. If the replay goes on, it makes frames come twice however fast the
// partner is.
func (t *Tx) overtakes(n uint32) bool {
	return n > t.replay.cursor-t.window.first || n == t.window.outstanding()
}

// looped takes a loop time: that of a frame that was sent once, when it was pushed. What the
// partner has let wait on purpose is no loop time.
func (t *Tx) looped(pushed, now int64) {
	t.patience.loop(now - pushed)
	if pushed < t.busy {
		return
	}
	if t.loop.add(now - pushed); t.loop.total%adviseEvery == 0 {
		t.adapt()
	}
}

// partnerTwice takes how many frames have come to the partner twice, by its word.
func (t *Tx) partnerTwice(count uint32) {
	p := &t.patience
	p.twice, p.told = count, true
	if p.maybe > 0 && count != p.before {
		p.needless(p.maybe)
		p.maybe, t.replay.timed = 0, false
	}
}

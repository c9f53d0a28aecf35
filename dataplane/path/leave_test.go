package path

import (
	"testing"
	"time"

	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/place"
	"uelink/llr"
)

// patient is a pair whose partners wait for each other for two seconds, and flush otherwise within 20 ms.
func patient() pairOptions {
	o := defaults()
	o.profile.MaxReplayCount, o.profile.HoldTimeout = 8, 2*time.Second
	return o
}

// acquainted waits until both ends have said who they are, and are believed.
func (p *pair) acquainted(t *testing.T) {
	t.Helper()
	speak := func() bool { return p.established() && p.a.l.Partner.SendsStation() && p.b.l.Partner.SendsStation() }
	if !p.until(speak, 3*time.Second) {
		t.Fatalf("they do not know each other\na: %v\nb: %v", p.a, p.b)
	}
}

// loaded is a pair with frames on their way in both directions.
func loaded(t *testing.T, o pairOptions) *pair {
	t.Helper()
	p := up(t, o)
	p.acquainted(t)
	if err := p.run(500, time.Second); err != nil {
		t.Fatal(err)
	}
	p.offers(t, 50)
	return p
}

// offers has both hosts send for some rounds.
func (p *pair) offers(t *testing.T, rounds int) {
	t.Helper()
	for range rounds {
		p.taken(t)
		p.a.offer(p.a.sent + 8)
		p.b.offer(p.b.sent + 8)
		p.round()
	}
}

// taken has both hosts take what has come.
func (p *pair) taken(t *testing.T) {
	t.Helper()
	p.both(func(e *end) {
		if err := e.take(); err != nil {
			t.Fatal(err)
		}
	})
}

// away is what a's host sends while b is not there: fewer frames than may wait.
func (p *pair) away(t *testing.T, d time.Duration) {
	t.Helper()
	limit := p.a.sent + 60
	const each = 5 * time.Millisecond
	for end := p.now.Add(d); p.now < end; p.now = p.now.Add(each) {
		if p.a.sent < limit {
			p.a.offer(p.a.sent + 1)
		}
		p.a.x.Step(p.now)
		p.a.x.report(p.a.hub, p.now)
	}
}

// wholeFrom demands that b's host has got each frame of a's but for so many, and that the pair goes on.
func (p *pair) wholeFrom(t *testing.T, missing uint64) {
	t.Helper()
	lost := p.a.gaps
	if err := p.run(max(p.a.sent, p.b.sent)+500, 5*time.Second); err != nil {
		t.Fatal(err)
	}
	if p.b.gaps > missing {
		t.Errorf("%d frames never came to the end that was started anew, %d are counted", p.b.gaps, missing)
	}
	if n := *p.a.l.LLR.Counters(); n.TxFlushedFrames > 0 || n.TxFlush > 0 {
		t.Errorf("%d frames were given up in %d flushes", n.TxFlushedFrames, n.TxFlush)
	}
	t.Logf("%d frames of the end that was started anew never came, %d before that", p.a.gaps, lost)
}

// An end that is killed and started anew, with the bookmark that it has left, gets all that it had not taken, and what
// was sent meanwhile: though its partner would have flushed long ago.
func TestKilledEndGoesOnWhereItWas(t *testing.T) {
	inOneGoroutine(t)
	p := loaded(t, patient())
	mark := place.Private()
	saved, ok := p.b.l.Bookmark.place.Bookmark()
	if next := p.b.l.LLR.Rx.NextSeq(); !ok || saved.Next != next {
		t.Fatalf("the place has %+v, %v; next_rx_seq is %d", saved, ok, next)
	}
	mark.Write(saved)
	outstanding, _ := p.a.l.LLR.Tx.Outstanding()
	p.away(t, 100*time.Millisecond)
	p.restartAt(p.b, mark)
	n := p.a.l.LLR.Counters()
	if !p.until(func() bool { return n.PartnerResumed == 1 && p.established() }, time.Second) {
		t.Fatalf("it does not go on where it was\na: %v\nb: %v", p.a, p.b)
	}
	if n.TxUnconfirmed > uint64(outstanding) {
		t.Errorf("%d unconfirmed of %d that were outstanding", n.TxUnconfirmed, outstanding)
	}
	p.wholeFrom(t, n.TxUnconfirmed)
	if got, _ := p.b.l.Bookmark.place.Bookmark(); p.b.l.Bookmark.resumes || got.Next != p.b.l.LLR.Rx.NextSeq() {
		t.Errorf("after that its place has %+v, next_rx_seq is %d", got, p.b.l.LLR.Rx.NextSeq())
	}
}

// leaves has an end leave, and waits until it may go.
func (p *pair) leaves(t *testing.T, e *end) {
	t.Helper()
	e.x.Leave(p.now)
	rests := func() bool {
		p.taken(t)
		p.a.offer(p.a.sent + 1)
		return e.x.Held()+e.x.Awaited(p.now) == 0
	}
	if !p.until(rests, time.Second) {
		t.Fatalf("it still holds frames, or its partner sends some\na: %v\nb: %v", p.a, p.b)
	}
}

// An end that says that it leaves, and comes back without a bookmark, costs no frame in either direction.
func TestEndThatLeavesLosesNothing(t *testing.T) {
	inOneGoroutine(t)
	p := loaded(t, patient())
	p.settleRounds() // the edge of the end that leaves has taken in what there was
	p.leaves(t, p.b)
	if n, _ := p.a.l.LLR.Tx.Outstanding(); n > 0 || !p.a.l.absence.away {
		t.Errorf("%d frames are unacknowledged, away %v", n, p.a.l.absence.away)
	}
	p.away(t, 300*time.Millisecond)
	st := p.a.l.Port.State(p.now)
	if !st.LLR.PartnerAway || st.QueuedFrames == 0 || !p.a.reports(model.EventPartner, "restarts, and will be back") {
		t.Errorf("away %v, %d frames wait", st.LLR.PartnerAway, st.QueuedFrames)
	}
	p.restartAt(p.b, nil)
	p.wholeFrom(t, 0)
	if p.a.gaps > 0 || p.a.l.absence.away || !p.a.reports(model.EventPartner, "is back") {
		t.Errorf("%d frames of it never came, away %v", p.a.gaps, p.a.l.absence.away)
	}
}

// One that does not come back is waited for no longer than hold_timeout; then all is as with a partner that is silent.
func TestEndThatDoesNotComeBack(t *testing.T) {
	inOneGoroutine(t)
	p := loaded(t, patient())
	p.leaves(t, p.b)
	p.away(t, 1900*time.Millisecond)
	if !p.a.l.absence.away {
		t.Error("it is not waited for")
	}
	p.away(t, 200*time.Millisecond)
	if p.a.l.absence.away || !p.a.reports(model.EventPartner, "has not come back in time") {
		t.Error("it is still waited for")
	}
	p.away(t, 5*time.Second)
	if p.a.l.Partner.Present() {
		t.Error("it is still known")
	}
}

// A partner that would not wait, and one that knows nothing of it, are not waited for.
func TestEndThatLeavesAnOlderPartner(t *testing.T) {
	inOneGoroutine(t)
	o := patient()
	o.profile.HoldTimeout = 0
	p := loaded(t, o)
	p.b.x.Leave(p.now)
	if p.b.x.Awaited(p.now) != 0 {
		t.Error("with hold_timeout 0 the partner is waited for")
	}
	p = loaded(t, patient())
	p.a.l.Partner.SetPatience(0)
	p.b.x.Leave(p.now)
	if p.b.x.Awaited(p.now) != 1 || p.b.x.Awaited(p.now.Add(olderPartner)) != 0 {
		t.Error("a partner that does not hold frames is waited for at the wrong time")
	}
}

// That LLDP knows nothing of a partner any more that is away does not end LLR, until the time to come back is over.
func TestLLRStaysOnWhileThePartnerIsAway(t *testing.T) {
	o := patient()
	o.ports.LLR.Mode = model.LLRDynamic
	p := newPair(o, 1)
	p.both(func(e *end) { e.agree(p, agreedOn()) })
	p.acquainted(t)
	p.leaves(t, p.b)
	p.a.agree(p, Negotiated{})
	p.away(t, time.Second)
	if p.a.l.LLR.Tx.State() == llr.TxOff {
		t.Fatal("LLR went off")
	}
	p.away(t, 1500*time.Millisecond)
	if p.a.l.LLR.Tx.State() != llr.TxOff {
		t.Errorf("LLR is still on, %v", p.a.l.LLR.Tx.State())
	}
}

// Frames for an edge that is about to be taken wait.
func TestFramesWaitForAnEdgeThatIsAboutToBeTaken(t *testing.T) {
	p := up(t, defaults())
	dev := p.b.edge.device()
	p.b.x.Detach(p.b.edge, p.now)
	p.b.edge.Suspended = true
	p.a.offer(8)
	p.pass(50 * time.Millisecond)
	p.b.x.Attach(p.b.edge, []frame.Device{dev}, p.b.edge.iface.mac, p.o.mtu)
	p.b.x.SetUp(p.b.edge, true, p.now)
	if err := p.run(100, time.Second); err != nil || p.b.gaps > 0 {
		t.Errorf("%d frames never came, %v", p.b.gaps, err)
	}
}

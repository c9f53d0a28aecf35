package llr

import (
	"slices"
	"testing"
	"time"

	"uelink/wire"
)

// restarts gives a link two control frames, a while apart, of a partner that was restarted and tells a bookmark.
func restarts(l *Link, now wire.Time, start uint32, mark Bookmark, more ...wire.CtlOS) {
	got := wire.Station{Start: start, Resumes: true, Origin: mark.Origin, Next: mark.Next}
	for i := range time.Duration(startSightings) {
		l.ReceivedControl(now.Add(i*ms), append(got.Items(nil), more...)...)
	}
}

// answers has the partner of this start answer the LLR_INIT that a link sends now.
func answers(t *testing.T, l *Link, now wire.Time, start uint32) wire.CtlOS {
	t.Helper()
	for _, c := range l.Poll(now, true, nil) {
		if c.Type == wire.LLRInit {
			echo := c
			echo.Type = wire.LLRInitEcho
			saysStart(l, now, start, echo)
			return c
		}
	}
	t.Fatalf("no LLR_INIT is sent at %d", now)
	return wire.CtlOS{}
}

// A partner that was restarted, and knows where its predecessor was, gets the frames that this had not taken, with
// their numbers; those that it had taken and not acknowledged are counted.
func TestPartnerThatIsBackGetsWhatItHasNotTaken(t *testing.T) {
	l := linked(t)
	push(t, l.Tx, 6, 2*ms) // 100 to 105
	l.ReceivedControl(3*ms, wire.CtlOS{Type: wire.LLRAck, Seq: 100})
	restarts(l, 4*ms, 8, Bookmark{Origin: 100, Next: 103})
	if n := *l.Counters(); n.PartnerResumed != 1 || n.TxUnconfirmed != 2 || n.TxFlushedFrames != 0 {
		t.Errorf("%+v", n)
	}
	if n, _ := l.Tx.Outstanding(); n != 3 || l.Tx.State() != TxInit || l.Tx.Admit(100) != Wait {
		t.Fatalf("%d outstanding, %v, %v", n, l.Tx.State(), l.Tx.Admit(100))
	}
	if init := answers(t, l, 6*ms, 8); init.Seq != 103 {
		t.Errorf("LLR_INIT has init_seq %d, want 103", init.Seq)
	}
	var slots []uint32
	for l.Tx.Replaying() {
		slot, _ := l.Tx.Replay()
		slots = append(slots, slot)
	}
	if len(slots) != 3 || l.Tx.State() != TxAdvance || l.Tx.NextSeq() != 106 {
		t.Errorf("slots %v are sent again, %v, next number %d", slots, l.Tx.State(), l.Tx.NextSeq())
	}
}

// A bookmark that does not fit this transmitter's last handshake, or the frames that are outstanding, changes nothing:
// the partner has lost the numbers.
func TestBookmarkThatDoesNotFit(t *testing.T) {
	for name, mark := range map[string]Bookmark{
		"of another handshake":               {Origin: 99, Next: 103},
		"of frames that were sent by nobody": {Origin: 100, Next: 107},
		"of frames that were acknowledged":   {Origin: 100, Next: 100},
	} {
		l := linked(t)
		push(t, l.Tx, 6, 2*ms)
		l.ReceivedControl(3*ms, wire.CtlOS{Type: wire.LLRAck, Seq: 100})
		restarts(l, 4*ms, 8, mark)
		n := *l.Counters()
		if n.PartnerResumed != 0 || n.TxUnconfirmed != 0 || n.TxFlushedFrames != 5 || l.Tx.State() != TxInit {
			t.Errorf("%s: %v, %+v", name, l.Tx.State(), n)
		}
		if init := answers(t, l, 6*ms, 8); init.Seq != 106 {
			t.Errorf("%s: LLR_INIT has init_seq %d, want 106", name, init.Seq)
		}
	}
}

// A partner that is restarted twice before a frame crosses gets an LLR_INIT with the same init_seq twice. An echo of
// the start before does not end the second handshake.
func TestLateEchoOfTheStartBefore(t *testing.T) {
	l := linked(t)
	push(t, l.Tx, 2, 2*ms)
	restarts(l, 3*ms, 8, Bookmark{Origin: 100, Next: 100})
	echo := answers(t, l, 5*ms, 8)
	echo.Type = wire.LLRInitEcho
	restarts(l, 6*ms, 9, Bookmark{Origin: 100, Next: 100})
	l.Poll(8*ms, true, nil)
	saysStart(l, 8*ms, 8, echo)
	l.ReceivedControl(8*ms, echo)
	if l.Tx.State() != TxInit {
		t.Fatalf("the echo of the start before ends the handshake: %v", l.Tx.State())
	}
	saysStart(l, 9*ms, 9, echo)
	if n, _ := l.Tx.Outstanding(); l.Tx.State() != TxReplay || n != 2 {
		t.Errorf("%v, %d outstanding", l.Tx.State(), n)
	}
}

// A partner that is back and never answers the LLR_INIT is given up, unless the profile has no limit; so are frames
// that are too old.
func TestPartnerThatDoesNotTakeUpWhereItWas(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(p *Profile)
		want   string
	}{
		{"limit", func(p *Profile) { p.MaxReplayCount, p.HoldTimeout = 3, 0 }, flushNotResumed},
		{"no limit", func(p *Profile) { p.MaxReplayCount = NoReplayLimit }, ""},
		{"age", func(p *Profile) { p.MaxReplayCount, p.DataAgeTimeout = NoReplayLimit, 50*time.Millisecond }, flushDataAge},
	} {
		l := linked(t)
		p := profile()
		c.change(&p)
		l.SetProfile(p)
		push(t, l.Tx, 2, 2*ms)
		restarts(l, 3*ms, 8, Bookmark{Origin: 100, Next: 101})
		for now := wire.Time(5 * ms); now < 10_000*ms; now = max(now+1, l.Deadline()) {
			l.Poll(now, true, nil)
		}
		if l.Tx.FlushReason() != c.want {
			t.Errorf("%s: flushed because of %q, want %q", c.name, l.Tx.FlushReason(), c.want)
		}
	}
}

// Of a partner that has restarted frames that its transmitter sent before an LLR_INIT may be taken after it, because
// their numbers fit. Where the echo of the LLR_INIT was lost the partner repeats the LLR_INIT: it is echoed at once and
// each time, and the frames are not taken a second time.
func TestRepeatedInitAfterFramesIsEchoedAndTakesNothingBack(t *testing.T) {
	l := linked(t)
	saysStart(l, 2*ms, 7, initOf(510, 1))
	for seq := uint32(510); seq < 514; seq++ {
		if v := l.Rx.Receive(seq, wire.FCSGood, 60); v != Deliver {
			t.Fatalf("frame %d: %v", seq, v)
		}
	}
	l.Poll(2*ms, true, nil)
	for i := range wire.Time(2 * initSightings) {
		now := (3 + i) * ms
		saysStart(l, now, 7, initOf(510, 1))
		echo := initOf(510, 1)
		echo.Type = wire.LLRInitEcho
		if sent := l.Poll(now, false, nil); !slices.Contains(sent, echo) {
			t.Errorf("after %d repetitions %v is sent, no echo", i, sent)
		}
		if l.Rx.NextSeq() != 514 {
			t.Fatalf("after %d repetitions next_rx_seq is %d", i, l.Rx.NextSeq())
		}
	}
	if v := l.Rx.Receive(510, wire.FCSGood, 60); v == Deliver {
		t.Error("a frame is delivered twice")
	}
}

package hippi

import (
	"fmt"
	"testing"
	"time"

	"uelink/wire/micropacket"
)

// TestFigure20 plays each transition of HIPPI-6400's figure 20: from a state, by the micropackets heard.
func TestFigure20(t *testing.T) {
	r, ra, i, ia := micropacket.Reset, micropacket.ResetACK, micropacket.Initialize, micropacket.InitializeACK
	to := map[State][]micropacket.Type{Normal: {}, Reset1: {r}, Reset2: {r, r}, Init1: {i}, Init2: {i, i}}
	for from, arrows := range map[State]map[micropacket.Type]State{
		Normal: {r: Reset1, ra: Normal, i: Init1, ia: Normal},
		Reset1: {r: Reset2, ra: Reset2, i: Init1, ia: Init1},
		Reset2: {r: Reset2, ra: Normal, i: Init1, ia: Init1},
		Init1:  {r: Init1, ra: Init1, i: Init2, ia: Init2},
		Init2:  {r: Init2, ra: Init2, i: Init2, ia: Normal},
	} {
		for typ, wanted := range arrows {
			b := newBench(t, Software())
			for _, one := range to[from] {
				b.control(one)
			}
			want(t, "state", b.l.State(), from)
			list := b.sends()
			if from != Normal && (len(list) != 1 || list[0].Control.Type() != from.says()) {
				t.Errorf("%v sends %v", from, types(list))
			}
			b.control(typ)
			if got := b.l.State(); got != wanted {
				t.Errorf("%v in %v leads to %v, want %v", typ, from, got, wanted)
			}
		}
		if from == Normal {
			continue
		}
		// Each state sends at each turn; its Dead-man timer leads to Reset-1.
		b := newBench(t, Software())
		for _, one := range to[from] {
			b.control(one)
		}
		b.sends()
		resets := b.l.Counters.LinkResets
		b.now = b.now.Add(b.l.profile.Turn)
		if list := b.sends(); len(list) != 1 || list[0].Control.Type() != from.says() {
			t.Errorf("%v sends %v at the next turn", from, types(list))
		}
		for b.l.Counters.LinkResets == resets {
			b.now += 1_000_000
			b.l.hear(b.now)
			b.sends()
		}
		want(t, "state behind the Dead-man timer", b.l.State(), Reset1)
		want(t, "Reset_Initialize_Error", b.l.Events.ResetInitializeError, 1)
	}
}

// 12.1: at the exit of a Link Reset buffers are empty, credit is 0, TSEQ 00, RSEQ FF; the logged events stay.
func TestExitOfALinkReset(t *testing.T) {
	b := funded(t, Software(), 4)
	b.sends()
	b.header(1, 100, false)
	b.l.Events.TSEQError = 5
	want(t, "Link Reset", b.l.ControlRequest(CommandReset, b.now), nil)
	want(t, "Link Reset during a Link Reset", b.l.ControlRequest(CommandReset, b.now), ErrInProgress)
	b.header(1, 100, false)                                                                              // not heard
	b.receive(micropacket.Fields{Type: micropacket.Null, TSEQ: 3})                                       // not logged
	b.receive(micropacket.Fields{Type: micropacket.Reset, Tail: true, RSEQ: micropacket.NoSeq, TSEQ: 1}) // not heard
	want(t, "state", b.l.State(), Reset1)
	want(t, "request", b.l.TransferRequest(0, Message{}, b.now), ErrNotReady)
	b.control(micropacket.Reset)
	b.control(micropacket.ResetACK)
	want(t, "state", b.l.State(), Normal)
	want(t, "outstanding", b.l.src.Outstanding(), 0)
	want(t, "credit", b.l.src.Credit(1), 0)
	want(t, "RSEQ", b.l.dst.RSEQ(), micropacket.NoSeq)
	want(t, "filled places", b.l.dst.vc[1].n, 0)
	want(t, "TSEQ_Error", b.l.Events.TSEQError, 5)
	want(t, "lost by the Source", b.l.Counters.TxLostAtReset, 1)
	want(t, "lost by the Destination", b.l.Counters.RxLostAtReset, 1)
	b.null(micropacket.NoSeq)
	list := b.sends()
	want(t, "TYPE", list[0].Control.Type(), micropacket.CreditOnly)
	want(t, "TSEQ", list[0].Control.TSEQ(), 0)
	want(t, "RSEQ", list[0].Control.RSEQ(), micropacket.NoSeq)
}

// The memory of a Message that fills comes back when the link is reset.
func TestResetGivesMemoryBack(t *testing.T) {
	b := newBench(t, Software())
	b.header(1, 100, false)
	b.l.Accept(1, make([]byte, 100), b.now)
	b.control(micropacket.Reset)
	i, ok := b.l.TransferIndicate(1)
	want(t, "status", ok && i.Status == Status{Reset: true}, true)
	want(t, "message_error", b.l.Counters.RxMessageError, 1)
}

// 12.2, 12.3: the Hold-off timer keeps an Initialize of the partner from starting another; it ends after its time. The
// administrator is told of the partner's Initialize.
func TestHoldOff(t *testing.T) {
	p := Software()
	p.Silence = 0
	b := newBench(t, p)
	b.control(micropacket.Initialize)
	n, ok := b.l.StatusIndicate()
	want(t, "notice", ok && n == NoticeInitialize, true)
	_, ok = b.l.StatusIndicate()
	want(t, "a second Indicate before the Response", ok, false)
	b.l.StatusResponse()
	b.control(micropacket.Initialize)
	b.control(micropacket.InitializeACK)
	want(t, "state", b.l.State(), Normal)
	b.control(micropacket.Initialize)
	want(t, "state", b.l.State(), Normal)
	b.control(micropacket.Reset)
	b.control(micropacket.Initialize)
	want(t, "state", b.l.State(), Reset1)
	want(t, "Initialize by the administrator", b.l.ControlRequest(CommandInitialize, b.now), nil)
	want(t, "state", b.l.State(), Init1)
	want(t, "Initialize during an Initialize", b.l.ControlRequest(CommandInitialize, b.now), ErrInProgress)
	b.control(micropacket.InitializeACK)
	b.control(micropacket.InitializeACK)
	b.null(micropacket.NoSeq)
	b.acknowledge()
	b.wait(p.HoldOff)
	b.control(micropacket.Initialize)
	want(t, "state", b.l.State(), Init1)
}

// A lost last Reset_ACK or Initialize_ACK is repeated until the partner is in Normal, too: no Dead-man timer expires.
func TestLastAnswerIsRepeated(t *testing.T) {
	for begin, ack := range map[micropacket.Type]micropacket.Type{
		micropacket.Reset: micropacket.ResetACK, micropacket.Initialize: micropacket.InitializeACK,
	} {
		b := newBench(t, Software())
		b.control(begin)
		b.control(begin)
		b.control(ack)
		want(t, "state", b.l.State(), Normal)
		b.sends()
		b.control(ack) // the partner still waits
		if list := b.sends(); len(list) != 1 || list[0].Control.Type() != ack {
			t.Errorf("sent %v", types(list))
		}
		b.null(micropacket.NoSeq)
		b.acknowledge()
		b.control(ack)
		want(t, "sent to a partner in Normal", len(b.sends()), 0)
		want(t, "state", b.l.State(), Normal)
	}
}

// A wire that loses only Reset_ACKs: the link comes up as soon as the loss ends.
func TestWireThatLosesOnlyResetACK(t *testing.T) {
	w := newPair(1, Software(), 100)
	w.failed = t.Fatalf
	w.drops = func(p *packet) bool { return p.list[0].Control.Type() == micropacket.ResetACK }
	w.a.perFrame, w.b.perFrame = 1, 1
	w.carrier(true)
	w.wait(3 * time.Second)
	if w.normal() {
		t.Fatal("both ends are in Normal without a Reset_ACK")
	}
	w.drops = nil
	w.wait(time.Second)
	want(t, "both in Normal", w.normal(), true)
}

// An end is replaced by a new process (kill -9), or loses its carrier, in every state: both ends reach Normal again
// within a bound, and then everything arrives.
func TestEndIsLostInEveryState(t *testing.T) {
	const away = 3 * time.Millisecond
	kill := func(w *pair, s *station) {
		p := s.l.profile
		s.l, s.busy = NewLink(p, s.l.epoch+1000), [VCs]bool{}
		s.l.SetCarrier(true, w.now)
	}
	unplug := func(w *pair, s *station) {
		s.l.SetCarrier(false, w.now)
		w.wait(away)
		s.l.SetCarrier(true, w.now)
	}
	for state := Shutdown; state <= Init2; state++ {
		for name, lose := range map[string]func(*pair, *station){"kill": kill, "carrier": unplug} {
			for _, which := range []string{"a", "b"} {
				t.Run(fmt.Sprint(state, " ", name, " ", which), func(t *testing.T) {
					w := newPair(1, Software(), 1000)
					w.failed = t.Fatalf
					w.carrier(true)
					w.wait(time.Second)
					w.both(func(s *station) { s.taken, s.resets = [VCs]uint32{10, 10, 10, 10}, 1 })
					w.leadTo(state)
					want(t, "state", w.a.l.State(), state)
					lose(w, map[string]*station{"a": w.a, "b": w.b}[which])
					w.drops, w.fate.cut = nil, [2]bool{}
					for until := w.now.Add(recoverBound); !w.normal(); w.wait(time.Millisecond) {
						w.both(func(s *station) {
							if s.l.State() == Shutdown {
								_ = s.l.ControlRequest(CommandReset, w.now)
							}
						})
						if w.now > until {
							t.Fatalf("%v later: a %v, b %v", recoverBound, w.a.l.State(), w.b.l.State())
						}
					}
					w.wait(time.Second) // Messages from before have arrived, or are counted
					var before [2][VCs]uint32
					for i, s := range []*station{w.a, w.b} {
						before[i] = s.arrived
						for vc := range s.taken {
							s.taken[vc] = s.sent[vc] + 20
						}
					}
					w.wait(time.Second)
					for i, s := range []*station{w.a, w.b} {
						for vc := range s.arrived {
							want(t, "arrived", s.arrived[vc]-before[i][vc], 20)
						}
					}
				})
			}
		}
	}
}

// leadTo brings end a into a state, by a wire that does not let the state end.
func (w *pair) leadTo(state State) {
	command, lost := CommandReset, micropacket.Type(0)
	switch state {
	case Shutdown:
		w.a.l.shutdown(w.now)
		return
	case Normal:
		w.wait(30 * time.Microsecond) // Messages are under way
		return
	case Reset1, Init1:
		w.fate.cut[0] = true
	case Reset2:
		lost = micropacket.ResetACK
	case Init2:
		lost = micropacket.InitializeACK
	}
	if state.initializing() {
		command = CommandInitialize
	}
	w.a.perFrame, w.b.perFrame = 1, 1
	w.drops = func(p *packet) bool { return p.list[0].Control.Type() == lost }
	_ = w.a.l.ControlRequest(command, w.now)
	w.wait(time.Millisecond)
}

// 13.1: the indication changes when the signal was steady for the Activity_Monitor timeout, goes false when no
// micropacket comes for the silence, and going true begins a Link Reset.
func TestActivityMonitor(t *testing.T) {
	p := Software()
	b := newBench(t, p)
	b.l.SetCarrier(false, b.now)
	b.wait(p.Activity / 2)
	b.l.SetCarrier(true, b.now)
	b.wait(p.Activity)
	want(t, "state", b.l.State(), Normal)
	b.l.SetCarrier(false, b.now)
	b.wait(p.Activity)
	want(t, "activity", b.l.StatusRequest().Activity, false)
	n, ok := b.l.StatusIndicate()
	want(t, "notice", ok && n == NoticeActivity, true)
	want(t, "Link Reset", b.l.ControlRequest(CommandReset, b.now), ErrNoActivity)
	want(t, "request", b.l.TransferRequest(0, Message{}, b.now), ErrNotReady)
	b.now = b.now.Add(time.Second)
	want(t, "sent without a carrier", len(b.sends()), 0)
	b.l.SetCarrier(true, b.now)
	b.wait(p.Activity)
	want(t, "state", b.l.State(), Reset1)
	b.normal()
	b.wait(p.Silence + p.Activity)
	want(t, "activity in silence", b.l.StatusRequest().Activity, false)
	b.null(micropacket.NoSeq)
	b.wait(p.Activity)
	want(t, "state", b.l.State(), Reset1)
}

// Frames: a late frame and a second copy are dropped; a frame of an unknown epoch says link control only, and an
// answer to an earlier Link Reset is none.
func TestFramesOfOtherEpochs(t *testing.T) {
	w := testPair(t, Software())
	a, b := w.a.l, w.b.l
	head := b.FrameHead(1, false)
	head.Number += 10
	_, ok := a.Hear(head)
	want(t, "a new frame", ok, true)
	_, ok = a.Hear(head)
	want(t, "the same frame", ok, false)
	head.Number--
	_, ok = a.Hear(head)
	want(t, "a late frame", ok, false)
	want(t, "stale frames", a.Counters.RxStaleFrames, 2)
	head.Number += 2
	h, ok := a.Hear(head)
	want(t, "hearing", ok && h.All && h.Echoed, true)
	head.From++
	h, ok = a.Hear(head)
	want(t, "hearing of another epoch", ok && !h.All && h.Echoed, true)
	head.To++
	h, ok = a.Hear(head)
	want(t, "hearing of a stranger", ok && !h.All && !h.Echoed, true)
	want(t, "Link Reset", a.ControlRequest(CommandReset, w.now), nil)
	bench := &bench{t: t, l: a, now: w.now}
	m := bench.make(micropacket.Fields{Type: micropacket.ResetACK, Tail: true, RSEQ: micropacket.NoSeq,
		TSEQ: micropacket.NoSeq})
	a.Receive(w.now, &m, h)
	want(t, "state behind an answer to an earlier Link Reset", a.State(), Reset1)
	h.Echoed = true
	a.Receive(w.now, &m, h)
	want(t, "state", a.State(), Reset2)
}

// A lone frame far ahead, whose number was damaged, is dropped, and the frames behind it are heard. Two frames far
// ahead are heard from the second on: all between were lost.
func TestFrameFarAhead(t *testing.T) {
	w := testPair(t, Software())
	hears := func(number uint32) bool {
		h := w.b.l.FrameHead(1, false)
		h.Number = number
		_, ok := w.a.l.Hear(h)
		return ok
	}
	last := w.b.l.frames.sent
	want(t, "a frame", hears(last+1), true)
	want(t, "64 frames further", hears(last+65), true)
	want(t, "a frame far ahead", hears(last+1<<20), false)
	want(t, "the next frame", hears(last+66), true)
	want(t, "another frame far ahead", hears(last+5000), false)
	want(t, "the frame behind that", hears(last+5001), true)
	want(t, "a frame overtaken by it", hears(last+67), false)
	want(t, "the next frame", hears(last+5002), true)
}

package llr

import (
	"fmt"
	"reflect"
	"time"

	"uelink/wire"
)

func (s *scenario) newLink() {
	s.profile = s.readProfile(Profile{MaxOutstandingFrames: 64, MaxOutstandingBytes: 1 << 20,
		MaxReplayTimer: time.Millisecond, MaxReplayCount: 3, InitAction: Block, FlushAction: Block, CtlOSSpacingBytes: 2048,
		Replay: s.kind})
	s.latency = s.duration("latency", 10*time.Microsecond)
	end := func(name, seq, nonce string) *station {
		if a, ok := s.d.Arg(name); ok {
			seq, nonce = a.Vals[0], a.Vals[1]
		}
		e := newStation(name, s.profile, uint32(s.atoi(seq)), s.nonce(nonce), 1024)
		size := s.number("size", 100)
		e.size = func(int) int { return size }
		if s.hasArg("station") || s.keeps {
			e.announcer = s.announcer(s.atoi(seq))
		}
		return e
	}
	s.rules = nil
	s.net = newNetwork(end("a", "100", "0a01"), end("b", "200", "0b01"), func(format string, args ...any) {
		s.t.Errorf("%s: "+format, append([]any{s.d.Pos}, args...)...)
	})
	s.net.batch, s.net.room = s.number("batch", s.net.batch), s.number("room", s.net.room)
	s.net.fate = s.fate
	s.net.log = &journal{net: s.net}
}

// announcer returns what an end with a start id says.
func (s *scenario) announcer(start int) announcer {
	a := announcer{start: uint32(start)}
	if s.keeps {
		a.keeps = s.profile.Keeps()
	}
	return a
}

// soon lets the stations do what they do at once.
func (s *scenario) soon() { s.net.run(s.net.now) }

func (s *scenario) mode() {
	for _, e := range s.stations() {
		local, remote := e.link.Rx.State() != RxOff, e.link.Tx.State() != TxOff
		if v, ok := s.arg("local"); ok {
			local = v == "on"
		}
		if v, ok := s.arg("remote"); ok {
			remote = v == "on"
		}
		tx, rx := e.link.Tx.State(), e.link.Rx.State()
		e.modes(local, remote)
		s.net.log.states(e, tx, rx)
	}
	s.soon()
}

func (s *scenario) init() {
	for _, e := range []*station{s.net.a, s.net.b} {
		tx, rx := e.link.Tx.State(), e.link.Rx.State()
		e.modes(true, true)
		s.net.log.states(e, tx, rx)
	}
	for limit := s.net.now.Add(time.Second); s.net.now < limit; {
		if s.net.a.link.Tx.State() == TxAdvance && s.net.b.link.Tx.State() == TxAdvance {
			if !s.hasArg("show") {
				s.net.log.take()
			}
			return
		}
		s.net.run(s.net.now.Add(s.latency))
	}
	s.t.Fatalf("%s: no handshake within a second", s.d.Pos)
}

func (s *scenario) send() {
	for _, e := range s.stations() {
		if a, ok := s.d.Arg("poisoned"); ok {
			e.bad = map[int]bool{}
			for _, v := range a.Vals {
				e.bad[e.offered+s.atoi(v)-1] = true
			}
		}
		e.offered += s.atoi(s.word(1))
		e.wake = s.net.now
	}
	s.soon()
}

func (s *scenario) run() {
	d, err := time.ParseDuration(s.word(0))
	if err != nil {
		s.t.Fatalf("%s: %v", s.d.Pos, err)
	}
	s.net.run(s.net.now.Add(d))
	if s.hasArg("quiet") {
		s.net.log.take()
	}
}

func (s *scenario) addRule() {
	if s.word(1) == "good" {
		for _, r := range s.rules {
			if r.from == s.stations()[0] || s.word(0) == "both" {
				r.times = 0
			}
		}
		return
	}
	for _, e := range s.stations() {
		r := &rule{from: e, action: s.word(1), seq: int64(s.number("seq", -1)), times: 1, by: s.duration("by", 0),
			to: s.number("to", 0)}
		if a := s.d.CmdArgs[2]; len(a.Vals) == 0 {
			r.kind = a.Key
		}
		if v, ok := s.arg("times"); ok && v == "all" {
			r.times = -1
		} else if ok {
			r.times = s.atoi(v)
		}
		s.rules = append(s.rules, r)
	}
}

func (s *scenario) inject() {
	c := wire.CtlOS{Seq: uint32(s.number("seq", 0))}
	if s.word(1) == "STATION" {
		reported := wire.Station{Start: uint32(s.number("start", 0)), Live: s.hasArg("live")}
		items := reported.Items(nil)
		s.stations()[0].work([]packet{{with: items[:2:2], ctl: items[2]}}, true)
		s.soon()
		return
	}
	for _, t := range []wire.CtlOSType{wire.LLRAck, wire.LLRNack, wire.LLRInit, wire.LLRInitEcho} {
		if t.String() == s.word(1) {
			c.Type = t
		}
	}
	if v, ok := s.arg("data"); ok {
		c.InitData = s.nonce(v)
	}
	p := packet{ctl: c}
	if s.word(1) == "frame" {
		p.seq, p.fcs = c.Seq, wire.FCSBad
	}
	s.stations()[0].work([]packet{p}, true)
	s.soon()
}

func (s *scenario) restart() {
	for _, e := range s.stations() {
		e.boot(s.profile, uint32(s.atoi(s.word(1))), s.nonce(s.word(2)))
		if e.announcer.start != 0 || s.hasArg("station") {
			e.announcer = s.announcer(s.number("start", s.atoi(s.word(1))))
		}
		e.modes(true, true)
	}
	s.soon()
}

func (s *scenario) carrier() {
	for _, e := range s.stations() {
		tx, rx := e.link.Tx.State(), e.link.Rx.State()
		e.setCarrier(s.word(1) == "up")
		s.net.log.states(e, tx, rx)
	}
	s.soon()
}

func (s *scenario) reinit() {
	for _, e := range s.stations() {
		tx, rx := e.link.Tx.State(), e.link.Rx.State()
		e.link.Tx.Reinit(s.net.now)
		e.managed()
		s.net.log.states(e, tx, rx)
	}
	s.soon()
}

func (s *scenario) setProfile() {
	s.profile = s.readProfile(s.profile)
	for _, e := range s.stations() {
		e.link.SetProfile(s.profile)
		e.limits.MaxOutstandingFrames = max(e.limits.MaxOutstandingFrames, s.profile.MaxOutstandingFrames)
		e.limits.MaxOutstandingBytes = max(e.limits.MaxOutstandingBytes, s.profile.MaxOutstandingBytes)
		e.managed()
	}
	s.soon()
}

func (s *scenario) counters() {
	for _, e := range s.stations() {
		v := reflect.ValueOf(*e.link.Counters())
		for i := range v.NumField() {
			if n := v.Field(i).Uint(); n != 0 {
				fmt.Fprintf(&s.text, "%s %-28s %d\n", e.name, v.Type().Field(i).Tag.Get("json"), n)
			}
		}
	}
}

func (s *scenario) state() {
	for _, e := range []*station{s.net.a, s.net.b} {
		n, octets := e.link.Tx.Outstanding()
		fmt.Fprintf(&s.text, "%s Tx %v, next number %d, outstanding %d frames, %d octets; Rx %v, expects %d\n",
			e.name, e.link.Tx.State(), e.link.Tx.NextSeq(), n, octets, e.link.Rx.State(), e.link.Rx.NextSeq())
	}
}

func (s *scenario) result() {
	for _, e := range []*station{s.net.a, s.net.b} {
		lost := 0
		for _, f := range e.fates {
			if f&delivered == 0 {
				lost++
			}
		}
		fmt.Fprintf(&s.text, "%s was offered %d, sent %d; %s delivered %d in order, once; ", e.name, e.offered, e.next,
			e.peer.name, e.peer.got)
		fmt.Fprintf(&s.text, "bare %d, not arrived %d\n", e.peer.bareGot, lost-e.peer.bareGot)
	}
}

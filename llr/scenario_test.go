package llr

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"uelink/wire"
)

// TestScenarios runs testdata/*: two ends, a and b, and a scripted wire. The
// commands, where STATION is a, b or both:
//
//	link [PROFILE…] [latency=D] [size=N] [batch=N] [room=N] [a=(SEQ,NONCE)] [b=(SEQ,NONCE)]   two ends, modes off
//	mode STATION [local=on|off] [remote=on|off]
//	init [show]                      all modes on, then time passes until all is in ADVANCE
//	send STATION N [poisoned=(I,…)]  offers N frames; frames I of them, from 1, are poisoned
//	run D [quiet]                    time passes; quiet leaves the events out
//	wire STATION ACTION WHAT [times=N|all] [by=D] [to=N]    what happens to packets that STATION sends:
//	                                 drop, corrupt, poison, duplicate (the copy late by D), reorder (late by D),
//	                                 swap (with the next one) or garble (damaged, its number then is to=N)
//	                                 data, control, seq=N, an LLR type, or a type with seq=N
//	wire STATION good                forgets its rules
//	inject STATION TYPE seq=N [data=NONCE]    a control ordered set out of nowhere arrives at STATION,
//	                                 or a damaged frame: then TYPE is frame
//	restart STATION SEQ NONCE        its LLR comes up anew with modes on
//	carrier STATION up|down
//	reinit STATION
//	profile STATION PROFILE…
//	counters STATION                 those that are not 0
//	state
//	result                           frames sent, delivered and wanting
//
// PROFILE: window=N bytes=N timer=D count=N pcs=D age=D init=ACTION flush=ACTION
// reinit=true spacing=N
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			t.Run(filepath.Base(path), func(t *testing.T) { runScenario(t, path) })
		}
	}
}

func runScenario(t *testing.T, path string) {
	s := &scenario{}
	datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
		s.t, s.d = t, d
		do, ok := commands[d.Cmd]
		if !ok {
			t.Fatalf("%s: unknown command %q", d.Pos, d.Cmd)
		}
		do(s)
		text := s.text.String()
		s.text.Reset()
		if s.net != nil {
			text = s.net.log.take() + text
		}
		if text == "" {
			return "ok"
		}
		return text
	})
}

var commands = map[string]func(*scenario){
	"link": (*scenario).newLink, "mode": (*scenario).mode, "init": (*scenario).init, "send": (*scenario).send,
	"run": (*scenario).run, "wire": (*scenario).rule, "inject": (*scenario).inject, "restart": (*scenario).restart,
	"carrier": (*scenario).carrier, "reinit": (*scenario).reinit, "profile": (*scenario).setProfile,
	"counters": (*scenario).counters, "state": (*scenario).state, "result": (*scenario).result,
}

// scenario is one file under way.
type scenario struct {
	t       *testing.T
	d       *datadriven.TestData
	text    strings.Builder
	net     *network
	profile Profile
	latency time.Duration
	rules   []*rule
}

// rule is what the scripted wire does to some packets of a station.
type rule struct {
	from   *station
	action string
	kind   string // "data", "control", a type, or "" for any
	seq    int64  // -1 for any
	to     int    // garble: the number
	times  int    // how often it still applies; -1 for ever
	by     time.Duration
}

func (r *rule) applies(from *station, p *packet) bool {
	if r.from != from || r.times == 0 {
		return false
	}
	seq, kind := p.seq, "data"
	if p.ctl.Type != 0 {
		seq, kind = p.ctl.Seq, p.ctl.Type.String()
	}
	fits := r.kind == kind || r.kind == "" || r.kind == "control" && p.ctl.Type != 0
	return fits && (r.seq < 0 || uint32(r.seq) == seq)
}

// fate applies the first rule that fits.
func (s *scenario) fate(from *station, p *packet, delays []int64) []int64 {
	latency := int64(s.latency)
	for _, r := range s.rules {
		if !r.applies(from, p) {
			continue
		}
		if r.times > 0 {
			r.times--
		}
		switch r.action {
		case "drop":
			s.net.log.wire(from, "drops", p)
			return delays
		case "corrupt":
			s.net.log.wire(from, "corrupts", p)
			p.fcs = wire.FCSBad
		case "poison":
			s.net.log.wire(from, "poisons", p)
			p.fcs = wire.FCSPoisoned
		case "garble":
			s.net.log.wire(from, "garbles", p)
			p.fcs, p.seq = wire.FCSBad, uint32(r.to)
		case "swap":
			s.net.log.wire(from, "lets the next overtake", p)
			p.behind = true
		case "duplicate":
			s.net.log.wire(from, "duplicates", p)
			return append(delays, latency, latency+int64(r.by))
		case "reorder":
			s.net.log.wire(from, "holds back", p)
			return append(delays, latency+int64(r.by))
		}
		break
	}
	return append(delays, latency)
}

// arg, number, duration and word read the arguments of the command.
func (s *scenario) arg(key string) (string, bool) {
	if a, ok := s.d.Arg(key); ok && len(a.Vals) > 0 {
		return a.Vals[0], true
	}
	return "", false
}

func (s *scenario) number(key string, otherwise int) int {
	v, ok := s.arg(key)
	if !ok {
		return otherwise
	}
	return s.atoi(v)
}

func (s *scenario) atoi(v string) int {
	n, err := strconv.ParseInt(v, 0, 64)
	if err != nil {
		s.t.Fatalf("%s: %v", s.d.Pos, err)
	}
	return int(n)
}

func (s *scenario) duration(key string, otherwise time.Duration) time.Duration {
	v, ok := s.arg(key)
	if !ok {
		return otherwise
	}
	d, err := time.ParseDuration(v)
	if err != nil {
		s.t.Fatalf("%s: %v", s.d.Pos, err)
	}
	return d
}

// word is the i-th argument without a value.
func (s *scenario) word(i int) string {
	if i >= len(s.d.CmdArgs) {
		s.t.Fatalf("%s: %s wants more arguments", s.d.Pos, s.d.Cmd)
	}
	return s.d.CmdArgs[i].Key
}

// has tells whether there is an argument w without a value.
func (s *scenario) has(w string) bool { return s.d.HasArg(w) }

func (s *scenario) nonce(v string) [2]byte {
	b, err := hex.DecodeString(v)
	if err != nil || len(b) != 2 {
		s.t.Fatalf("%s: nonce %q is not two octets in hex", s.d.Pos, v)
	}
	return [2]byte(b)
}

// stations are those that the first argument names.
func (s *scenario) stations() []*station {
	switch s.word(0) {
	case "a":
		return []*station{s.net.a}
	case "b":
		return []*station{s.net.b}
	case "both":
		return []*station{s.net.a, s.net.b}
	}
	s.t.Fatalf("%s: no station %q", s.d.Pos, s.word(0))
	return nil
}

func (s *scenario) readProfile(p Profile) Profile {
	actions := map[string]FrameAction{"discard": Discard, "block": Block, "best_effort": BestEffort}
	p.MaxOutstandingFrames = s.number("window", p.MaxOutstandingFrames)
	p.MaxOutstandingBytes = int64(s.number("bytes", int(p.MaxOutstandingBytes)))
	p.MaxReplayTimer = s.duration("timer", p.MaxReplayTimer)
	p.MaxReplayCount = uint8(s.number("count", int(p.MaxReplayCount)))
	p.PCSLostTimeout = s.duration("pcs", p.PCSLostTimeout)
	p.DataAgeTimeout = s.duration("age", p.DataAgeTimeout)
	p.CtlOSSpacingBytes = s.number("spacing", p.CtlOSSpacingBytes)
	if v, ok := s.arg("init"); ok {
		p.InitAction = actions[v]
	}
	if v, ok := s.arg("flush"); ok {
		p.FlushAction = actions[v]
	}
	if v, ok := s.arg("reinit"); ok {
		p.ReInitOnFlush = v == "true"
	}
	return p
}

func (s *scenario) newLink() {
	s.profile = s.readProfile(Profile{MaxOutstandingFrames: 64, MaxOutstandingBytes: 1 << 20, MaxReplayTimer: time.Millisecond,
		MaxReplayCount: 3, InitAction: Block, FlushAction: Block, CtlOSSpacingBytes: 2048})
	s.latency = s.duration("latency", 10*time.Microsecond)
	make := func(name, seq, nonce string) *station {
		if a, ok := s.d.Arg(name); ok {
			seq, nonce = a.Vals[0], a.Vals[1]
		}
		e := newStation(name, s.profile, uint32(s.atoi(seq)), s.nonce(nonce), 1024)
		size := s.number("size", 100)
		e.size = func(int) int { return size }
		return e
	}
	s.rules = nil
	s.net = newNetwork(make("a", "100", "0a01"), make("b", "200", "0b01"), func(format string, args ...any) {
		s.t.Errorf("%s: "+format, append([]any{s.d.Pos}, args...)...)
	})
	s.net.batch, s.net.room = s.number("batch", s.net.batch), s.number("room", s.net.room)
	s.net.fate = s.fate
	s.net.log = &journal{net: s.net}
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
	for limit := s.net.now + int64(time.Second); s.net.now < limit; {
		if s.net.a.link.Tx.State() == TxAdvance && s.net.b.link.Tx.State() == TxAdvance {
			if !s.has("show") {
				s.net.log.take()
			}
			return
		}
		s.net.run(s.net.now + int64(s.latency))
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
	s.net.run(s.net.now + int64(d))
	if s.has("quiet") {
		s.net.log.take()
	}
}

func (s *scenario) rule() {
	if s.word(1) == "good" {
		for _, r := range s.rules {
			if r.from == s.stations()[0] || s.word(0) == "both" {
				r.times = 0
			}
		}
		return
	}
	for _, e := range s.stations() {
		r := &rule{from: e, action: s.word(1), seq: int64(s.number("seq", -1)), times: 1, by: s.duration("by", 0), to: s.number("to", 0)}
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
		fmt.Fprintf(&s.text, "%s was offered %d, sent %d; %s delivered %d in order, once; ", e.name, e.offered, e.next, e.peer.name, e.peer.got)
		fmt.Fprintf(&s.text, "bare %d, not arrived %d\n", e.peer.bareGot, lost-e.peer.bareGot)
	}
}

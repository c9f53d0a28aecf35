package llr

import (
	"encoding/hex"
	"strconv"
	"time"
)

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

// hasArg reports whether there is an argument w without a value.
func (s *scenario) hasArg(w string) bool { return s.d.HasArg(w) }

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

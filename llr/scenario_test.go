package llr

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
)

// TestScenarios runs testdata/*: two ends, a and b, and a scripted wire. The
// commands, where STATION is a, b or both:
//
//	link [PROFILE…] [latency=D] [size=N] [batch=N] [room=N] [a=(SEQ,NONCE)] [b=(SEQ,NONCE)] [station]
//	                                 two ends, modes off; station: they know STATION, their start ids are SEQ
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
//	inject STATION STATION start=N [live]    a STATION out of nowhere
//	restart STATION SEQ NONCE [station] [start=N]    its LLR comes up again with modes on; its start id is SEQ, or N
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
	for _, path := range scenarioFiles(t) {
		t.Run(filepath.Base(path), func(t *testing.T) { runScenario(t, path, GoBackN) })
	}
}

// scenarioFiles returns the paths of all scenarios.
func scenarioFiles(t *testing.T) (paths []string) {
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			paths = append(paths, path)
		}
	}
	return paths
}

func runScenario(t *testing.T, path string, kind ReplayKind) {
	s := &scenario{kind: kind}
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
	"run": (*scenario).run, "wire": (*scenario).addRule, "inject": (*scenario).inject, "restart": (*scenario).restart,
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
	kind    ReplayKind // of both ends
	keeps   bool       // they know STATION, and say how many frames they keep
}

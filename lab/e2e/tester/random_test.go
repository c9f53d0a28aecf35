package tester

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
)

var (
	rulesFor = flag.Duration("rules.for", 2*time.Second, "how long random rules strike, by each kind of replay")
	seed     = flag.Uint64("rules.seed", 0, "seed of the random rules; 0: the time")
	changes  = flag.Int("rules.changes", 10_000, "how often rules are changed under load")
)

// patient returns a daemon that gives no frame up, with a kind of replay.
func patient(replay string) func(string) bed.Configuration {
	return func(string) bed.Configuration {
		return bed.Settings{Link: "fcs: true", Profile: "max_replay_timer: 20ms, max_replay_count: 255, hold_timeout: 0, " +
			"init_action: block, flush_action: block, replay: " + replay}
	}
}

// LLR delivers each frame once and in order while random rules lose, damage, repeat, hold and overtake frames and
// single messages both ways. No rule forges anything, and each damage is one that a check finds.
func TestOnceAndInOrderUnderRandomRules(t *testing.T) {
	for _, replay := range []string{"go_back_n", "selective"} {
		t.Run(replay, func(t *testing.T) { underRandomRules(t, replay) })
	}
}

func underRandomRules(t *testing.T, replay string) {
	first := *seed
	if first == 0 {
		first = uint64(time.Now().UnixNano())
	}
	t.Logf("go test ./lab/e2e/tester -run '^TestOnceAndInOrderUnderRandomRules$/^%s$' -rules.for %v -rules.seed %d",
		replay, *rulesFor, first)
	r := rand.New(rand.NewPCG(first, 1))
	s := newStage(t, patient(replay), "--seed", fmt.Sprint(first))
	s.pair.Advance()
	load := s.top.Load(t, bed.Patience)
	var rules []string // ids
	words := map[string]string{}
	for end := time.Now().Add(*rulesFor); time.Now().Before(end); {
		text := randomRule(r)
		id := s.add(text)
		words[id] = text
		if rules = append(rules, id); len(rules) > 8 {
			bed.Must(t, s.control.Delete(s.context(), rules[0]))
			rules = rules[1:]
		}
		time.Sleep(time.Duration(r.IntN(100)) * time.Millisecond)
	}
	hits := uint64(0)
	for id, status := range s.rules() {
		hits += status.Hits
		if status.Hits > 0 {
			t.Logf("%s: %d of %d", words[id], status.Hits, status.Matched)
		}
		bed.Must(t, s.control.Delete(s.context(), id))
	}
	if hits == 0 {
		t.Error("no rule has hit")
	}
	bed.NothingLost(t, load.End())
	s.pair.NoFlush(t)
	t.Logf("%d rules", len(words))
}

// randomRule draws a rule that a link must bear.
func randomRule(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	return fmt.Sprintf("kind=%s %s %s %s",
		pick("data", "data", "data", "ack", "nack", "init,init_echo", "gap", "ack,nack", "station", "control"),
		pick("", "", "copy=first", "copy=again", "from=a", "from=b", "vc=0", "fcs=good"),
		pick("p=2%", "p=10%", "every=7", "every=20 burst=3", "p=5% gap=4", "nth=9 burst=20", "p=1% burst=8",
			"for=20ms p=50%"),
		pick("drop", "drop", "corrupt", "duplicate", "duplicate=3", "hold=50us", "hold=2ms", "reorder=2", "reorder=5"))
}

// Rules come and go thousands of times while frames cross: nothing is lost, and the wire obeys the last rule.
func TestRulesChangeUnderLoad(t *testing.T) {
	s := newStage(t, patient("go_back_n"))
	s.pair.Advance()
	load := s.top.Load(t, bed.Patience)
	began := time.Now()
	var all sync.WaitGroup
	const clients = 4
	for c := range clients {
		all.Go(func() {
			for i := range *changes / clients / 2 {
				id, err := s.control.Add(s.context(), fmt.Sprintf("kind=data every=%d copy=first drop", 50+i%50+c))
				if err == nil {
					err = s.control.Delete(s.context(), id)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d changes in %v", *changes, time.Since(began).Round(time.Millisecond))
	if left := s.rules(); len(left) > 0 {
		t.Errorf("rules are left: %v", left)
	}
	bed.NothingLost(t, load.End())
	s.probesStruck("from=a kind=data nth=5 drop")
}

// probesStruck sends frames and waits until a rule has hit.
func (s *stage) probesStruck(rule string) {
	s.t.Helper()
	id := s.add(rule)
	s.probes(30, 30, 0)
	if hits := s.rules()[id].Hits; hits != 1 {
		s.t.Errorf("%s: %d hits", rule, hits)
	}
}

// What a killed cable holds is lost: its clients are told that it does not answer, its socket is left behind, which the
// next one says, and LLR sends again what was lost.
func TestKilledCableWithHeldFrames(t *testing.T) {
	s := newStage(t, patient("go_back_n"))
	s.pair.Advance()
	s.add("id=held from=a kind=data hold=released")
	s.hosts[1].Drain()
	for i := range uint32(20) {
		s.hosts[0].Send(bed.Probe(i, 100))
	}
	bed.Eventually(t, "held frames", func() string {
		if r := s.rules()["held"]; r.Held < 20 {
			return fmt.Sprintf("%d", r.Held)
		}
		return ""
	})
	s.wire.Signal(syscall.SIGKILL)
	s.wire.Wait()
	if _, err := s.control.Rules(s.context()); err == nil {
		t.Error("a killed cable answers")
	}
	next := exec.Command(bed.Program("uelink"), "cable", "a", "b", "--control", s.path)
	refused := bed.Start(t, s.top.Wire, "uelink cable", next)
	if code := refused.Wait(); code == 0 || !strings.Contains(refused.Stderr.String(), "a killed cable has left it") {
		t.Errorf("the next cable: exit %d, %s", code, refused.Stderr)
	}
	s.plug(s.path + "2")
	got := 0
	bed.Eventually(t, "the frames that were held", func() string {
		for f := s.hosts[1].Next(); f != nil; f = s.hosts[1].Next() {
			if isProbe(f) && bed.ProbeNumber(f) == uint32(got) {
				got++
			}
		}
		if got < 20 {
			return fmt.Sprintf("%d", got)
		}
		return ""
	})
}

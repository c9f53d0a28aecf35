package llr

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
)

// An end that would replay selectively does in each scenario exactly what go-back-N does, if its partner does not say
// that it keeps frames.
func TestScenariosWithAPartnerThatKeepsNothing(t *testing.T) {
	for _, path := range scenarioFiles(t) {
		t.Run(filepath.Base(path), func(t *testing.T) { runScenario(t, path, Auto) })
	}
}

// What SAI-LLR promises holds by both kinds of replay: in each scenario, played by two ends that keep frames, the same
// frames arrive, are given up, and leave without a number as by go-back-N, once all has settled. The counters that may
// differ are in docs/PROTOCOL.md; their sums hold.
func TestScenariosBySelectiveReplay(t *testing.T) {
	kept, selected := uint64(0), uint64(0)
	for _, path := range scenarioFiles(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			goBackN, selective := playScenario(t, path, GoBackN), playScenario(t, path, Auto)
			if want, got := goBackN.outcome(), selective.outcome(); got != want {
				t.Errorf("selective replay:\n%sgo-back-N:\n%s", got, want)
			}
			for _, e := range []*station{selective.net.a, selective.net.b} {
				kept += e.link.counters.RxKept
				selected += e.link.counters.TxSelected
			}
		})
	}
	if kept < 100 || selected < 20 {
		t.Errorf("%d frames were kept, %d sent again alone: hardly selective", kept, selected)
	}
}

// playScenario plays a file between two ends that know STATION and have a kind of replay, passes over what the file
// expects, and lets all settle.
func playScenario(t *testing.T, path string, kind ReplayKind) *scenario {
	s := &scenario{kind: kind, keeps: true}
	datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
		s.t, s.d = t, d
		commands[d.Cmd](s)
		if s.text.Reset(); s.net != nil {
			s.net.log.take()
		}
		return d.Expected
	})
	s.net.run(s.net.now.Add(100 * time.Millisecond))
	for _, e := range []*station{s.net.a, s.net.b} {
		checkSums(t, kind, *e.link.Counters())
	}
	return s
}

// outcome returns what has become of the frames of both ends.
func (s *scenario) outcome() string {
	s.result()
	text := s.text.String()
	s.text.Reset()
	return text
}

// checkSums checks the sums of counters that hold by each kind of replay.
func checkSums(t *testing.T, kind ReplayKind, n Counters) {
	t.Helper()
	arrived := n.RxOK + n.RxPoisoned + n.RxBad
	judged := n.RxExpectedSeqGood + n.RxExpectedSeqPoisoned + n.RxExpectedSeqBad + n.RxMissingSeq + n.RxDuplicateSeq
	if arrived != judged+n.RxNotInitialized || n.RxKept > n.RxMissingSeq ||
		n.TxSelected+n.TxTailProbe > n.TxReplayedFrames || n.TxReplayedFrames > n.TxOK+n.TxPoisoned ||
		kind == GoBackN && n.RxKept+n.TxSelected > 0 {
		t.Errorf("%v: sums of counters: %+v", kind, n)
	}
}

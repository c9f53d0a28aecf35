package explore

import (
	"flag"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"testing"
	"time"

	"uelink/llr"
)

var (
	maxStates  = flag.Int("explore.states", 20_000, "how many states are visited at most in each case")
	maxData    = flag.Int("explore.data", 2, "how many frames the wire carries at a time")
	maxControl = flag.Int("explore.control", 1, "how many control frames each way carries at a time")
)

// visited is a state, the step that led to it, and whether a good wire leads from it to rest.
type visited struct {
	code   []byte
	parent int32
	step   uint8
	depth  uint16
	good   bool
}

// explorer visits states.
type explorer struct {
	w      *world
	seed   maphash.Seed
	states []visited
	index  map[uint64]int32
	code   []byte
	path   []int32
}

// visit adds the state of w if it is new.
func (e *explorer) visit(parent int32, step uint8) {
	code := e.save()
	hash := maphash.Bytes(e.seed, code)
	if _, ok := e.index[hash]; ok {
		return
	}
	e.index[hash] = int32(len(e.states))
	v := visited{code: slices.Clone(code), parent: parent, step: step}
	if parent >= 0 {
		v.depth = e.states[parent].depth + 1
	}
	e.states = append(e.states, v)
}

// trace returns the steps that lead to a state.
func (e *explorer) trace(state int32, last string) string {
	lines := []string{last}
	for ; e.states[state].parent >= 0; state = e.states[state].parent {
		lines = append(lines, steps[e.states[state].step].name)
	}
	slices.Reverse(lines)
	var b strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&b, "\n%4d  %s", i+1, line)
	}
	return b.String()
}

// roundsToRest is the most rounds of a good wire until rest.
const roundsToRest = 60

// rests checks that a good wire leads from a state to rest. It stops at a state already checked.
func (e *explorer) rests(state int32) bool {
	if e.states[state].good {
		return true
	}
	e.load(e.states[state].code)
	e.path = append(e.path[:0], state)
	for range roundsToRest {
		if e.w.atRest() {
			e.mark()
			return true
		}
		e.w.goodRound()
		if at, ok := e.index[maphash.Bytes(e.seed, e.save())]; ok {
			if e.states[at].good {
				e.mark()
				return true
			}
			e.path = append(e.path, at)
		}
		if e.w.wrong != "" {
			return false
		}
	}
	return false
}

func (e *explorer) mark() {
	for _, at := range e.path {
		e.states[at].good = true
	}
}

// cases are the explored subsets of steps, from small to large.
var cases = []struct {
	name    string
	wants   uint8 // lossless channels
	without kind
	rested  bool // the first state is at rest; false: LLR and the channels have yet to start
}{
	{"from the start", 1, second, false},
	{"one channel", 1, second | starts, true},
	{"two channels over a good wire", 3, faults | starts, true},
	{"two channels", 3, starts, true},
	{"channels start and stop over a good wire", 3, faults, true},
	{"channels start and stop", 3, 0, true},
}

// TestExplore visits the states of a link.
func TestExplore(t *testing.T) {
	for _, kind := range []llr.ReplayKind{llr.GoBackN, llr.Selective} {
		for _, c := range cases {
			t.Run(kind.String()+" "+c.name, func(t *testing.T) {
				w := newWorld(c.wants, kind)
				for c.rested && !w.atRest() {
					w.goodRound()
				}
				if c.rested && w.tx.Replays() != kind {
					t.Fatalf("frames are replayed by %v", w.tx.Replays())
				}
				explore(t, w, c.without, *maxStates)
			})
		}
	}
}

// explore visits up to most states, from the present state of w, by all steps but those of a kind.
func explore(t *testing.T, w *world, without kind, most int) {
	w.image.rebase()
	e := &explorer{w: w, seed: maphash.MakeSeed(), index: map[uint64]int32{}}
	e.visit(-1, 0)
	begun, transitions, complete := time.Now(), 0, true
	at := int32(0)
	for ; int(at) < len(e.states); at++ {
		if len(e.states) >= most {
			complete = false
			break
		}
		e.load(e.states[at].code)
		for i, s := range steps {
			if s.kind&without != 0 || !s.do(w) {
				continue
			}
			transitions++
			w.settle()
			if w.check(); w.wrong != "" {
				t.Fatalf("after %d states: %s%s", len(e.states), w.wrong, e.trace(at, s.name))
			}
			e.visit(at, uint8(i))
			e.load(e.states[at].code)
		}
	}
	explored := time.Since(begun)
	good := 0
	for i := range e.states {
		if !e.rests(int32(i)) {
			t.Fatalf("a good wire does not lead to rest (%s) from:%s", w.wrong, e.trace(int32(i), "(this state)"))
		}
		good++
	}
	t.Logf("states %d, transitions %d, depth %d, complete %v, to rest %d; %v and %v", len(e.states), transitions,
		e.states[len(e.states)-1].depth, complete, good, explored.Round(time.Millisecond),
		(time.Since(begun) - explored).Round(time.Millisecond))
}

package explore

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"testing"
	"time"

	"uelink/wire"
)

var (
	maxStates  = flag.Int("explore.states", 20_000, "how many states are visited at most in each case")
	maxData    = flag.Int("explore.data", 2, "how many frames the wire carries at a time")
	maxControl = flag.Int("explore.control", 1, "how many control frames each way carries at a time")
)

// visited is a state, how it was come to, and whether a good wire leads from it to rest.
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

// save encodes the state of w: the words of memory that differ from the first state, and the wire.
func (e *explorer) save() []byte {
	w, b := e.w, e.code[:0]
	n, last := 0, -1
	for _, r := range w.image.regions {
		for i, word := range r.words {
			if word != r.base[i] {
				b = binary.AppendUvarint(b, uint64(n+i-last))
				b = binary.AppendUvarint(b, word)
				last = n + i
			}
		}
		n += len(r.words)
	}
	b = append(b, 0, w.nextID, w.expect, w.wants)
	b = appendFrames(b, w.held)
	b = appendFrames(b, w.data)
	b = appendLists(b, w.down)
	b = appendLists(b, w.up)
	for _, buffer := range w.buffer {
		b = append(append(b, byte(len(buffer))), buffer...)
	}
	e.code = b
	return b
}

func appendFrames(b []byte, frames []frame) []byte {
	b = append(b, byte(len(frames)))
	for _, f := range frames {
		b = append(b, f.id, f.vc, bit(f.notes)|bit(f.twice)<<1|bit(f.plain)<<2, f.vcs, f.count[0], f.count[1], f.seq)
	}
	return b
}

func appendLists(b []byte, lists []list) []byte {
	b = append(b, byte(len(lists)))
	for _, l := range lists {
		b = append(b, byte(len(l.says)), bit(l.twice))
		for _, c := range l.says {
			var octets [wire.CtlOSLen]byte
			wire.PutCtlOS(octets[:], wire.ViewPCS, c)
			b = append(b, octets[:]...)
		}
	}
	return b
}

func bit(is bool) byte {
	if is {
		return 1
	}
	return 0
}

// load makes w the state of a code.
func (e *explorer) load(b []byte) {
	w := e.w
	for _, r := range w.image.regions {
		copy(r.words, r.base)
	}
	for at := -1; ; {
		step, n := binary.Uvarint(b)
		if b = b[n:]; step == 0 {
			break
		}
		word, n := binary.Uvarint(b)
		b = b[n:]
		at += int(step)
		w.image.set(at, word)
	}
	w.nextID, w.expect, w.wants, b = b[0], b[1], b[2], b[3:]
	w.held, b = parseFrames(w.held[:0], b)
	w.data, b = parseFrames(w.data[:0], b)
	w.down, b = parseLists(w.down[:0], b)
	w.up, b = parseLists(w.up[:0], b)
	for vc := range w.buffer {
		n := int(b[0])
		w.buffer[vc] = append(w.buffer[vc][:0], b[1:1+n]...)
		b = b[1+n:]
	}
	w.wrong = ""
}

// set changes one word of memory.
func (i *image) set(at int, word uint64) {
	for _, r := range i.regions {
		if at < len(r.words) {
			r.words[at] = word
			return
		}
		at -= len(r.words)
	}
	panic("no such word")
}

func parseFrames(frames []frame, b []byte) ([]frame, []byte) {
	n := int(b[0])
	for b = b[1:]; n > 0; n, b = n-1, b[7:] {
		frames = append(frames, frame{
			id: b[0], vc: b[1], notes: b[2]&1 != 0, twice: b[2]&2 != 0, plain: b[2]&4 != 0, vcs: b[3], count: [vcs]uint8{b[4], b[5]}, seq: b[6],
		})
	}
	return frames, b
}

func parseLists(lists []list, b []byte) ([]list, []byte) {
	n := int(b[0])
	for b = b[1:]; n > 0; n-- {
		says, twice := int(b[0]), b[1] != 0
		b = b[2:]
		l := list{twice: twice}
		for ; says > 0; says, b = says-1, b[wire.CtlOSLen:] {
			c, _ := wire.ParseCtlOS(b, wire.ViewPCS)
			l.says = append(l.says, c)
		}
		lists = append(lists, l)
	}
	return lists, b
}

// visit adds the state of w if it is new.
func (e *explorer) visit(parent int32, step uint8) {
	code := e.save()
	hash := maphash.Bytes(e.seed, code)
	if _, known := e.index[hash]; known {
		return
	}
	e.index[hash] = int32(len(e.states))
	v := visited{code: slices.Clone(code), parent: parent, step: step}
	if parent >= 0 {
		v.depth = e.states[parent].depth + 1
	}
	e.states = append(e.states, v)
}

// trace is the steps that lead to a state.
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

// roundsToRest is how many rounds a good wire is given.
const roundsToRest = 60

// rests sees that a good wire leads from a state to rest. States on the way that are known need not be
// followed again.
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
		if at, known := e.index[maphash.Bytes(e.seed, e.save())]; known {
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

// cases are what is explored, from small to large.
var cases = []struct {
	name    string
	wants   uint8 // lossless channels
	without kind
	rested  bool // the first state is one of rest; else LLR and the channels have yet to start
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
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(c.wants)
			for c.rested && !w.atRest() {
				w.goodRound()
			}
			explore(t, w, c.without, *maxStates)
		})
	}
}

// explore visits at most so many states, from the one that w is in.
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
		e.states[len(e.states)-1].depth, complete, good, explored.Round(time.Millisecond), (time.Since(begun) - explored).Round(time.Millisecond))
}

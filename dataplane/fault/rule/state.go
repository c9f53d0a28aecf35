package rule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"uelink/wire"
)

// Phase is where a rule is in its life.
type Phase uint8

// The phases.
const (
	Armed   Phase = iota
	Dormant       // until the rule named by on= hits
	Paused
	Done // no later message can be a hit
)

var phaseNames = [...]string{"armed", "dormant", "paused", "done"}

// String returns the word of the phase.
func (p Phase) String() string { return phaseNames[p] }

// MarshalText returns the word of the phase as octets. The error is always nil.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText sets the phase from its word. Any other text is an error.
func (p *Phase) UnmarshalText(text []byte) error {
	i := slices.Index(phaseNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is not a phase of a rule, which are %s", text, strings.Join(phaseNames[:], ", "))
	}
	*p = Phase(i)
	return nil
}

// state is a rule on a wire.
type state struct {
	rule    *Rule
	id      string
	phase   Phase
	counter counter
	armed   wire.Time
	began   wire.Time // first match
	from    uint64    // number (passes) of the frame during which the rule was armed: the rule acts on later frames
	base    [2]uint32 // by way: the first data number not seen when it was armed
	based   [2]bool

	waiting  uint64 // frames that wait now
	overflow uint64 // hits without room to hold or to make a frame
	misfits  uint64 // hits whose action does not fit the message
	last     Hit
	past     [][]byte // replay: a ring of frames with the last matches
	pastAt   int
	hippi    bool      // past has micropackets
	due      wire.Time // inject: when the next frame is made
}

// Hit is a message that a rule has hit.
type Hit struct {
	ID     string
	Action Action
	Time   wire.Time
	Way    int
	Kind   Kind
	Seq    int // -1: none
	VC     int // -1: none
	Copy   int // of a data frame: 1 the first, 2 a later one; else 0
}

// Status is a rule with its counts.
type Status struct {
	ID       string `json:"id"`
	Rule     string `json:"rule"`
	State    Phase  `json:"state"`
	Matched  uint64 `json:"matched"`
	Hits     uint64 `json:"hits"`
	Held     uint64 `json:"held"`     // frames that wait now
	Overflow uint64 `json:"overflow"` // hits without room to hold or to make a frame; what was to be held is lost
	Misfits  uint64 `json:"misfits"`  // hits whose action does not fit the message, which went on unchanged
	Note     string `json:"note,omitempty"`
	Last     *Hit   `json:"-"`
}

// quiet is the time without a match after which the status of a rule says so.
const quiet = 10 * time.Second

// Add puts a rule behind the others and arms it, unless it waits for the hit of another rule. id is the rule's name, or
// one that the wire gives. Errors: too many rules, or the name is taken.
func (w *Wire) Add(r Rule, now wire.Time) (id string, err error) {
	if len(w.rules) >= MaxRules {
		return "", fmt.Errorf("there are %d rules already: delete some", MaxRules)
	}
	id = r.ID
	for id == "" || r.ID == "" && w.find(id) != nil {
		w.named++
		id = "r" + strconv.Itoa(w.named)
	}
	if w.find(id) != nil {
		return "", fmt.Errorf("there is a rule %q already: give another id", id)
	}
	s := &state{rule: &r, id: id}
	if r.action == Replay {
		s.past = make([][]byte, r.n+1)
	}
	w.rules = append(w.rules, s)
	w.arm(s, now)
	if r.on != "" {
		s.phase = Dormant
	}
	w.refresh()
	return id, nil
}

// arm begins a rule again, with new counts; it acts on later frames only, and relative numbers count from now.
func (w *Wire) arm(s *state, now wire.Time) {
	s.phase, s.counter, s.armed, s.due, s.from = Armed, counter{}, now, now, w.passes
	for i := range w.ways {
		s.base[i], s.based[i] = w.ways[i].next, w.ways[i].begun
	}
}

// setPhase changes the phase of a rule.
func (w *Wire) setPhase(s *state, p Phase) {
	s.phase = p
	w.refresh()
}

// refresh computes which kinds of messages the armed rules look at (wanted), and how many of the rules inject.
func (w *Wire) refresh() {
	w.wanted, w.injects = 0, 0
	for _, s := range w.rules {
		switch {
		case s.phase != Armed:
		case s.rule.action == Inject:
			w.injects++
		default:
			w.wanted |= s.rule.kinds
		}
	}
}

func (w *Wire) find(id string) *state {
	for _, s := range w.rules {
		if s.id == id {
			return s
		}
	}
	return nil
}

func (w *Wire) get(id string) (*state, error) {
	if s := w.find(id); s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("there is no rule %q", id)
}

// Arm begins a rule again: its counts are 0, and numbers with a sign count from now.
func (w *Wire) Arm(id string, now wire.Time) error {
	s, err := w.get(id)
	if err == nil {
		w.arm(s, now)
		w.refresh()
	}
	return err
}

// Pause makes a rule look at nothing until Arm. Held frames stay.
func (w *Wire) Pause(id string) error {
	s, err := w.get(id)
	if err == nil {
		w.setPhase(s, Paused)
	}
	return err
}

// Release lets all frames held by a rule go on, and returns their number.
func (w *Wire) Release(id string, now wire.Time) (n int, err error) {
	s, err := w.get(id)
	if err == nil {
		n = w.ways[0].release(s, now) + w.ways[1].release(s, now)
	}
	return n, err
}

// Delete removes a rule. Held frames go on.
func (w *Wire) Delete(id string, now wire.Time) error {
	if _, err := w.Release(id, now); err != nil {
		return err
	}
	w.rules = slices.DeleteFunc(w.rules, func(s *state) bool { return s.id == id })
	w.refresh()
	return nil
}

// Statuses returns all rules with their counts, and a note on a rule that has matched nothing for a while. Rules whose
// time is over are done from now on.
func (w *Wire) Statuses(now wire.Time) []Status {
	all := make([]Status, 0, len(w.rules))
	for _, s := range w.rules {
		if s.expired(now) {
			w.setPhase(s, Done)
		}
		t := Status{ID: s.id, Rule: s.rule.Text, State: s.phase, Matched: s.counter.matched, Hits: s.counter.hits,
			Held: s.waiting, Overflow: s.overflow, Misfits: s.misfits}
		if last := s.last; s.counter.hits > 0 {
			t.Last = &last
		}
		if silent := now.Sub(s.armed); t.Matched == 0 && s.phase == Armed && silent >= quiet && s.rule.action != Inject {
			t.Note = fmt.Sprintf("has matched nothing for %v", silent.Truncate(time.Second))
		}
		all = append(all, t)
	}
	return all
}

// expired reports whether the time of a rule is over. The rule is done then.
func (s *state) expired(now wire.Time) bool {
	if s.rule.lasts == 0 || s.counter.matched == 0 || now.Sub(s.began) < s.rule.lasts {
		return false
	}
	s.phase = Done
	return true
}

// report records a hit of rule s as its last, calls the functions of OnHit, and arms the rules waiting for the hit.
func (w *Wire) report(s *state, m *message, now wire.Time) {
	h := Hit{ID: s.id, Action: s.rule.action, Time: now, Way: m.way, Kind: m.kinds.first(), Seq: -1, VC: -1,
		Copy: int(m.copies)}
	if m.hasSeq {
		h.Seq = int(m.seq)
	}
	if m.unit >= 0 {
		h.Copy = 0
	}
	if vcs := m.vcs(); vcs != 0 {
		for h.VC = 0; vcs>>h.VC&1 == 0; h.VC++ {
		}
	}
	s.last = h
	w.announce(h, m.octets())
	w.wake(s.id, now)
}

// wake arms the rules that sleep until the rule id hits.
func (w *Wire) wake(id string, now wire.Time) {
	for _, s := range w.rules {
		if s.phase == Dormant && s.rule.on == id {
			w.arm(s, now)
			w.refresh()
		}
	}
}

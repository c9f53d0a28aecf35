package status

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"uelink/control/api"
)

// gap is the time for which a problem may be absent and still be the same problem: a reload takes ports out and puts
// them back.
const gap = 3 * time.Second

// settling is the time after a start within which a problem of the process before must be seen again, else it is over.
const settling = time.Minute

// Onsets keeps since when each problem has been there. Any goroutine may call its methods. The zero value knows of no
// problem; with a nil *Onsets, lines have no times.
type Onsets struct {
	mu      sync.Mutex
	all     map[onsetKey]*onset
	changed bool // since Save
}

// onsetKey names a problem of a port; the port "-" is the daemon itself.
type onsetKey struct{ port, kind string }

// onset is the begin of a problem, and the time until which the problem may be absent.
type onset struct{ began, until time.Time }

// Update records the problems of the lines, all problems present at a time: a new problem begins now, and a problem
// that has been absent for longer than gap is forgotten.
func (o *Onsets) Update(lines []Line, now time.Time) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for key, at := range o.all {
		if now.After(at.until) {
			delete(o.all, key)
			o.changed = true
		}
	}
	for i := range lines {
		for _, key := range lines[i].keys() {
			if o.all[key] == nil {
				if o.all == nil {
					o.all = map[onsetKey]*onset{}
				}
				o.all[key], o.changed = &onset{began: now}, true
			}
			if until := now.Add(gap); o.all[key].until.Before(until) {
				o.all[key].until = until
			}
		}
	}
}

// Mark sets the begin of the problem in each line with a problem. A problem unknown to Update begins now. If the clock
// was set since a problem began, the begin is converted to the present clock.
func (o *Onsets) Mark(lines []Line, now time.Time) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range lines {
		keys := lines[i].keys()
		if len(keys) == 0 {
			continue
		}
		since, age := now, time.Duration(0)
		for _, key := range keys {
			if at := o.all[key]; at != nil && now.Sub(at.began) > age {
				since, age = at.began, now.Sub(at.began)
			}
		}
		since = since.Round(0)
		if set := now.Round(0).Add(-age); set.Sub(since).Abs() > time.Second {
			since = set // the clock was set meanwhile
		}
		lines[i].Since, lines[i].Age = &since, int64(age/time.Second)
	}
}

// keys returns the keys of the problem of a line: by each of its kinds, or without kinds by its text without digits.
// It returns none if the line has no problem.
func (l *Line) keys() (keys []onsetKey) {
	if l.Is == Fine {
		return nil
	}
	kinds := l.kinds
	if len(kinds) == 0 {
		kinds = []string{withoutNumbers(l.Problem)}
	}
	for _, kind := range kinds {
		keys = append(keys, onsetKey{l.Port, kind})
	}
	return keys
}

// withoutNumbers returns a text without its digits, because digits change while the problem stays.
func withoutNumbers(text string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, text)
}

// savedOnset is an entry of the text that Save returns.
type savedOnset struct {
	Port, Kind string
	Since      time.Time
}

// Save returns the times as text, for Load in another process, and whether problems have begun or ended since the last
// call.
func (o *Onsets) Save() (text []byte, changed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	changed, o.changed = o.changed, false
	list := []savedOnset{}
	for key, at := range o.all {
		list = append(list, savedOnset{key.port, key.kind, at.began})
	}
	slices.SortFunc(list, func(a, b savedOnset) int {
		return strings.Compare(a.Port+"\x00"+a.Kind, b.Port+"\x00"+b.Kind)
	})
	text, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		panic("status: the times of problems cannot be written as JSON: " + err.Error()) // impossible: texts and times
	}
	return text, changed
}

// Load takes over the times saved as text by the process before. A saved problem not seen for a while after now is
// over. A text not written by Save, or with times in the future, counts as empty.
func (o *Onsets) Load(text []byte, now time.Time) {
	var list []savedOnset
	if json.Unmarshal(text, &list) != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all == nil {
		o.all = map[onsetKey]*onset{}
	}
	for _, s := range list {
		if !s.Since.After(now) {
			o.all[onsetKey{s.Port, s.Kind}] = &onset{began: s.Since, until: now.Add(settling)}
		}
	}
}

// Lines returns the lines for people and programs.
func Lines(lines []Line) []api.StatusLine {
	list := make([]api.StatusLine, 0, len(lines))
	for i := range lines {
		list = append(list, lines[i].StatusLine)
	}
	return list
}

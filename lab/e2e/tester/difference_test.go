package tester

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// difference is what a wire has done between two looks: at what one end has sent, and at what the other has received.
type difference struct {
	lost  []unit // sent, and not received
	added []unit // received, and not sent
	moved []move // received at another place among the others
}

// move is a message that others have overtaken, or that has overtaken others.
type move struct {
	unit
	late   time.Duration // from its sending to its arrival
	passed int           // frames that were sent later, and have arrived before it
}

// compare returns what became of the messages sent on their way to the messages received.
func compare(sent, received []unit) (d difference) {
	saved := common(sent, received)
	var removed, come []int
	for i, j := 0, 0; i < len(sent) || j < len(received); {
		switch {
		case len(saved) > 0 && saved[0] == [2]int{i, j}:
			saved, i, j = saved[1:], i+1, j+1
		case i < len(sent) && (len(saved) == 0 || i < saved[0][0]):
			removed, i = append(removed, i), i+1
		default:
			come, j = append(come, j), j+1
		}
	}
	for _, i := range removed {
		k := slices.IndexFunc(come, func(j int) bool { return same(sent[i], received[j]) })
		if k < 0 {
			d.lost = append(d.lost, sent[i])
			continue
		}
		d.moved = append(d.moved, moved(sent, received, i, come[k]))
		come = slices.Delete(come, k, k+1)
	}
	for _, j := range come {
		d.added = append(d.added, received[j])
	}
	return d
}

func same(a, b unit) bool { return a.name == b.name && a.octets == b.octets }

// common returns the longest common sequence of both lists, as pairs of places.
func common(a, b []unit) (pairs [][2]int) {
	long := make([][]int, len(a)+1) // of what follows
	for i := range long {
		long[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if long[i][j] = max(long[i+1][j], long[i][j+1]); same(a[i], b[j]) {
				long[i][j] = max(long[i][j], long[i+1][j+1]+1)
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case same(a[i], b[j]) && long[i][j] == long[i+1][j+1]+1:
			pairs, i, j = append(pairs, [2]int{i, j}), i+1, j+1
		case long[i+1][j] >= long[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// moved returns the move of sent message i, which has arrived as message j. The time counts from its first sending.
func moved(sent, received []unit, i, j int) move {
	i = slices.IndexFunc(sent, func(s unit) bool { return same(s, sent[i]) })
	m := move{unit: sent[i], late: received[j].at.Sub(sent[i].at)}
	frames := map[int]bool{}
	for _, r := range received[:j] {
		if slices.ContainsFunc(sent[i+1:], func(s unit) bool { return same(s, r) }) && r.frame != received[j].frame {
			frames[r.frame] = true
		}
	}
	m.passed = len(frames)
	return m
}

// names returns the names of messages, sorted.
func names(list []unit) (all []string) {
	for _, u := range list {
		all = append(all, u.name)
	}
	slices.Sort(all)
	return all
}

// String returns the difference in words.
func (d difference) String() string {
	var moves []unit
	for _, m := range d.moved {
		moves = append(moves, m.unit)
	}
	text := ""
	for _, part := range []struct {
		name string
		list []unit
	}{{"lost", d.lost}, {"added", d.added}, {"moved", moves}} {
		if len(part.list) > 0 {
			text += fmt.Sprintf("%s %s; ", part.name, strings.Join(names(part.list), ", "))
		}
	}
	if text == "" {
		return "nothing"
	}
	return strings.TrimSuffix(text, "; ")
}

// The difference of two looks at short wires.
func TestCompare(t *testing.T) {
	for _, c := range []struct{ sent, received, want string }{
		{"abc", "abc", "nothing"},
		{"abc", "ac", "lost b"},
		{"abc", "abbc", "added b"},
		{"abcd", "acdb", "moved b"},
		{"abcb", "acb", "lost b"}, // lost, and sent again
		{"abc", "aXc", "lost b; added X"},
		{"", "a", "added a"},
		{"ab", "", "lost a, b"},
	} {
		var lists [2][]unit
		for i, letters := range []string{c.sent, c.received} {
			for n, letter := range letters {
				lists[i] = append(lists[i], unit{name: string(letter), frame: n})
			}
		}
		d := compare(lists[0], lists[1])
		if d.String() != c.want {
			t.Errorf("%s as %s: %s", c.sent, c.received, d)
		}
		for _, m := range d.moved {
			if m.passed != 2 {
				t.Errorf("%d frames have passed %s", m.passed, m.name)
			}
		}
	}
}

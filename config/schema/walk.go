package schema

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Walk is one pass over a document. It goes over the nodes of the document itself: the decoder of the YAML package
// stops at the first problem and forgets where a value stood.
type Walk struct {
	problems []Problem
	seen     map[string]Position // where the value of each path stands
	merges   int                 // merge keys followed so far
	values   int                 // read so far
	more     int                 // problems that were counted and not kept
}

func newWalk() *Walk {
	return &Walk{seen: map[string]Position{}}
}

// Err is an *Error with every problem found, or nil; file stands for the document in its text.
func (w *Walk) Err(file string) error {
	if len(w.problems) == 0 {
		return nil
	}
	return newError(file, w.problems, w.more)
}

// Position is a line and a column, both from 1; zero means the whole file.
type Position struct{ Line, Column int }

// positionOf returns where a node begins.
func positionOf(n *yaml.Node) Position { return Position{max(n.Line, 1), max(n.Column, 1)} }

// Fail reports a problem of the key at path, which stands at p. Beyond maxProblems it only counts them.
func (w *Walk) Fail(p Position, path, format string, args ...any) {
	if len(w.problems) == maxProblems {
		w.more++
		return
	}
	w.problems = append(w.problems, Problem{p.Line, p.Column, path, shortened(fmt.Sprintf(format, args...))})
}

// FailAt reports a problem where the value of path stands, or the nearest value
// around it when that was left out.
func (w *Walk) FailAt(path, format string, args ...any) {
	w.Fail(w.where(path), path, format, args...)
}

// Line is the line of the value of path, or of the nearest value around it; from 1.
func (w *Walk) Line(path string) int { return w.where(path).Line }

func (w *Walk) where(path string) Position {
	for at := path; ; {
		if p, ok := w.seen[at]; ok {
			return p
		}
		cut := strings.LastIndexAny(at, ".[")
		if cut < 0 {
			return w.seen[""]
		}
		at = at[:cut]
	}
}

// Has says whether the document gives a value for path.
func (w *Walk) Has(path string) bool {
	_, ok := w.seen[path]
	return ok
}

// Join is the path of key under path.
func Join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Element is the path of element i of the list at path.
func Element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// Printable is a key as it may stand in a message.
func Printable(key string) string {
	if len(key) > maxKey {
		key = strings.ToValidUTF8(key[:maxKey], "") + "..."
	}
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7F || r == '"' }) {
		return strconv.Quote(key)
	}
	return key
}

// Wrong says whether a problem at path, or below it, has been reported.
func (w *Walk) Wrong(path string) bool {
	for _, p := range w.problems {
		if rest, under := strings.CutPrefix(p.Path, path); under && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

// Right tells whether no problem has been reported.
func (w *Walk) Right() bool { return len(w.problems) == 0 }

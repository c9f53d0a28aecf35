package schema

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Walk is one pass over the nodes of a document. It does not use the YAML package's decoder, which stops at the first
// problem and forgets the position of each value.
type Walk struct {
	problems []Problem
	seen     map[string]Position // position of the value of each path
	merges   int                 // merge keys followed so far
	values   int                 // values read so far
	copied   int                 // values copied for Keys so far
	more     int                 // problems counted but not kept

	opening string                // file of the addition that is being opened, for problems that name no file; "": none
	files   map[*yaml.Node]string // file of each node of an addition
}

func newWalk() *Walk {
	return &Walk{seen: map[string]Position{}, files: map[*yaml.Node]string{}}
}

// Err returns an *Error with every problem found, or nil; file names the document in the text of the error.
func (w *Walk) Err(file string) error {
	if len(w.problems) == 0 {
		return nil
	}
	return newError(file, w.problems, w.more)
}

// Position is a line and a column, both from 1; zero means the whole file.
type Position struct {
	Line, Column int
	File         string // of an addition; "" = the document itself
}

// String returns the position for a message: "line 7", or the file too in an addition.
func (p Position) String() string {
	if p.File != "" {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("line %d", p.Line)
}

// positionOf returns the position where a node begins.
func (w *Walk) positionOf(n *yaml.Node) Position {
	return Position{max(n.Line, 1), max(n.Column, 1), w.files[n]}
}

// Fail records a problem of the key at path, at position p of the document. Problems beyond maxProblems are only
// counted.
func (w *Walk) Fail(p Position, path, format string, args ...any) {
	if len(w.problems) == maxProblems {
		w.more++
		return
	}
	w.problems = append(w.problems, Problem{p.Line, p.Column, path, shortened(fmt.Sprintf(format, args...)),
		cmp.Or(p.File, w.opening)})
}

// FailAt records a problem at the position of the value of path; where the value is left out, at the nearest value
// around it.
func (w *Walk) FailAt(path, format string, args ...any) {
	w.Fail(w.positionAt(path), path, format, args...)
}

// Place returns where the value of path stands, or the nearest value around it, for a message: "line 7", or the file
// too for a value of an addition.
func (w *Walk) Place(path string) string { return w.positionAt(path).String() }

// File returns the file of the addition that has the value of path; "" if the document itself has it.
func (w *Walk) File(path string) string { return w.positionAt(path).File }

// positionAt returns where the document has path, or else the nearest key around it.
func (w *Walk) positionAt(path string) Position {
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

// Has reports whether the document gives a value for path.
func (w *Walk) Has(path string) bool {
	_, ok := w.seen[path]
	return ok
}

// Join returns the path "path.key" of key under path; key alone if path is empty.
func Join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Element returns the path "path[i]" of element i of the list at path.
func Element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// Printable returns a key fit for a message: cut after maxKey octets, quoted if empty or with blanks or odd
// characters.
func Printable(key string) string {
	if len(key) > maxKey {
		key = strings.ToValidUTF8(key[:maxKey], "") + "..."
	}
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7F || r == '"' }) {
		return strconv.Quote(key)
	}
	return key
}

// Wrong reports whether a problem was recorded at path or below it.
func (w *Walk) Wrong(path string) bool {
	for _, p := range w.problems {
		if rest, under := strings.CutPrefix(p.Path, path); under && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

// Right reports whether no problem was recorded.
func (w *Walk) Right() bool { return len(w.problems) == 0 }

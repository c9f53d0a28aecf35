package schema

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Walk is one pass over a document. It goes over the syntax tree itself rather
// than through yaml.Strict(), which stops at the first problem and forgets where
// a value stood.
type Walk struct {
	problems []Problem
	seen     map[string]Position // where the value of each path stands
	anchors  map[string]ast.Node
	merges   int // merge keys followed so far
}

func newWalk() *Walk {
	return &Walk{seen: map[string]Position{}, anchors: map[string]ast.Node{}}
}

// Err is an *Error with every problem found, or nil; file stands for the document in its text.
func (w *Walk) Err(file string) error {
	if len(w.problems) == 0 {
		return nil
	}
	return newError(file, w.problems)
}

// MaxDocument is the most octets of a document. A configuration of five thousand ports takes a fifth of it.
const MaxDocument = 1 << 20

// Position is a line and a column, both from 1; zero means the whole file.
type Position struct{ Line, Column int }

func positionOf(t *token.Token) Position {
	if t == nil || t.Position == nil {
		return Position{1, 1}
	}
	return Position{max(t.Position.Line, 1), max(t.Position.Column, 1)}
}

// start is where a node begins: for a block mapping its first key, not the colon
// behind it.
func start(n ast.Node) Position {
	switch m := n.(type) {
	case *ast.MappingNode:
		if !m.IsFlowStyle && len(m.Values) > 0 {
			return positionOf(m.Values[0].Key.GetToken())
		}
	case *ast.MappingValueNode:
		return positionOf(m.Key.GetToken())
	}
	return positionOf(n.GetToken())
}

// open parses data and returns the root of its only document; nil when there is
// none to go over.
func (w *Walk) open(data []byte) ast.Node {
	if len(data) > MaxDocument {
		w.Fail(Position{}, "", "longer than %d octets", MaxDocument)
		return nil
	}
	file, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		w.syntax(err)
		return nil
	}
	var root ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if root != nil {
			w.Fail(start(doc.Body), "", "a second document: only one is expected")
			return nil
		}
		root = doc.Body
	}
	if root == nil {
		w.Fail(Position{}, "", "there is nothing in it")
		return nil
	}
	ast.Walk(anchorsOf{w}, root)
	return root
}

func (w *Walk) syntax(err error) {
	var e yaml.Error
	if errors.As(err, &e) {
		w.Fail(positionOf(e.GetToken()), "", "%s", oneLine(e.GetMessage()))
		return
	}
	w.Fail(Position{}, "", "%s", oneLine(err.Error()))
}

// oneLine is a message of the parser's that may quote what it could not read.
func oneLine(s string) string {
	return strings.NewReplacer("\n", " ", "\r", " ", "\t", `\t`).Replace(s)
}

// Fail reports a problem of the key at path, which stands at p.
func (w *Walk) Fail(p Position, path, format string, args ...any) {
	w.problems = append(w.problems, Problem{p.Line, p.Column, path, fmt.Sprintf(format, args...)})
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

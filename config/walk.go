package config

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

// walk is one pass over a document. It goes over the syntax tree itself rather
// than through yaml.Strict(), which stops at the first problem and forgets where
// a value stood.
type walk struct {
	problems []Problem
	seen     map[string]position // where the value of each path stands
	anchors  map[string]ast.Node
	merges   int // merge keys followed so far
}

// position is a line and a column, both from 1; zero means the whole file.
type position struct{ line, column int }

func positionOf(t *token.Token) position {
	if t == nil || t.Position == nil {
		return position{1, 1}
	}
	return position{max(t.Position.Line, 1), max(t.Position.Column, 1)}
}

// start is where a node begins: for a block mapping its first key, not the colon
// behind it.
func start(n ast.Node) position {
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
func (w *walk) open(data []byte) ast.Node {
	if len(data) > maxFileSize {
		w.fail(position{}, "", "longer than %d octets", maxFileSize)
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
			w.fail(start(doc.Body), "", "a second document: only one is expected")
			return nil
		}
		root = doc.Body
	}
	if root == nil {
		w.fail(position{}, "", "there is nothing in it")
		return nil
	}
	ast.Walk(w, root)
	return root
}

func (w *walk) syntax(err error) {
	var e yaml.Error
	if errors.As(err, &e) {
		w.fail(positionOf(e.GetToken()), "", "%s", oneLine(e.GetMessage()))
		return
	}
	w.fail(position{}, "", "%s", oneLine(err.Error()))
}

// oneLine is a message of the parser's that may quote what it could not read.
func oneLine(s string) string {
	return strings.NewReplacer("\n", " ", "\r", " ", "\t", `\t`).Replace(s)
}

func (w *walk) fail(p position, path, format string, args ...any) {
	w.problems = append(w.problems, Problem{p.line, p.column, path, fmt.Sprintf(format, args...)})
}

// failAt reports a problem where the value of path stands, or the nearest value
// around it when that was left out.
func (w *walk) failAt(path, format string, args ...any) {
	w.fail(w.where(path), path, format, args...)
}

func (w *walk) where(path string) position {
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

// has says whether the document gives a value for path.
func (w *walk) has(path string) bool {
	_, ok := w.seen[path]
	return ok
}

// join is the path of key under path.
func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// element is the path of element i of the list at path.
func element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// printable is a key as it may stand in a message.
func printable(key string) string {
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7F || r == '"' }) {
		return strconv.Quote(key)
	}
	return key
}

// wrong says whether a problem at path, or below it, has been reported.
func (w *walk) wrong(path string) bool {
	for _, p := range w.problems {
		if rest, under := strings.CutPrefix(p.Path, path); under && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

package config

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// scalars is a key with a list of scalars of kind k; def is its default, with the
// elements divided by blanks. In a list of limit elements, 0 for any number, none
// may be missing.
func scalars[T, V any](key string, k kind[V], limit int, def, meaning string, set func(*T, []V)) field[T] {
	return field[T]{
		key: key, values: "list of: " + k.values, def: "[" + strings.Join(strings.Fields(def), ", ") + "]", meaning: meaning,
		read: func(w *walk, path string, n ast.Node, into *T) {
			if list, ok := readScalars(w, path, n, k); ok && w.complete(path, len(list), limit) {
				set(into, list)
			}
		},
		missing: func(_ *walk, _ string, into *T) {
			list := []V{}
			for _, text := range strings.Fields(def) {
				v, _ := k.parse(scalar{text: text}) // a test parses every default
				list = append(list, v)
			}
			set(into, list)
		},
		rows: func(string) []row { return nil },
	}
}

// complete refuses a list of another length than limit, unless that is 0.
func (w *walk) complete(path string, length, limit int) bool {
	if limit != 0 && length != limit {
		w.failAt(path, "%d values are expected here, not %d", limit, length)
		return false
	}
	return true
}

// readScalars reads a list; false means that something is wrong with it.
func readScalars[V any](w *walk, path string, n ast.Node, k kind[V]) (list []V, ok bool) {
	w.seen[path] = start(n)
	seq, isList := n.(*ast.SequenceNode)
	if !isList {
		if n.Type() != ast.NullType {
			w.failAt(path, "a list is expected here, not %s", kindOf(n))
		}
		return nil, false
	}
	before := len(w.problems)
	for i, one := range seq.Values {
		at := element(path, i)
		if one = w.resolve(one, at); one == nil {
			continue
		}
		w.seen[at] = start(one)
		s, err := scalarOf(one)
		var v V
		if err == nil {
			v, err = k.parse(s)
		}
		if err != nil {
			w.failAt(at, "%v", err)
		}
		list = append(list, v)
	}
	return list, len(w.problems) == before
}

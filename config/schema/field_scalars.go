package schema

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// Scalars is a key with a list of scalars of kind k; def is its default, with the elements divided
// by blanks. A list has limit elements, neither more nor fewer, or any number where limit is 0.
func Scalars[T, V any](key string, k Kind[V], limit int, def, meaning string, set func(*T, []V)) Field[T] {
	return Field[T]{
		Key: key, values: "list of: " + k.Values, def: "[" + strings.Join(strings.Fields(def), ", ") + "]", meaning: meaning,
		read: func(w *Walk, path string, n *yaml.Node, into *T) {
			if list, ok := readScalars(w, path, n, k); ok && w.complete(path, len(list), limit) {
				set(into, list)
			}
		},
		missing: func(_ *Walk, _ string, into *T) {
			list := []V{}
			for _, text := range strings.Fields(def) {
				v, _ := k.Parse(Scalar{Text: text})
				list = append(list, v)
			}
			set(into, list)
		},
		rows: func(string) []Row { return nil },
		json: func() *JSON { return listOf(k.JSON, limit) },
	}
}

// OrList is f, a key with a single value, that may also have a list of scalars of kind k, of which there is at
// least one. set returns what is wrong between the elements.
func OrList[T, V any](f Field[T], k Kind[V], set func(*T, []V) error) Field[T] {
	one, json := f.read, f.json
	f.values += ", or list of: " + k.Values
	f.read = func(w *Walk, path string, n *yaml.Node, into *T) {
		switch {
		case n.Kind != yaml.SequenceNode:
			one(w, path, n, into)
		case len(n.Content) == 0:
			w.seen[path] = positionOf(n)
			w.FailAt(path, "the list is empty: name at least one, or leave the key out")
		default:
			list, ok := readScalars(w, path, n, k)
			if !ok {
				return
			}
			if err := set(into, list); err != nil {
				w.FailAt(path, "%v", err)
			}
		}
	}
	f.json = func() *JSON {
		return &JSON{AnyOf: []*JSON{json(), {Type: "array", Items: k.JSON, MinItems: 1}}}
	}
	return f
}

// complete refuses a list of another length than limit, unless that is 0.
func (w *Walk) complete(path string, length, limit int) bool {
	if limit != 0 && length != limit {
		w.FailAt(path, "%d values are expected here, not %d", limit, length)
		return false
	}
	return true
}

// list is the elements of the list n, which is the value of path; false where there is none.
func (w *Walk) list(path string, n *yaml.Node) ([]*yaml.Node, bool) {
	w.seen[path] = positionOf(n)
	if n.Kind == yaml.SequenceNode {
		return n.Content, w.count(len(n.Content), n, path)
	}
	if !isNull(n) {
		w.FailAt(path, "a list is expected here, not %s", kindOf(n))
	}
	return nil, false
}

// readScalars reads a list; false means that something is wrong with it.
func readScalars[V any](w *Walk, path string, n *yaml.Node, k Kind[V]) (all []V, ok bool) {
	list, ok := w.list(path, n)
	before := len(w.problems)
	for i, one := range list {
		at := Element(path, i)
		if one = w.resolve(one, at); one == nil {
			continue
		}
		w.seen[at] = positionOf(one)
		s, err := scalarOf(one)
		var v V
		if err == nil {
			v, err = k.Parse(s)
		}
		if err != nil {
			w.FailAt(at, "%v", err)
		}
		all = append(all, v)
	}
	return all, ok && len(w.problems) == before
}

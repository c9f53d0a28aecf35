package schema

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// Scalars makes a Field: a key whose value is a list of scalars of kind k, handed to set. def is its default, with
// blanks between the elements. A list must have exactly limit elements, or any number where limit is 0.
func Scalars[T, V any](key string, k Kind[V], limit int, def, meaning string, set func(*T, []V)) Field[T] {
	return Field[T]{
		Key: key, values: "list of: " + k.Values, def: "[" + strings.Join(strings.Fields(def), ", ") + "]", meaning: meaning,
		read: func(w *Walk, path string, n *yaml.Node, into *T) {
			if list, ok := readScalars(w, path, n, k); ok && w.checkLength(path, len(list), limit) {
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

// OrList returns f, a key with a single value, extended to accept a list of at least one scalar of kind k instead.
// set stores the list, or returns an error about its elements together.
func OrList[T, V any](f Field[T], k Kind[V], set func(*T, []V) error) Field[T] {
	single, json := f.read, f.json
	f.values += ", or list of: " + k.Values
	f.read = func(w *Walk, path string, n *yaml.Node, into *T) {
		switch {
		case n.Kind != yaml.SequenceNode:
			single(w, path, n, into)
		case len(n.Content) == 0:
			w.seen[path] = w.positionOf(n)
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

// checkLength reports whether length equals limit or limit is 0; any other length of a list is reported as a
// problem at path.
func (w *Walk) checkLength(path string, length, limit int) bool {
	if limit != 0 && length != limit {
		w.FailAt(path, "%d values are expected here, not %d", limit, length)
		return false
	}
	return true
}

// list returns the elements of the list n, the value of path. It returns false if n is no list, or has too many
// elements; any n but a list or null is reported as a problem.
func (w *Walk) list(path string, n *yaml.Node) ([]*yaml.Node, bool) {
	w.seen[path] = w.positionOf(n)
	if n.Kind == yaml.SequenceNode {
		return n.Content, w.count(len(n.Content), n, path)
	}
	if !isNull(n) {
		w.FailAt(path, "a list is expected here, not %s", kindOf(n))
	}
	return nil, false
}

// readScalars returns the elements of the list n, the value of path, parsed by k. ok is false if some elements are
// wrong, which are reported as problems.
func readScalars[V any](w *Walk, path string, n *yaml.Node, k Kind[V]) (all []V, ok bool) {
	list, ok := w.list(path, n)
	before := len(w.problems)
	for i, item := range list {
		at := Element(path, i)
		if item = w.resolve(item, at); item == nil {
			continue
		}
		w.seen[at] = w.positionOf(item)
		s, err := scalarOf(item)
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

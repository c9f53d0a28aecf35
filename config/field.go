package config

import (
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// field is one key of a section that fills a T.
type field[T any] struct {
	key      string
	values   string // what may stand there, in words
	def      string // the default as one would write it
	meaning  string
	required bool
	read     func(w *walk, path string, n ast.Node, into *T)
	missing  func(w *walk, path string, into *T) // the key is not there
	rows     func(path string) []row             // of the keys below this one
}

// section is the keys of a mapping that fills a T.
type section[T any] []field[T]

// read fills into from the mapping n.
func (s section[T]) read(w *walk, path string, n ast.Node, into *T) {
	w.seen[path] = start(n)
	list, ok := w.entries(n, path)
	if !ok {
		return
	}
	given := map[string]bool{}
	for _, e := range list {
		i := slices.IndexFunc(s, func(f field[T]) bool { return f.key == e.key })
		if i < 0 {
			w.fail(e.at, join(path, printable(e.key)), "unknown key%s", s.suggest(e.key))
			continue
		}
		given[e.key] = true
		at := join(path, e.key)
		if v := w.resolve(e.value, at); v != nil {
			s[i].read(w, at, v, into)
		}
	}
	for _, f := range s {
		if !given[f.key] {
			f.missing(w, join(path, f.key), into)
		}
	}
}

// defaults fills into as an empty mapping would.
func (s section[T]) defaults(into *T) {
	var w walk
	for _, f := range s {
		f.missing(&w, f.key, into)
	}
}

// value is a key with a scalar of kind k; def is its default.
func value[T, V any](key string, k kind[V], def, meaning string, at func(*T) *V) field[T] {
	f := required(key, k, meaning, at)
	f.def, f.required = def, false
	f.missing = func(_ *walk, _ string, into *T) {
		*at(into), _ = k.parse(scalar{text: def}) // a test parses every default
	}
	return f
}

// required is a key with a scalar of kind k that must be there.
func required[T, V any](key string, k kind[V], meaning string, at func(*T) *V) field[T] {
	return field[T]{
		key: key, values: k.values, meaning: meaning, required: true,
		read: func(w *walk, path string, n ast.Node, into *T) {
			w.seen[path] = start(n)
			s, err := scalarOf(n)
			if err == nil {
				*at(into), err = k.parse(s)
			}
			if err != nil {
				w.failAt(path, "%v", err)
			}
		},
		missing: missing[T],
		rows:    func(string) []row { return nil },
	}
}

// nested is a key with a mapping that fills the U inside a T.
func nested[T, U any](key, meaning string, s section[U], at func(*T) *U) field[T] {
	return field[T]{
		key: key, values: "keys", meaning: meaning,
		read: func(w *walk, path string, n ast.Node, into *T) {
			s.read(w, path, n, at(into))
		},
		missing: func(_ *walk, _ string, into *T) { s.defaults(at(into)) },
		rows:    func(path string) []row { return s.rows(path) },
	}
}

// within is the keys of a U that stand among those of a T.
func within[T, U any](s section[U], at func(*T) *U) section[T] {
	var all section[T]
	for _, f := range s {
		all = append(all, field[T]{
			key: f.key, values: f.values, def: f.def, meaning: f.meaning, required: f.required, rows: f.rows,
			read:    func(w *walk, path string, n ast.Node, into *T) { f.read(w, path, n, at(into)) },
			missing: func(w *walk, path string, into *T) { f.missing(w, path, at(into)) },
		})
	}
	return all
}

// list is a key with a list of mappings, each of which fills a U.
func list[T, U any](key, meaning string, s section[U], at func(*T) *[]U) field[T] {
	return field[T]{
		key: key, values: "list", def: "[]", meaning: meaning,
		read: func(w *walk, path string, n ast.Node, into *T) {
			w.seen[path] = start(n)
			seq, ok := n.(*ast.SequenceNode)
			if !ok {
				if n.Type() != ast.NullType {
					w.failAt(path, "a list is expected here, not %s", kindOf(n))
				}
				return
			}
			all := make([]U, len(seq.Values))
			for i, one := range seq.Values {
				if one = w.resolve(one, element(path, i)); one != nil {
					s.read(w, element(path, i), one, &all[i])
				}
			}
			*at(into) = all
		},
		missing: func(*walk, string, *T) {},
		rows:    func(path string) []row { return s.rows(path + "[]") },
	}
}

// requiredList is a list that must be there.
func requiredList[T, U any](key, meaning string, s section[U], at func(*T) *[]U) field[T] {
	f := list(key, meaning, s, at)
	f.required = true
	f.missing = missing[T]
	return f
}

// missing reports that a key is not there.
func missing[T any](w *walk, path string, _ *T) { w.failAt(path, "this key is required") }

// named is a key with a mapping from names to mappings, each of which fills a U.
func named[T, U any](key, meaning string, s section[U], at func(*T) *map[string]U) field[T] {
	return names(key, meaning, s.read, s.rows, at)
}

// names is a key with a mapping from names to whatever one reads, which fills a U.
func names[T, U any](
	key, meaning string, one func(w *walk, path string, n ast.Node, into *U), rows func(path string) []row,
	at func(*T) *map[string]U,
) field[T] {
	return field[T]{
		key: key, values: "names", def: "{}", meaning: meaning,
		read: func(w *walk, path string, n ast.Node, into *T) {
			w.seen[path] = start(n)
			all := map[string]U{}
			*at(into) = all
			names, _ := w.entries(n, path)
			for _, e := range names {
				at := join(path, printable(e.key))
				if _, err := name().parse(scalar{text: e.key}); err != nil {
					w.fail(e.at, at, "%v", err)
				}
				if v := w.resolve(e.value, at); v != nil {
					var u U
					one(w, at, v, &u)
					all[e.key] = u
				}
			}
		},
		missing: func(_ *walk, _ string, into *T) { *at(into) = map[string]U{} },
		rows:    func(path string) []row { return rows(path + ".NAME") },
	}
}

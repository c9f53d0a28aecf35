package schema

import (
	"slices"

	"go.yaml.in/yaml/v4"
)

// Field is one key of a section that fills a T. Value, Required, Nested, List and the functions beside them make
// fields.
type Field[T any] struct {
	Key      string
	values   string // the allowed values, in words
	def      string // the default as written in YAML
	meaning  string
	required bool
	read     func(w *Walk, path string, n *yaml.Node, into *T)
	missing  func(w *Walk, path string, into *T) // called where the key is left out
	rows     func(path string) []Row             // of the keys below this key
	json     func() *JSON                        // of the value
}

// read fills into from the mapping n, the value of path, with defaults for keys left out. Unknown keys are
// reported as problems.
func (s Section[T]) read(w *Walk, path string, n *yaml.Node, into *T) {
	w.seen[path] = w.positionOf(n)
	list, ok := w.entries(n, path)
	if !ok {
		return
	}
	given := map[string]bool{}
	for _, e := range list {
		i := slices.IndexFunc(s, func(f Field[T]) bool { return f.Key == e.key })
		if i < 0 {
			w.Fail(e.at, Join(path, Printable(e.key)), "unknown key%s", s.suggest(e.key))
			continue
		}
		given[e.key] = true
		at := Join(path, e.key)
		if v := w.resolve(e.value, at); v != nil {
			s[i].read(w, at, v, into)
		}
	}
	for _, f := range s {
		if !given[f.Key] {
			f.missing(w, Join(path, f.Key), into)
		}
	}
}

// Value makes a Field: a key whose value is a scalar of kind k, stored at at(t). def is its default in YAML,
// meaning its text in the reference. A wrong default leaves the value as it is, so a test must parse each default
// with its kind.
func Value[T, V any](key string, k Kind[V], def, meaning string, at func(*T) *V) Field[T] {
	f := Required(key, k, meaning, at)
	f.def, f.required = def, false
	f.missing = func(_ *Walk, _ string, into *T) {
		*at(into), _ = k.Parse(Scalar{Text: def})
	}
	return f
}

// Required makes a Field: a key that must not be left out, whose value is a scalar of kind k, stored at at(t).
func Required[T, V any](key string, k Kind[V], meaning string, at func(*T) *V) Field[T] {
	return Field[T]{
		Key: key, values: k.Values, meaning: meaning, required: true,
		read: func(w *Walk, path string, n *yaml.Node, into *T) {
			w.seen[path] = w.positionOf(n)
			s, err := scalarOf(n)
			if err == nil {
				*at(into), err = k.Parse(s)
			}
			if err != nil {
				w.FailAt(path, "%v", err)
			}
		},
		missing: missing[T],
		rows:    func(string) []Row { return nil },
		json:    func() *JSON { return k.JSON },
	}
}

// Nested makes a Field: a key whose value is a mapping with the keys of section s, which fills the U at at(t).
func Nested[T, U any](key, meaning string, s Section[U], at func(*T) *U) Field[T] {
	return Field[T]{
		Key: key, values: "keys", meaning: meaning,
		read: func(w *Walk, path string, n *yaml.Node, into *T) {
			s.read(w, path, n, at(into))
		},
		missing: func(_ *Walk, _ string, into *T) { s.Defaults(at(into)) },
		rows:    func(path string) []Row { return s.Rows(path) },
		json:    s.object,
	}
}

// Within returns the fields of U as fields of T: its keys stand directly among the keys of T, and at(t) is the U they
// fill.
func Within[T, U any](s Section[U], at func(*T) *U) Section[T] {
	var all Section[T]
	for _, f := range s {
		all = append(all, Field[T]{
			Key: f.Key, values: f.values, def: f.def, meaning: f.meaning, required: f.required, rows: f.rows, json: f.json,
			read:    func(w *Walk, path string, n *yaml.Node, into *T) { f.read(w, path, n, at(into)) },
			missing: func(w *Walk, path string, into *T) { f.missing(w, path, at(into)) },
		})
	}
	return all
}

// List makes a Field: a key whose value is a list of mappings, each of which fills a U of the list at at(t).
func List[T, U any](key, meaning string, s Section[U], at func(*T) *[]U) Field[T] {
	return Field[T]{
		Key: key, values: "list", def: "[]", meaning: meaning,
		read: func(w *Walk, path string, n *yaml.Node, into *T) {
			list, ok := w.list(path, n)
			if !ok {
				return
			}
			if len(list) > maxElements {
				w.FailAt(path, "%d elements: a list has at most %d", len(list), maxElements)
				return
			}
			all := make([]U, len(list))
			for i, item := range list {
				if item = w.resolve(item, Element(path, i)); item != nil {
					s.read(w, Element(path, i), item, &all[i])
				}
			}
			*at(into) = all
		},
		missing: func(*Walk, string, *T) {},
		rows:    func(path string) []Row { return s.Rows(path + "[]") },
		json:    func() *JSON { return listOf(s.object(), 0) },
	}
}

// RequiredList makes a Field as List does, for a key that must not be left out.
func RequiredList[T, U any](key, meaning string, s Section[U], at func(*T) *[]U) Field[T] {
	f := List(key, meaning, s, at)
	f.required = true
	f.missing = missing[T]
	return f
}

// missing reports, as a problem, that the required key at path is left out.
func missing[T any](w *Walk, path string, _ *T) { w.FailAt(path, "this key is required") }

// Named makes a Field: a key whose value is a mapping from names to mappings, each of which fills a U of the map
// at at(t).
func Named[T, U any](key, meaning string, s Section[U], at func(*T) *map[string]U) Field[T] {
	return names(key, meaning, element[U]{s.read, s.Rows, s.object}, at)
}

// element reads and describes the value of a name.
type element[U any] struct {
	read func(w *Walk, path string, n *yaml.Node, into *U)
	rows func(path string) []Row
	json func() *JSON
}

// names makes a Field: a key whose value is a mapping from names to values. reader reads each value, and the map at
// at(t) gets it.
func names[T, U any](key, meaning string, reader element[U], at func(*T) *map[string]U) Field[T] {
	return Field[T]{
		Key: key, values: "names", def: "{}", meaning: meaning,
		read: func(w *Walk, path string, n *yaml.Node, into *T) {
			*at(into) = readNames(w, path, n, reader)
		},
		missing: func(_ *Walk, _ string, into *T) { *at(into) = map[string]U{} },
		rows:    func(path string) []Row { return reader.rows(path + ".NAME") },
		json:    func() *JSON { return mapOf(Name().JSON, reader.json()) },
	}
}

// readNames returns, by name, the values that reader reads from the mapping n, the value of path. Wrong names are
// reported as problems.
func readNames[U any](w *Walk, path string, n *yaml.Node, reader element[U]) map[string]U {
	w.seen[path] = w.positionOf(n)
	all := map[string]U{}
	names, _ := w.entries(n, path)
	for _, e := range names {
		at := Join(path, Printable(e.key))
		if _, err := Name().Parse(Scalar{Text: e.key}); err != nil {
			w.Fail(e.at, at, "%v", err)
		}
		if v := w.resolve(e.value, at); v != nil {
			var u U
			reader.read(w, at, v, &u)
			all[e.key] = u
		}
	}
	return all
}

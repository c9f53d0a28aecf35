package config

import (
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// span is the numbers first to last: what the key of a pair stands for. An exact one wins
// over one that is not.
type span struct {
	first, last int
	exact       bool
}

// pair is one line of a map: the numbers of its key have its value.
type pair[V any] struct {
	span
	value V
	at    position // of the key
	path  string
}

// line is what one pair of a map may be.
type line[V any] struct {
	element string // what the reference calls one of the numbers
	numbers kind[span]
	value   kind[V]
	meaning string
}

// pairs is a key with a mapping from numbers to scalars.
func pairs[T, V any](key string, l line[V], meaning string, at func(*T) *[]pair[V]) field[T] {
	return field[T]{
		key: key, values: "keys: " + l.numbers.values, def: "{}", meaning: meaning,
		read:    func(w *walk, path string, n ast.Node, into *T) { l.read(w, path, n, at(into)) },
		missing: func(*walk, string, *T) {},
		rows:    l.rows,
	}
}

// namedPairs is a key with a mapping from names to such mappings.
func namedPairs[T, V any](key string, l line[V], meaning string, at func(*T) *map[string][]pair[V]) field[T] {
	return names(key, meaning, l.read, l.rows, at)
}

func (l line[V]) rows(path string) []row {
	return []row{{join(path, l.element), l.value.values, "", l.meaning}}
}

// read reads what is right of a mapping, the exact pairs last.
func (l line[V]) read(w *walk, path string, n ast.Node, into *[]pair[V]) {
	w.seen[path] = start(n)
	var all []pair[V]
	list, _ := w.entries(n, path)
	for _, e := range list {
		p := pair[V]{at: e.at, path: join(path, printable(e.key))}
		numbers, err := l.numbers.parse(scalar{text: e.key})
		if err != nil {
			w.fail(e.at, p.path, "%v", err)
			continue
		}
		p.span = numbers
		if i := slices.IndexFunc(all, p.overlaps); i >= 0 {
			w.fail(e.at, p.path, "this is already in line %d", all[i].at.line)
			continue
		}
		if p.readValue(w, e.value, l.value) {
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b pair[V]) int { return a.rank() - b.rank() })
	*into = all
}

func (p *pair[V]) readValue(w *walk, n ast.Node, v kind[V]) bool {
	if n = w.resolve(n, p.path); n == nil {
		return false
	}
	w.seen[p.path] = start(n)
	s, err := scalarOf(n)
	if err == nil {
		p.value, err = v.parse(s)
	}
	if err != nil {
		w.failAt(p.path, "%v", err)
	}
	return err == nil
}

// overlaps is whether q speaks of a number that p speaks of, too, and as exactly.
func (p pair[V]) overlaps(q pair[V]) bool {
	return p.exact == q.exact && p.first <= q.last && q.first <= p.last
}

func (p pair[V]) rank() int {
	if p.exact {
		return 1
	}
	return 0
}

// fill puts the value of each pair into the elements of its numbers.
func fill[V any](into []V, list []pair[V]) {
	for _, p := range list {
		for i := p.first; i <= p.last; i++ {
			into[i] = p.value
		}
	}
}

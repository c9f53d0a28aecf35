package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Span is the numbers First to Last, both included, that the key of a pair stands for. A pair with Exact wins over a
// pair without.
type Span struct {
	First, Last int
	Exact       bool
}

// Pair is one line of a map: every number of the Span gets Value.
type Pair[V any] struct {
	Span
	Value V
	At    Position // of the key
	Path  string
}

// PairKind describes the pairs of a map: which keys, and which values.
type PairKind[V any] struct {
	Element string // name of one number in the reference, such as DSCP
	Numbers Kind[Span]
	Value   Kind[V]
	Meaning string
}

// Pairs makes a Field: a key whose value is a mapping from numbers to scalars, stored as a list of pairs at at(t).
// Exact pairs are sorted last, so that they win in Fill.
func Pairs[T, V any](key string, k PairKind[V], meaning string, at func(*T) *[]Pair[V]) Field[T] {
	return Field[T]{
		Key: key, values: "keys: " + k.Numbers.Values, def: "{}", meaning: meaning,
		read:    func(w *Walk, path string, n *yaml.Node, into *T) { k.read(w, path, n, at(into)) },
		missing: func(*Walk, string, *T) {},
		rows:    k.rows,
		json:    k.json,
	}
}

// NamedPairs makes a Field: a key whose value is a mapping from names to mappings from numbers to scalars, stored
// at at(t).
func NamedPairs[T, V any](key string, k PairKind[V], meaning string, at func(*T) *map[string][]Pair[V]) Field[T] {
	return names(key, meaning, element[[]Pair[V]]{k.read, k.rows, k.json}, at)
}

func (k PairKind[V]) rows(path string) []Row {
	return []Row{{Join(path, k.Element), k.Value.Values, "", k.Meaning}}
}

func (k PairKind[V]) json() *JSON {
	value := *k.Value.JSON
	value.Description = k.Meaning
	return mapOf(k.Numbers.JSON, &value)
}

// read stores the pairs of the mapping n that have no problem, exact pairs last, and reports the problems of the
// others.
func (k PairKind[V]) read(w *Walk, path string, n *yaml.Node, into *[]Pair[V]) {
	w.seen[path] = w.positionOf(n)
	var all []Pair[V]
	list, _ := w.entries(n, path)
	for _, e := range list {
		p := Pair[V]{At: e.at, Path: Join(path, Printable(e.key))}
		numbers, err := k.Numbers.Parse(Scalar{Text: e.key})
		if err != nil {
			w.Fail(e.at, p.Path, "%v", err)
			continue
		}
		p.Span = numbers
		if i := slices.IndexFunc(all, p.overlaps); i >= 0 {
			w.Fail(e.at, p.Path, "this is already in line %d", all[i].At.Line)
			continue
		}
		if p.readValue(w, e.value, k.Value) {
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b Pair[V]) int { return a.rank() - b.rank() })
	*into = all
}

// readValue reads the value of the pair from node n. It reports a wrong value as a problem and returns false.
func (p *Pair[V]) readValue(w *Walk, n *yaml.Node, v Kind[V]) bool {
	if n = w.resolve(n, p.Path); n == nil {
		return false
	}
	w.seen[p.Path] = w.positionOf(n)
	s, err := scalarOf(n)
	if err == nil {
		p.Value, err = v.Parse(s)
	}
	if err != nil {
		w.FailAt(p.Path, "%v", err)
	}
	return err == nil
}

// overlaps reports whether the pairs p and q have a number in common and are both exact or both not.
func (p Pair[V]) overlaps(q Pair[V]) bool {
	return p.Exact == q.Exact && p.First <= q.Last && q.First <= p.Last
}

func (p Pair[V]) rank() int {
	if p.Exact {
		return 1
	}
	return 0
}

// Fill sets into[i] to the value of a pair, for each index i that the pair covers, pair after pair of the list. into
// must be long enough.
func Fill[V any](into []V, list []Pair[V]) {
	for _, p := range list {
		for i := p.First; i <= p.Last; i++ {
			into[i] = p.Value
		}
	}
}

// Numbers returns the Kind that parses a number from 0 to last, or a range N-M; noun names such a number in
// errors, as "a DSCP".
func Numbers(noun string, last int) Kind[Span] {
	values := fmt.Sprintf("0 to %d, or a range such as %d-%d", last, last/2, last)
	return NewKind(values, RangeJSON(0, last), func(s Scalar) (Span, error) {
		numbers, ok := NumberRange(s.Text, last)
		if !ok {
			return Span{}, fmt.Errorf("%q is not %s: write %s", s.Text, noun, values)
		}
		return numbers, nil
	})
}

// NumberRange parses N or N-M with 0 <= N <= M <= last; ok is false for any other text.
func NumberRange(text string, last int) (numbers Span, ok bool) {
	low, high, ranged := strings.Cut(text, "-")
	if !ranged {
		high = low
	}
	first, err := strconv.ParseUint(low, 10, 16)
	if err != nil {
		return Span{}, false
	}
	end, err := strconv.ParseUint(high, 10, 16)
	return Span{First: int(first), Last: int(end)}, err == nil && first <= end && int(end) <= last
}

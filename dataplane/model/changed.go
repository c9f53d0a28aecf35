package model

import (
	"reflect"
	"slices"
	"strings"
)

// Tally keeps a struct of counters, to find out later which counters have changed.
type Tally[C any] struct {
	last  C
	names []string
	at    [][]int // indexes of the fields, as reflect.Value.FieldByIndex takes them
}

// NewTally returns a tally of the uint64 fields of C, those of embedded structs included, except for the fields with
// the given JSON keys.
func NewTally[C any](except ...string) *Tally[C] {
	t := &Tally[C]{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[C]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Type.Kind() == reflect.Uint64 && f.IsExported() && !slices.Contains(except, name) {
			t.names, t.at = append(t.names, name), append(t.at, f.Index)
		}
	}
	return t
}

// Keep keeps the present counters.
func (t *Tally[C]) Keep(c *C) { t.last = *c }

// Changed appends to list an entry, with the name of the port and of the counter, for each counter of c that has
// changed since Keep, and returns the list.
func (t *Tally[C]) Changed(list []TracedCount, port string, c *C) []TracedCount {
	old, current := reflect.ValueOf(&t.last).Elem(), reflect.ValueOf(c).Elem()
	for i, at := range t.at {
		if old.FieldByIndex(at).Uint() != current.FieldByIndex(at).Uint() {
			list = append(list, TracedCount{port, t.names[i]})
		}
	}
	return list
}

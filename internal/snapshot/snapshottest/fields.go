// Package snapshottest checks that a machine saves each of its fields.
package snapshottest

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"unsafe"

	"uelink/internal/snapshot"
)

// EveryField checks that a machine saves each of its fields: EveryField changes one field after the other, also in
// structs, arrays, slices and pointers, and fails the test if the saved state stays equal. fresh returns an equal new
// machine, a pointer to a struct, at each call. derived names the fields that need not be saved, because the machine
// computes the fields when a state is restored, or the owner sets the fields: "Tx.now", "Tx.list[]" for the length of a
// slice, "Tx.*" for all fields of Tx. The test fails, too, if a field that derived names is saved.
func EveryField(t *testing.T, fresh func() snapshot.Machine, derived ...string) {
	t.Helper()
	unsaved := map[string]bool{}
	for _, path := range derived {
		unsaved[path] = true
	}
	seen := map[string]bool{}
	before := snapshot.Save("machine", fresh())
	for i := 0; ; i++ {
		m := fresh()
		w := walk{target: i, visited: map[visit]bool{}, unsaved: unsaved, seen: seen}
		w.value("", reflect.ValueOf(m).Elem())
		if w.found == "" {
			break
		}
		seen[w.found] = true
		saved := !bytes.Equal(before, snapshot.Save("machine", m))
		if !saved && !unsaved[w.found] {
			t.Errorf("the field %s is not in the snapshot: add the field, or list it in this test as derived", w.found)
		}
		if saved && unsaved[w.found] {
			t.Errorf("the field %s is in the snapshot, although this test lists the field as derived", w.found)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(unsaved)) {
		if !seen[path] {
			t.Errorf("the machine has no field %s, which this test lists as derived", path)
		}
	}
}

// walk visits the fields of a machine in a fixed order and changes one.
type walk struct {
	target  int             // number of the field to change
	at      int             // fields visited so far
	found   string          // path of the changed field; empty: not reached yet
	visited map[visit]bool  // structs visited so far
	unsaved map[string]bool // paths that derived names
	seen    map[string]bool // paths of fields that a walk has changed, or has left out because derived names them
}

// visit identifies a struct that a walk has visited, so that a circle of pointers ends.
type visit struct {
	at  unsafe.Pointer
	typ reflect.Type
}

// leaf visits a field without fields inside, and changes the value if the field is the target of the walk.
func (w *walk) leaf(path string, change func()) {
	if w.at == w.target {
		change()
		w.found = path
	}
	w.at++
}

// value visits a field of the machine and all fields within it, until the target of the walk is changed: of an array
// the first and the last item, of a slice the length and the first item. A field that derived names is visited as a
// whole, or left out with all its fields for a path with ".*".
func (w *walk) value(path string, v reflect.Value) {
	if w.found != "" {
		return
	}
	v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	if all := path + ".*"; w.unsaved[all] {
		w.seen[all] = true
		return
	}
	if w.unsaved[path] {
		w.leaf(path, func() { change(v) })
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		current := visit{v.Addr().UnsafePointer(), v.Type()}
		if w.visited[current] {
			return
		}
		w.visited[current] = true
		for i := range v.NumField() {
			w.value(join(path, v.Type().Field(i).Name), v.Field(i))
		}
	case reflect.Array:
		for _, i := range slices.Compact([]int{0, v.Len() - 1}) {
			w.value(path+"["+strconv.Itoa(i)+"]", v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			w.value(path, v.Elem())
		}
	case reflect.Slice:
		w.leaf(path+"[]", func() { change(v) })
		if v.Len() > 0 {
			w.value(path+"[0]", v.Index(0))
		}
	default:
		w.leaf(path, func() { change(v) })
	}
}

// join returns the path of a struct's field: the struct's path, a dot, and the field's name.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// change sets a field to a value that differs from the present value; of an array or a struct, the first part.
func change(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() ^ 1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(v.Uint() ^ 1)
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Slice:
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	case reflect.Array:
		change(v.Index(0))
	case reflect.Struct:
		field := v.Field(0)
		change(reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem())
	default: // a func, a map, a nil pointer: not changed
	}
}

package snapshot

import (
	"reflect"
	"strconv"
)

// itemsMax is the most items of a slice in a Struct.
const itemsMax = 1 << 16

// Struct passes a struct of exported fields as a group: settings, counters, a message. v points to the struct. Its
// fields are numbers, truth values, texts, and arrays, slices and structs of such fields. A nil pointer to a struct
// stays nil, and an empty slice is restored as nil. The names are those of the fields in Go.
func (s *State) Struct(name string, v any) { s.value(name, reflect.ValueOf(v).Elem()) }

// value passes one field of a Struct.
func (s *State) value(name string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		b := v.Bool()
		s.Bool(name, &b)
		v.SetBool(b)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n := v.Int()
		Number(s, name, &n)
		s.setNumber(name, v, v.OverflowInt(n), func() { v.SetInt(n) })
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n := v.Uint()
		Number(s, name, &n)
		s.setNumber(name, v, v.OverflowUint(n), func() { v.SetUint(n) })
	case reflect.String:
		text := v.String()
		Text(s, name, &text)
		v.SetString(text)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			octets := v.Bytes()
			s.Bytes(name, &octets, itemsMax)
			v.SetBytes(octets)
			return
		}
		s.Group(name, func(s *State) { s.composite(v) })
	case reflect.Struct, reflect.Array, reflect.Pointer:
		s.Group(name, func(s *State) { s.composite(v) })
	default:
		panic("snapshot: " + name + ": no field of a " + v.Kind().String())
	}
}

// setNumber sets a number of a Struct, unless it overflows.
func (s *State) setNumber(name string, v reflect.Value, overflows bool, set func()) {
	if overflows {
		s.fail(ErrInvalid, name, "too large for "+v.Type().String())
		return
	}
	set()
}

// composite passes the parts of a struct, array, slice or pointer as the fields of a group.
func (s *State) composite(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			s.value(v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Pointer:
		s.pointer(v)
	case reflect.Slice:
		n := v.Len()
		Number(s, "items", &n)
		s.Check(n >= 0 && n <= itemsMax, "%d items", n)
		if s.restoring {
			v.SetZero()
			if n > 0 && s.Valid() {
				v.Set(reflect.MakeSlice(v.Type(), n, n))
			}
		}
		s.items(v)
	default:
		s.items(v)
	}
}

// items passes the items of an array or slice, named by their index.
func (s *State) items(v reflect.Value) {
	for i := range v.Len() {
		s.value(strconv.Itoa(i), v.Index(i))
	}
}

// pointer passes what a pointer points to, if it is not nil.
func (s *State) pointer(v reflect.Value) {
	set := !v.IsNil()
	s.Bool("set", &set)
	switch {
	case !set:
		v.SetZero()
		return
	case s.restoring:
		v.Set(reflect.New(v.Type().Elem()))
	}
	s.value("value", v.Elem())
}

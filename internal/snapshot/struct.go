package snapshot

import (
	"reflect"
	"strconv"
)

// itemsMax is the most items of a slice in a Struct.
const itemsMax = 1 << 16

// Struct saves all fields of the struct that v points to as a group, under their Go names, or restores them:
// settings, counters, a message. The fields must be exported, and be numbers, booleans, strings, or arrays, slices,
// structs and pointers of such. A nil pointer stays nil, and an empty slice is restored as nil.
func (s *State) Struct(name string, v any) { s.value(name, reflect.ValueOf(v).Elem()) }

// value saves or restores one field of a Struct, by its kind: number, boolean, string, octets, or a group of parts.
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

// setNumber sets a restored number of a Struct by calling set, or makes the snapshot invalid if the number overflows
// the field's type.
func (s *State) setNumber(name string, v reflect.Value, overflows bool, set func()) {
	if overflows {
		s.fail(ErrInvalid, name, "the number is too large for the type "+v.Type().String())
		return
	}
	set()
}

// composite saves or restores the parts of a struct, array, slice or pointer v as fields of the present group. A slice
// begins with its number of items, at most itemsMax.
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

// items saves or restores the items of array or slice v, each under its index as name.
func (s *State) items(v reflect.Value) {
	for i := range v.Len() {
		s.value(strconv.Itoa(i), v.Index(i))
	}
}

// pointer saves or restores whether pointer v is set, and if so the value it points to.
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

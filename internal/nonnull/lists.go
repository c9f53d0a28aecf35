// Package nonnull keeps null out of JSON where a list belongs: programs read an empty list and null differently.
package nonnull

import (
	"encoding"
	"encoding/json"
	"reflect"
)

// Lists returns a copy of v in which each nil slice, at any depth, is an empty one, so that encoding/json writes [] for
// it and not null. Nil pointers stay, and so does everything in types with a JSON or text form of their own, in
// unexported fields, and in slices of octets (base64). v itself is not changed: parts without slices are shared.
func Lists(v any) any {
	if v == nil {
		return nil
	}
	c := reflect.New(reflect.TypeOf(v)).Elem()
	c.Set(reflect.ValueOf(v))
	fill(c)
	return c.Interface()
}

// fill replaces nil slices in v. v must be settable, unless v is an embedded struct of an unexported type. Slices, maps
// and pointers in v are copied first, because others may read them.
func fill(v reflect.Value) {
	t := v.Type()
	if hasOwnForm(t) || hasOwnForm(reflect.PointerTo(t)) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := t.Field(i); f.IsExported() || f.Anonymous && f.Type.Kind() == reflect.Struct {
				fill(v.Field(i))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Slice:
		fillSlice(v)
	case reflect.Map:
		fillMap(v)
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			c := reflect.New(v.Elem().Type())
			c.Elem().Set(v.Elem())
			fill(c.Elem())
			if v.Kind() == reflect.Interface {
				c = c.Elem()
			}
			v.Set(c)
		}
	}
}

// fillSlice replaces v by an empty slice if it is nil, and by a copy without nil slices if its elements may have some.
// Slices of octets stay.
func fillSlice(v reflect.Value) {
	elem := v.Type().Elem().Kind()
	switch {
	case elem == reflect.Uint8:
	case v.IsNil():
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	case elem > reflect.Complex128 && elem != reflect.String:
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(c, v)
		for i := range c.Len() {
			fill(c.Index(i))
		}
		v.Set(c)
	}
}

// fillMap replaces v, unless it is nil, by a copy without nil slices.
func fillMap(v reflect.Value) {
	if v.IsNil() {
		return
	}
	c := reflect.MakeMapWithSize(v.Type(), v.Len())
	for entries := v.MapRange(); entries.Next(); {
		value := reflect.New(v.Type().Elem()).Elem()
		value.Set(entries.Value())
		fill(value)
		c.SetMapIndex(entries.Key(), value)
	}
	v.Set(c)
}

// hasOwnForm reports whether values of type t make their own JSON or text.
func hasOwnForm(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

package api

import (
	"encoding"
	"reflect"
	"strings"
	"time"
)

// Field is one value of an object, under its JSON key.
type Field struct {
	Section string // keys of the objects around the value, joined by dots, "" at the top
	Key     string
	Value   any
	Help    string // meaning of the value: the comment of the struct's field, as a sentence
	Unit    string // unit of a number where neither key nor type has it: "octets", "ns", "µs", "s", "Mb/s", "frames/s"
}

// Fields lists the values of a struct and of the structs in it, in the order of its JSON. A listing made of Fields
// shows a value that is added later, too. A nil pointer has no values; a list of objects is left out, because each of
// its objects has fields.
func Fields(object any) []Field {
	return appendFields(nil, "", reflect.ValueOf(object))
}

// appendFields appends the fields of a struct and of the structs in it; nil pointers and lists of structs are left
// out.
func appendFields(fields []Field, section string, v reflect.Value) []Field {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		value := v.Field(i)
		if value.Kind() == reflect.Pointer {
			if value.IsNil() {
				continue
			}
			value = value.Elem()
		}
		if value.Kind() == reflect.Slice && value.Type().Elem().Kind() == reflect.Struct {
			continue
		}
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		shown, whole := single(value.Interface())
		switch {
		case whole:
			fields = append(fields, Field{section, key, shown, Help(v.Type(), f.Name), f.Tag.Get("unit")})
		case f.Anonymous:
			fields = appendFields(fields, section, value)
		case value.Kind() == reflect.Struct:
			fields = appendFields(fields, strings.TrimPrefix(section+"."+key, "."), value)
		default:
			fields = append(fields, Field{section, key, value.Interface(), Help(v.Type(), f.Name), f.Tag.Get("unit")})
		}
	}
	return fields
}

// single returns the value to show for a type that is shown as a whole though it is a struct: a time, a map of
// counts by reason, or the word of a state. whole is false for other values.
func single(value any) (shown any, whole bool) {
	switch v := value.(type) {
	case time.Time:
		return v, true
	case interface{ ByReason() map[string]uint64 }:
		return v.ByReason(), true
	case encoding.TextMarshaler:
		text, err := v.MarshalText()
		return string(text), err == nil
	}
	return nil, false
}

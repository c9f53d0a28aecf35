package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// bodyMax is the largest body of a request, in octets.
const bodyMax = 64 << 10

// decode reads a body: exactly one JSON object, with fields of the struct that into points to, each at most once and
// under its exact name. encoding/json alone would accept null as an empty object, the last of repeated fields, and
// names in any case, so a client's mistake would do something unintended.
func decode(w http.ResponseWriter, r *http.Request, into any) error {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyMax))
	if err != nil {
		return bodyError(err)
	}
	if !utf8.Valid(data) {
		return bodyError(errors.New("octets that are not UTF-8"))
	}
	if err := checkFields(data, reflect.TypeOf(into).Elem()); err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return bodyError(err)
	}
	return nil
}

// checkFields checks that data is a single JSON object with only fields of structType, each at most once.
// The types of the values are not checked.
func checkFields(data []byte, structType reflect.Type) error {
	d := json.NewDecoder(bytes.NewReader(data))
	t, err := d.Token()
	if err != nil {
		return bodyError(err)
	}
	if t != json.Delim('{') {
		return badRequest("", "body: a JSON object is wanted")
	}
	seen := map[string]bool{}
	for d.More() {
		if err := checkField(d, structType, seen); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil { // the end of the object
		return bodyError(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return badRequest("", "body: more than one JSON value")
	}
	return nil
}

// checkField reads a field and its value of a JSON object, and returns an error for an unknown or repeated name or
// a null. seen has the names of the fields read before.
func checkField(d *json.Decoder, structType reflect.Type, seen map[string]bool) error {
	t, err := d.Token()
	if err != nil {
		return bodyError(err)
	}
	name, _ := t.(string) // the decoder accepts only a string here
	var value json.RawMessage
	if err := d.Decode(&value); errors.Is(err, io.EOF) {
		return bodyError(io.ErrUnexpectedEOF)
	} else if err != nil {
		return bodyError(err)
	}
	fields := fieldsOf(structType)
	kind, ok := fields[name]
	switch {
	case !ok:
		return badRequest(name, "body: unknown field %q%s", name, inSmallLetters(fields, name))
	case seen[name]:
		return badRequest(name, "body: field %q is there twice", name)
	case string(value) == "null" && kind != reflect.Slice && kind != reflect.Pointer:
		return badRequest(name, "body: %s: null is no value: leave the field out", name)
	}
	seen[name] = true
	return nil
}

// fieldsOf returns a map from the JSON names of a struct's fields to the fields' kinds.
func fieldsOf(structType reflect.Type) map[string]reflect.Kind {
	fields := map[string]reflect.Kind{}
	for i := range structType.NumField() {
		name, _, _ := strings.Cut(structType.Field(i).Tag.Get("json"), ",")
		fields[name] = structType.Field(i).Type.Kind()
	}
	return fields
}

// inSmallLetters returns advice for an unknown field name: ": write NAME" if a known field differs only in upper
// and lower case, else "".
func inSmallLetters(fields map[string]reflect.Kind, name string) string {
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if strings.EqualFold(field, name) {
			return ": write " + field
		}
	}
	return ""
}

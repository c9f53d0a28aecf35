package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// JSON is a JSON Schema (draft 7) of a value, with the keywords that this package uses.
type JSON struct {
	Schema      string           `json:"$schema,omitempty"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	Type        any              `json:"type,omitempty"` // a word, or several
	Enum        []any            `json:"enum,omitempty"`
	AnyOf       []*JSON          `json:"anyOf,omitempty"`
	Pattern     string           `json:"pattern,omitempty"`
	Minimum     *int64           `json:"minimum,omitempty"`
	Maximum     *int64           `json:"maximum,omitempty"`
	Default     any              `json:"default,omitempty"`
	Items       *JSON            `json:"items,omitempty"`
	MinItems    int              `json:"minItems,omitempty"`
	MaxItems    int              `json:"maxItems,omitempty"`
	Properties  map[string]*JSON `json:"properties,omitempty"`
	Required    []string         `json:"required,omitempty"`
	Names       *JSON            `json:"propertyNames,omitempty"`
	Others      any              `json:"additionalProperties,omitempty"` // *JSON, or false
}

// StringJSON returns the JSON Schema of text that matches a regular expression of ECMA 262; of any text where
// pattern is empty.
func StringJSON(pattern string) *JSON { return &JSON{Type: "string", Pattern: pattern} }

// EnumJSON returns the JSON Schema of a choice of words; true and false may stand without quotes.
func EnumJSON(words ...string) *JSON {
	j := &JSON{}
	for _, w := range words {
		j.Enum = append(j.Enum, w)
		if w == "true" || w == "false" {
			j.Enum = append(j.Enum, w == "true")
		}
	}
	return j
}

// IntegerJSON returns the JSON Schema of a whole number from lo to hi.
func IntegerJSON(lo, hi int64) *JSON { return &JSON{Type: "integer", Minimum: &lo, Maximum: &hi} }

// ScalarJSON returns the JSON Schema of text that matches a pattern, or any whole number.
func ScalarJSON(pattern string) *JSON {
	return &JSON{Type: []string{"string", "integer"}, Pattern: pattern}
}

// measureJSON returns the JSON Schema of text that matches a pattern, or a whole number from lo to hi.
func measureJSON(pattern string, lo, hi int64) *JSON {
	j := ScalarJSON(pattern)
	j.Minimum, j.Maximum = &lo, &hi
	return j
}

// RangeJSON returns the JSON Schema of a whole number from lo to hi, or a range N-M in text.
func RangeJSON(lo, hi int) *JSON { return measureJSON(`^[0-9]+(-[0-9]+)?$`, int64(lo), int64(hi)) }

// listOf returns the JSON Schema of a list whose elements have the schema items, with exactly limit elements unless
// limit is 0. Null counts as an empty list.
func listOf(items *JSON, limit int) *JSON {
	return &JSON{Type: []string{"array", "null"}, Items: items, MinItems: limit, MaxItems: limit}
}

// mapOf returns the JSON Schema of a mapping from any keys that match name to values that match value. Null counts
// as an empty mapping.
func mapOf(name, value *JSON) *JSON {
	name = &JSON{Pattern: name.Pattern, Enum: name.Enum} // a key is text, also where it looks like a number
	return &JSON{Type: []string{"object", "null"}, Names: name, Others: value}
}

// object returns the JSON Schema of a mapping with the keys of the section and no others.
func (s Section[T]) object() *JSON {
	all := &JSON{Type: []string{"object", "null"}, Properties: map[string]*JSON{}, Others: false}
	for _, f := range s {
		value := *f.json()
		value.Description, value.Default = f.meaning, f.jsonDefault(&value)
		all.Properties[f.Key] = &value
		if f.required {
			all.Required = append(all.Required, f.Key)
		}
	}
	if len(all.Required) > 0 {
		all.Type = "object" // not null: a required key would be missing
	}
	return all
}

// jsonDefault returns the default of the key as a JSON value, nil if the JSON Schema shows no default.
func (f Field[T]) jsonDefault(value *JSON) any {
	switch {
	case f.required || f.values == "keys" || f.def == "[]" || f.def == "{}":
		return nil
	case value.Type == "boolean":
		return f.def == "true"
	}
	if n, err := strconv.ParseInt(f.def, 0, 64); err == nil && !value.isText() {
		return n
	}
	if value.Items != nil {
		return nil // the reference has the default of a list
	}
	return f.def
}

// isText reports whether, under schema j, a default that looks like a number must be written as a string in JSON.
func (j *JSON) isText() bool {
	types, mixed := j.Type.([]string)
	return j.Type == "string" || mixed && slices.Contains(types, "string") && j.Minimum == nil
}

// JSONSchema returns a JSON Schema of a document with the keys of the section, indented. The schema accepts every
// document without merge keys that Decode accepts. It also accepts some documents that Decode refuses: for example,
// it does not know which units make a number too large.
func (s Section[T]) JSONSchema(title, description string) string {
	all := s.object()
	all.Schema, all.Title, all.Description = "http://json-schema.org/draft-07/schema#", title, description
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(all); err != nil {
		panic(fmt.Sprintf("a JSON Schema has a value that JSON cannot express: %v", err))
	}
	return b.String()
}

package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"uelink/config/schema"
)

// Difference is a key whose value differs between two configurations.
type Difference struct {
	Key    string `json:"key"`    // such as ports[link0].mtu
	Before string `json:"before"` // its value, or its default; empty: none
	After  string `json:"after"`
	Cost   string `json:"cost"` // of a reload that changes the key: what is interrupted, in the word of the reference
}

// Diff returns the keys whose values differ between the texts of two configurations, sorted by key. A missing key has
// its default. Elements of a list are compared by their name, or by the key that identifies them. Both texts must be
// configurations that Parse accepts.
func Diff(before, after []byte) ([]Difference, error) {
	rows := rootFields().Rows("")
	old, current := values{rows: rows}, values{rows: rows}
	for vs, text := range map[*values][]byte{&old: before, &current: after} {
		var v any
		if err := yaml.Unmarshal(text, &v); err != nil {
			return nil, err
		}
		vs.all = map[string]value{}
		vs.add("", "", v)
	}
	var list []Difference
	keys := maps.Clone(old.all)
	maps.Copy(keys, current.all)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		pattern := keys[key].pattern
		d := Difference{key, old.text(key, pattern), current.text(key, pattern), costOf(pattern)}
		if d.Before != d.After {
			list = append(list, d)
		}
	}
	return list, nil
}

// values is the scalars of a configuration by their keys.
type values struct {
	rows []schema.Row // of the reference
	all  map[string]value
}

// value is a scalar, and its key in the reference.
type value struct{ text, pattern string }

// text returns the value of a key as text, or the key's default if the configuration lacks the key.
func (vs *values) text(key, pattern string) string {
	if v, ok := vs.all[key]; ok {
		return v.text
	}
	row := vs.row(pattern)
	if row == nil || row.Default == "required" || row.Default == "empty" {
		return ""
	}
	return strings.Trim(row.Default, "`")
}

// row returns the row of the reference for a key; nil if there is none.
func (vs *values) row(pattern string) *schema.Row {
	i := slices.IndexFunc(vs.rows, func(r schema.Row) bool { return r.Path == pattern })
	if i < 0 {
		return nil
	}
	return &vs.rows[i]
}

// add adds all single values within v, the value of key. pattern is the key as the reference writes it, such as
// "ports[].name".
func (vs *values) add(key, pattern string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, below := range v {
			vs.add(schema.Join(key, k), vs.below(pattern, k), below)
		}
	case map[any]any:
		for k, below := range v {
			vs.add(schema.Join(key, fmt.Sprint(k)), vs.below(pattern, fmt.Sprint(k)), below)
		}
	case []any:
		vs.addList(key, pattern, v)
	case nil:
	default:
		vs.all[key] = value{fmt.Sprint(v), pattern}
	}
}

// addList adds the single values within a list, the value of key: those of each mapping under its name, and all
// scalars together as one value.
func (vs *values) addList(key, pattern string, list []any) {
	var words []string
	for i, element := range list {
		if name := nameOf(element); name != "" {
			vs.add(key+"["+name+"]", pattern+"[]", element)
			continue
		}
		if _, ok := element.(map[string]any); ok {
			vs.add(schema.Element(key, i), pattern+"[]", element)
			continue
		}
		words = append(words, fmt.Sprint(element))
	}
	if words != nil {
		vs.all[key] = value{"[" + strings.Join(words, ", ") + "]", pattern}
	}
}

// nameKeys holds the keys that identify an element of a list, the usual ones first.
var nameKeys = [...]string{"name", "index", "port", "link", "mac"}

// nameOf returns the value of the key that identifies an element of a list, such as name or index; empty if the
// element has no such key.
func nameOf(element any) string {
	mapping, _ := element.(map[string]any)
	for _, key := range nameKeys {
		if v := mapping[key]; v != nil {
			return fmt.Sprint(v)
		}
	}
	return ""
}

// below returns how the reference writes the key named key below pattern: by this name, or as NAME in a map from
// names.
func (vs *values) below(pattern, key string) string {
	exact := schema.Join(pattern, key)
	return cmp.Or(vs.findPattern(exact), vs.findPattern(schema.Join(pattern, "NAME")), exact)
}

// findPattern returns pattern if the reference has this key or a key below it; else "".
func (vs *values) findPattern(pattern string) string {
	if slices.ContainsFunc(vs.rows, func(r schema.Row) bool {
		rest, ok := strings.CutPrefix(r.Path, pattern)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	}) {
		return pattern
	}
	return ""
}

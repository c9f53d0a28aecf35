package config

import (
	"fmt"
	"slices"
	"strings"

	"uelink/config/edit"
	"uelink/config/schema"
)

// Set returns the text of a configuration with a value at a key; comments, order and layout stay. The key is written
// as Diff writes it (ports[link0].dialect), or with points alone (ports.link0.dialect), value as in the file. name is
// the file's name for messages. It returns an error if text or the result is no right configuration, or if the
// reference does not have the key.
func Set(name string, text []byte, key, value string) ([]byte, error) {
	if _, err := Parse(name, text); err != nil {
		return nil, err
	}
	place, err := stepsTo(key)
	if err != nil {
		return nil, err
	}
	changed, err := edit.Set(text, place, value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	if _, err := Parse(name, changed); err != nil {
		return nil, err
	}
	return changed, nil
}

// stepsTo returns the steps to a key as edit.Set takes them: an element of a list is KEY=VALUE, with the key that
// identifies it.
func stepsTo(key string) (place []string, err error) {
	vs, pattern := values{rows: rootFields().Rows("")}, ""
	for step := range strings.SplitSeq(strings.NewReplacer("[", ".", "]", "").Replace(key), ".") {
		name := ""
		for _, id := range nameKeys {
			if name == "" && vs.row(pattern+"[]."+id) != nil {
				name = id
			}
		}
		if name != "" {
			place, pattern = append(place, name+"="+step), pattern+"[]"
			continue
		}
		if pattern = vs.below(pattern, step); vs.known(pattern) == "" {
			return nil, fmt.Errorf("there is no key %s: docs/CONFIGURATION.md has all keys", key)
		}
		place = append(place, step)
	}
	if vs.row(pattern) == nil || slices.ContainsFunc(vs.rows, func(r schema.Row) bool {
		return strings.HasPrefix(r.Path, pattern+".")
	}) {
		return nil, fmt.Errorf("%s is a section: name a key in it", key)
	}
	return place, nil
}

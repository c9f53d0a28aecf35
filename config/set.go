package config

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"uelink/config/edit"
	"uelink/config/schema"
)

// Set returns the texts of a configuration with a value at a key, and the changed text: its file, its old and its new
// content. Comments, order and layout stay. The key is written as Diff writes it (ports[link0].dialect), as a message
// of Parse does (ports[0].dialect), or with dots alone (ports.link0.dialect), value as in the file. A key of a port
// is set in the file that has the port. Set returns an error if the reference does not have the key, or if the changed
// texts are no valid configuration. If the texts had several mistakes before, Set accepts a change that mends one of
// them.
func (t Texts) Set(key, value string) (c Changed, err error) {
	loaded, _, refused := t.check()
	if c.File = t.File; refused == nil {
		c.File = cmp.Or(loaded.Files[portOf(key)], t.File)
	}
	t = t.clone()
	text := t.textOf(c.File)
	c.Before = *text
	if *text, err = change(*text, key, value); err != nil {
		if refused != nil {
			err = refused // the file cannot even be read, or has no such place
		}
		return Changed{}, err
	}
	_, _, c.Refused = t.check()
	if c.Refused != nil && !mends(refused, c.Refused, key) {
		return Changed{}, c.Refused
	}
	c.After = *text
	return c, nil
}

// mends reports whether a change of a key has mended one of several mistakes of a configuration: one of the mistakes
// before is gone, and none of the mistakes after is new at this key. New mistakes of other keys are allowed, because
// checks run in stages and a mistake hides those of later stages.
func mends(before, after error, key string) bool {
	if before == nil {
		return false
	}
	leaf := "." + key[strings.LastIndexAny(key, ".]")+1:] + ": " // a message names its key with this end
	left := mistakes(after)
	old := mistakes(before)
	for _, m := range left {
		if strings.Contains(m, leaf) && !slices.Contains(old, m) {
			return false
		}
	}
	return slices.ContainsFunc(old, func(m string) bool { return !slices.Contains(left, m) })
}

// position is the place of a mistake in its file, which a change of another line may move.
var position = regexp.MustCompile(`:\d+:\d+: `)

// mistakes returns the mistakes of a refused configuration, without their positions.
func mistakes(err error) (list []string) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		list = append(list, position.ReplaceAllString(line, ": "))
	}
	return list
}

// Changed is one text of a configuration before and after a change.
type Changed struct {
	File          string
	Before, After []byte
	Refused       error // mistakes that the configuration still has; it had more before
}

// portOf returns the name of the port that a key is of: link0 for ports.link0.mtu; "" for another key.
func portOf(key string) string {
	rest, ok := strings.CutPrefix(strings.NewReplacer("[", ".", "]", "").Replace(key), "ports.")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, ".")
	return name
}

// change returns the text of a configuration with the value at the key set to value. A key that the reference does not
// have, and a value that cannot be changed in place, are errors.
func change(text []byte, key, value string) ([]byte, error) {
	var document any
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	place, err := stepsTo(key, document)
	if err != nil {
		return nil, err
	}
	changed, err := edit.Set(text, place, value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return changed, nil
}

// stepsTo returns the steps to a key of a document as edit.Set takes them: an element of a list is KEY=VALUE, with the
// key that identifies it.
func stepsTo(key string, document any) (place []string, err error) {
	vs, pattern, at := values{rows: rootFields().Rows("")}, "", document
	for step := range strings.SplitSeq(strings.NewReplacer("[", ".", "]", "").Replace(key), ".") {
		step, at = nextStep(at, step)
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
		if pattern = vs.below(pattern, step); vs.findPattern(pattern) == "" {
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

// nextStep returns a step from a value of a document, with a position in a list (from 0) replaced by the name of the
// element there, and the value that the step leads to; nil if the document has none. A name that is a number, such as
// an index, goes before a position.
func nextStep(at any, step string) (name string, next any) {
	if mapping, ok := at.(map[string]any); ok {
		return step, mapping[step]
	}
	list, _ := at.([]any)
	if i := slices.IndexFunc(list, func(element any) bool { return nameOf(element) == step }); i >= 0 {
		return step, list[i]
	}
	position, err := strconv.Atoi(step)
	if err != nil || position < 0 || position >= len(list) || nameOf(list[position]) == "" || hasIndex(list[position]) {
		return step, nil
	}
	return nameOf(list[position]), list[position]
}

// hasIndex reports whether an element of a list is identified by its key index, so that a number is never a position.
func hasIndex(element any) bool {
	mapping, _ := element.(map[string]any)
	return mapping["name"] == nil && mapping["index"] != nil
}

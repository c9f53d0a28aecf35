package schema

import (
	"go.yaml.in/yaml/v4"
)

// maxMerges bounds the merge keys followed in one document: mappings that merge each other twice would double the
// work with each line, and a mapping that merges itself would never end.
const maxMerges = 1000

// maxValues bounds the values of one document after aliases and merge keys are followed.
const maxValues = MaxDocument

// Bounds of a scalar, and of the part of a key that a message quotes, in octets.
const (
	maxScalar = 4096
	maxKey    = 64
)

// maxElements is the largest number of elements of a list of mappings. A port takes 2 KiB of memory.
const maxElements = 20000

// entry is one key of a mapping.
type entry struct {
	key   string
	at    Position // of the key
	value *yaml.Node
}

// resolve returns n, or for an alias the node that the alias stands for. It returns nil after reporting a problem
// (no such anchor, or a tag).
func (w *Walk) resolve(n *yaml.Node, path string) *yaml.Node {
	at := w.positionOf(n)
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch {
	case n.Tag == unknownAnchor:
		w.Fail(at, path, "the YAML alias names an anchor that does not exist: %q", n.Value)
		return nil
	case n.Style&yaml.TaggedStyle != 0:
		w.Fail(at, path, "YAML tags are not supported")
		return nil
	}
	return n
}

// entries returns the keys of a mapping: its own, then merged keys that it does not have itself. A repeated key is
// reported as a problem. A null counts as an empty mapping; any other node is a problem, and entries returns false.
func (w *Walk) entries(n *yaml.Node, path string) ([]entry, bool) {
	if isNull(n) {
		return nil, true
	}
	if n.Kind != yaml.MappingNode {
		w.Fail(w.positionOf(n), path, "keys with values are expected here, not %s", kindOf(n))
		return nil, false
	}
	if !w.count(len(n.Content)/2, n, path) {
		return nil, false
	}
	var list []entry
	var merged []*yaml.Node
	first := map[string]Position{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if isMerge(key) {
			merged = append(merged, value)
			continue
		}
		e, ok := w.entry(key, value, path)
		if !ok {
			continue
		}
		if at, twice := first[e.key]; twice {
			w.Fail(e.at, Join(path, Printable(e.key)), "this key is already there in line %d", at.Line)
			continue
		}
		first[e.key] = e.at
		list = append(list, e)
	}
	for _, from := range merged {
		list = w.merge(list, first, from, path)
	}
	return list, true
}

// entry returns a mapping's key and value as an entry, with aliases resolved. A key that is not a scalar is
// reported as a problem, and entry returns false.
func (w *Walk) entry(key, value *yaml.Node, path string) (entry, bool) {
	at := w.positionOf(key)
	if key = w.resolve(key, path); key == nil {
		return entry{}, false
	}
	if key.Kind != yaml.ScalarNode {
		w.Fail(at, path, "a key is expected here, not %s", kindOf(key))
		return entry{}, false
	}
	return entry{key.Value, at, value}, true
}

// merge appends to list the keys of from that are not in have. from is the value of a merge key: a mapping, or a list
// of mappings.
func (w *Walk) merge(list []entry, have map[string]Position, from *yaml.Node, path string) []entry {
	if w.merges++; w.merges > maxMerges {
		if w.merges == maxMerges+1 {
			w.Fail(w.positionOf(from), path, "more than %d merge keys to follow", maxMerges)
		}
		return list
	}
	from = w.resolve(from, path)
	if from == nil {
		return list
	}
	if from.Kind == yaml.SequenceNode {
		for _, node := range from.Content {
			list = w.merge(list, have, node, path)
		}
		return list
	}
	more, _ := w.entries(from, path)
	for _, e := range more {
		if _, own := have[e.key]; !own {
			have[e.key] = e.at
			list = append(list, e)
		}
	}
	return list
}

// count adds n values of the node at path to the total and reports whether the total is within maxValues. Only
// aliases can exceed maxValues: a list of thousands may stand for thousands of lists.
func (w *Walk) count(n int, at *yaml.Node, path string) bool {
	if w.values > maxValues {
		return false
	}
	if w.values += n; w.values > maxValues {
		w.Fail(w.positionOf(at), path, "more than %d values: aliases and merge keys repeat too much", maxValues)
	}
	return w.values <= maxValues
}

// isNull reports whether a value is left out, or written as null or ~.
func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// isMerge reports whether a key is the merge key <<, without quotes.
func isMerge(key *yaml.Node) bool { return key.Kind == yaml.ScalarNode && key.Tag == "!!merge" }

// kindOf returns what a YAML node is, in words for a message, such as "a list".
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys with values"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch n.Tag {
	case "!!null":
		return "nothing"
	case "!!bool":
		return "a boolean"
	case "!!int", "!!float":
		return "a number"
	}
	return "text"
}

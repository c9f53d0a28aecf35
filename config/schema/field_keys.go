package schema

import "go.yaml.in/yaml/v4"

// Keys makes a Field: a key whose value is a mapping with keys of another document, such as the configuration of a
// program. at(t) gets the mapping as a node without aliases, merge keys and comments, nil if the key is left out.
// Repeated keys and YAML tags are reported as problems; the keys themselves are not checked.
func Keys[T any](key, meaning string, at func(*T) **yaml.Node) Field[T] {
	return Field[T]{
		Key: key, values: "keys", meaning: meaning,
		read: func(w *Walk, path string, n *yaml.Node, into *T) {
			if n.Kind != yaml.MappingNode && !isNull(n) {
				w.Fail(w.positionOf(n), path, "keys with values are expected here, not %s", kindOf(n))
				return
			}
			*at(into) = w.plain(path, n, 0)
		},
		missing: func(*Walk, string, *T) {},
		rows:    func(string) []Row { return nil },
		json:    func() *JSON { return &JSON{Type: []string{"object", "null"}} },
	}
}

// plain returns a copy of a value without aliases, merge keys and comments, and keeps the positions of all values in
// it. depth is the nesting depth of the value; its limit ends an alias inside its own anchor.
func (w *Walk) plain(path string, n *yaml.Node, depth int) *yaml.Node {
	w.seen[path] = w.positionOf(n)
	if depth > MaxDepth {
		w.FailAt(path, "more than %d lists and mappings inside each other", MaxDepth)
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
	}
	if w.copied++; w.copied > maxElements {
		if w.copied == maxElements+1 {
			w.FailAt(path, "more than %d values: aliases and merge keys repeat too much", maxElements)
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
	}
	copied := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value, Style: n.Style, Line: n.Line, Column: n.Column}
	switch n.Kind {
	case yaml.MappingNode:
		list, _ := w.entries(n, path)
		for _, e := range list {
			at := Join(path, Printable(e.key))
			if v := w.resolve(e.value, at); v != nil {
				key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: e.key}
				copied.Content = append(copied.Content, key, w.plain(at, v, depth+1))
			}
		}
	case yaml.SequenceNode:
		if !w.count(len(n.Content), n, path) {
			return copied
		}
		for i, item := range n.Content {
			at := Element(path, i)
			if item = w.resolve(item, at); item != nil {
				copied.Content = append(copied.Content, w.plain(at, item, depth+1))
			}
		}
	}
	return copied
}

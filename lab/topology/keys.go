package topology

import "go.yaml.in/yaml/v4"

// parsed returns the value that a text of YAML describes. The texts are made by this package, and valid.
func parsed(text string) *yaml.Node {
	var n yaml.Node
	if err := yaml.Load([]byte(text), &n); err != nil || len(n.Content) != 1 {
		panic("no YAML: " + text)
	}
	return n.Content[0]
}

// valueOf returns the value of a key of a mapping, nil if there is none.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	if n == nil {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// set gives a key of a mapping a value, in place of an earlier value.
func set(n *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content[i+1] = value
			return
		}
	}
	n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value)
}

// merge adds the keys of one mapping (more) to another (into), also in inner mappings. A key that both have gets the
// value of more. more may be nil.
func merge(into, more *yaml.Node) {
	if more == nil {
		return
	}
	for i := 0; i+1 < len(more.Content); i += 2 {
		key, value := more.Content[i].Value, more.Content[i+1]
		old := valueOf(into, key)
		if old != nil && old.Kind == yaml.MappingNode && value.Kind == yaml.MappingNode {
			merge(old, value)
			continue
		}
		set(into, key, value)
	}
}

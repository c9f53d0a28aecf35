package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Addition is a document whose lists continue those of another document.
type Addition struct {
	File string // for messages
	Text []byte
}

// Lists has the keys that an addition may have; each is a list of mappings. The value of a key is empty, or the key of
// a list inside an element. In the second case an element with the name of an existing element extends this inner list,
// and has no other key but name.
type Lists map[string]string

// DecodeAll fills into as Decode does, from a document with additions. A problem of an addition has its file.
func (s Section[T]) DecodeAll(data []byte, additions []Addition, lists Lists, into *T) (*Walk, bool) {
	w := newWalk()
	root := w.open(data)
	if root != nil {
		w.addAll(root, additions, lists)
		s.read(w, "", root, into)
	}
	return w, root != nil && w.more == 0
}

// Compose returns the text of a single document that is equivalent to data with the additions, which must be valid:
// DecodeAll has found no problem. Without additions it is data itself.
func Compose(data []byte, additions []Addition, lists Lists) ([]byte, error) {
	if len(additions) == 0 {
		return data, nil
	}
	w := newWalk()
	root := w.open(data)
	if root != nil {
		w.addAll(root, additions, lists)
	}
	if err := w.Err("configuration"); err != nil {
		return nil, err
	}
	text, err := yaml.Dump(root, yaml.WithIndent(2), yaml.WithLineWidth(-1), yaml.WithUnicode(true))
	if err == nil && len(text) > MaxDocument {
		err = fmt.Errorf("all files together have more than %d octets", MaxDocument)
	}
	return text, err
}

// addAll appends the lists of all additions to those of the document with this root.
func (w *Walk) addAll(root *yaml.Node, additions []Addition, lists Lists) {
	for _, a := range additions {
		w.opening = a.File
		added := w.open(a.Text)
		if added != nil {
			w.own(added, a.File)
			w.add(root, added, lists)
		}
		w.opening = ""
	}
}

// own records the file of a node and of all nodes in it, and refuses anchors: their names could be those of another
// file.
func (w *Walk) own(n *yaml.Node, file string) {
	w.files[n] = file
	if n.Anchor != "" || n.Kind == yaml.AliasNode {
		w.Fail(w.positionOf(n), "", "a file beside the configuration must not have anchors or aliases")
	}
	for _, inner := range n.Content {
		w.own(inner, file)
	}
}

// add appends the lists of an addition, whose root is added, to those of the document with this root. A key that is not
// among lists, and a value that is no list, are reported as problems.
func (w *Walk) add(root, added *yaml.Node, lists Lists) {
	if added.Kind != yaml.MappingNode || root.Kind != yaml.MappingNode {
		w.Fail(w.positionOf(added), "", "keys with values are expected here, not %s", kindOf(added))
		return
	}
	for i := 0; i+1 < len(added.Content); i += 2 {
		key, list := added.Content[i], added.Content[i+1]
		inner, allowed := lists[key.Value]
		switch {
		case !allowed:
			w.Fail(w.positionOf(key), Printable(key.Value), "a file beside the configuration may have only the keys %s",
				strings.Join(slices.Sorted(maps.Keys(lists)), ", "))
		case isNull(list):
		case list.Kind != yaml.SequenceNode:
			w.Fail(w.positionOf(list), key.Value, "a list is expected here, not %s", kindOf(list))
		default:
			w.continueList(listIn(root, key), list.Content, key.Value, inner)
		}
	}
}

// listIn returns the list with a key in the root of a document; an empty new one if there is none. A list that is an
// alias becomes one of its own. A value that is no list is returned, too: reading it reports a problem.
func listIn(root, key *yaml.Node) *yaml.Node {
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != key.Value {
			continue
		}
		list := root.Content[i+1]
		switch {
		case isNull(list):
			list = &yaml.Node{Kind: yaml.SequenceNode, Line: list.Line, Column: list.Column}
		case list.Kind == yaml.AliasNode && list.Alias.Kind == yaml.SequenceNode:
			list = &yaml.Node{Kind: yaml.SequenceNode, Line: list.Line, Column: list.Column,
				Content: slices.Clone(list.Alias.Content)}
		}
		root.Content[i+1] = list
		return list
	}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	name := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key.Value}
	root.Content = append(root.Content, name, list)
	return list
}

// continueList appends elements to a list of the document. If inner is not empty, an element with the name of an
// existing element extends the list under the key inner of that element instead.
func (w *Walk) continueList(list *yaml.Node, elements []*yaml.Node, key, inner string) {
	if list.Kind != yaml.SequenceNode {
		return
	}
	list.Style &^= yaml.FlowStyle
	for _, element := range elements {
		existing := named(list.Content, nameIn(element))
		if inner == "" || existing == nil {
			list.Content = append(list.Content, element)
			continue
		}
		for i := 0; i+1 < len(element.Content); i += 2 {
			name, value := element.Content[i], element.Content[i+1]
			switch {
			case name.Value == inner && value.Kind == yaml.SequenceNode:
				w.continueList(listIn(existing, name), value.Content, inner, "")
			case name.Value != "name":
				w.Fail(w.positionOf(name), key, "%s %q exists already (%s): this file can add only %s to the existing element", key,
					nameIn(element), w.positionOf(existing), inner)
			}
		}
	}
}

// nameIn returns the value of the key name of a mapping; "" if it has none.
func nameIn(n *yaml.Node) string {
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == "name" {
				return n.Content[i+1].Value
			}
		}
	}
	return ""
}

// named returns the mapping with a name in a list; nil if there is none.
func named(list []*yaml.Node, name string) *yaml.Node {
	i := slices.IndexFunc(list, func(n *yaml.Node) bool { return name != "" && nameIn(n) == name })
	if i < 0 {
		return nil
	}
	return list[i]
}

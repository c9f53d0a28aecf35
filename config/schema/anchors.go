package schema

import (
	"go.yaml.in/yaml/v4"
)

// unknownAnchor is the tag of the node that an alias without an anchor stands for. A document cannot give it to a node:
// a tag of its own begins with '!'.
const unknownAnchor = "unknown anchor"

// anchors holds the anchors of a document while it is parsed. Unlike the parser's own, it lets the parser go on where
// there is no anchor for an alias, so that all problems of a document are found at once.
type anchors struct {
	*Walk
	defined map[string]*yaml.Node
}

// NewAliasDataContext returns the anchors of one stream of documents.
func (w *Walk) NewAliasDataContext(yaml.AliasDataServices) (yaml.AliasDataContext, error) {
	return &anchors{Walk: w, defined: map[string]*yaml.Node{}}, nil
}

// BeginDocument forgets nothing: a second document is refused in any case.
func (*anchors) BeginDocument() error { return nil }

// EndDocument forgets nothing.
func (*anchors) EndDocument() error { return nil }

// DefineAnchor refuses an anchor that is there twice: YAML lets the later one win, which hides a mistake.
func (a *anchors) DefineAnchor(name string, n *yaml.Node) error {
	if a.defined[name] != nil {
		a.Fail(positionOf(n), "", "anchor %q is there twice", name)
	}
	a.defined[name] = n
	return nil
}

// ResolveAlias returns the node that an alias stands for. resolve reports those for which there is none, where they are
// used.
func (a *anchors) ResolveAlias(name string) (n *yaml.Node, found bool, err error) {
	if n = a.defined[name]; n == nil {
		n = &yaml.Node{Kind: yaml.ScalarNode, Tag: unknownAnchor, Value: name}
	}
	return n, true, nil
}

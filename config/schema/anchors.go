package schema

import (
	"go.yaml.in/yaml/v4"
)

// unknownAnchor is the tag of the node that stands for an alias without an anchor. No document can give a node this
// tag: tags in a document begin with '!'.
const unknownAnchor = "unknown anchor"

// anchors holds the anchors of a document while it is parsed. The parser's own table of anchors stops at an alias
// without an anchor; this one lets the parser go on, so that all problems of a document are found at once.
type anchors struct {
	*Walk
	defined map[string]*yaml.Node
}

// NewAliasDataContext returns an empty table of anchors for a stream of YAML documents; the parser calls it.
func (w *Walk) NewAliasDataContext(yaml.AliasDataServices) (yaml.AliasDataContext, error) {
	return &anchors{Walk: w, defined: map[string]*yaml.Node{}}, nil
}

// BeginDocument keeps the anchors of the previous document: a second document is refused anyway.
func (*anchors) BeginDocument() error { return nil }

// EndDocument does nothing; the parser calls it at the end of a document.
func (*anchors) EndDocument() error { return nil }

// DefineAnchor records an anchor, and reports a second anchor of the same name: in YAML the later one wins, which
// hides a mistake.
func (a *anchors) DefineAnchor(name string, n *yaml.Node) error {
	if a.defined[name] != nil {
		a.Fail(a.positionOf(n), "", "anchor %q is there twice", name)
	}
	a.defined[name] = n
	return nil
}

// ResolveAlias returns the node with the anchor name, or a node tagged unknownAnchor. Walk.resolve reports the latter
// where the alias is used.
func (a *anchors) ResolveAlias(name string) (n *yaml.Node, found bool, err error) {
	if n = a.defined[name]; n == nil {
		n = &yaml.Node{Kind: yaml.ScalarNode, Tag: unknownAnchor, Value: name}
	}
	return n, true, nil
}

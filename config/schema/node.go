package schema

import (
	"github.com/goccy/go-yaml/ast"
)

// maxMerges bounds the merge keys that one document may follow: mappings that
// merge each other twice would otherwise double the work with each line, and one
// that merges itself would never end.
const maxMerges = 1000

// entry is one key of a mapping.
type entry struct {
	key   string
	at    Position // of the key
	value ast.Node
}

// anchorsOf notes the anchors of a document for a walk.
type anchorsOf struct{ *Walk }

// Visit is a step of ast.Walk.
func (w anchorsOf) Visit(n ast.Node) ast.Visitor {
	if a, ok := n.(*ast.AnchorNode); ok {
		name := a.Name.GetToken().Value
		if _, taken := w.anchors[name]; taken {
			w.Fail(positionOf(a.GetToken()), "", "anchor %q is there twice", name)
		}
		w.anchors[name] = a.Value
	}
	return w
}

// resolve is the node that n stands for, through anchors and aliases; nil after
// it reported a problem.
func (w *Walk) resolve(n ast.Node, path string) ast.Node {
	switch v := n.(type) {
	case *ast.AnchorNode:
		return w.plain(v.Value, path)
	case *ast.AliasNode:
		name := v.Value.GetToken().Value
		if target, ok := w.anchors[name]; ok {
			return w.plain(target, path)
		}
		w.Fail(positionOf(v.GetToken()), path, "there is no anchor %q", name)
		return nil
	}
	return w.plain(n, path)
}

// plain refuses what cannot be decoded: tags, and aliases of aliases.
func (w *Walk) plain(n ast.Node, path string) ast.Node {
	switch n.(type) {
	case nil:
		return nil
	case *ast.TagNode, *ast.AnchorNode, *ast.AliasNode:
		w.Fail(positionOf(n.GetToken()), path, "%s is not understood here", kindOf(n))
		return nil
	}
	return n
}

// entries lists the keys of a mapping: its own, then those that it merges and
// does not have. A key that is there twice is reported, and so, with false, is
// anything but a mapping; nothing at all counts as an empty one.
func (w *Walk) entries(n ast.Node, path string) ([]entry, bool) {
	if n.Type() == ast.NullType {
		return nil, true
	}
	m, ok := n.(ast.MapNode)
	if !ok {
		w.Fail(start(n), path, "keys with values are expected here, not %s", kindOf(n))
		return nil, false
	}
	var list []entry
	var merged []ast.Node
	first := map[string]Position{}
	for it := m.MapRange(); it.Next(); {
		if it.Key().IsMergeKey() {
			merged = append(merged, it.Value())
			continue
		}
		e := entry{keyText(it.Key()), positionOf(it.Key().GetToken()), it.Value()}
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

// merge appends to list what the value of a merge key, a mapping or a list of
// mappings, adds to it.
func (w *Walk) merge(list []entry, have map[string]Position, from ast.Node, path string) []entry {
	if w.merges++; w.merges > maxMerges {
		if w.merges == maxMerges+1 {
			w.Fail(start(from), path, "more than %d merge keys to follow", maxMerges)
		}
		return list
	}
	from = w.resolve(from, path)
	if from == nil {
		return list
	}
	if seq, ok := from.(*ast.SequenceNode); ok {
		for _, one := range seq.Values {
			list = w.merge(list, have, one, path)
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

// keyText is a key as text, without its quotes.
func keyText(k ast.MapKeyNode) string {
	if s, ok := k.(*ast.StringNode); ok {
		return s.Value
	}
	return k.GetToken().Value
}

// kindOf names what a node is to whoever wrote it.
func kindOf(n ast.Node) string {
	switch n.(type) {
	case ast.MapNode:
		return "keys with values"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "nothing"
	case *ast.TagNode:
		return "a tag"
	case *ast.AnchorNode:
		return "an anchor"
	case *ast.AliasNode:
		return "an alias"
	case *ast.BoolNode:
		return "a boolean"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	}
	return "text"
}

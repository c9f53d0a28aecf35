// Package edit sets single values in the text of a YAML document, and leaves every other octet of it as it is:
// comments, order and layout stay.
package edit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Set sets the scalar at a place in the text of a YAML document to value, which is written literally, and returns the
// new text. A step of place is a key, or KEY=VALUE for the element of a list whose KEY has this VALUE. Missing keys
// and elements are added. The root of the document must be a mapping. It returns an error if the place leads through
// an alias, an anchor, a null, or a value of another kind than the step needs, which cannot be changed alone.
func Set(text []byte, place []string, value string) ([]byte, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	if len(document.Content) != 1 {
		return nil, errors.New("the document has no content")
	}
	at := document.Content[0]
	for i, step := range place {
		if err := editable(at); err != nil {
			return nil, fmt.Errorf("%s: %w", strings.Join(place[:i], "."), err)
		}
		next := child(at, step)
		if next == nil {
			return insert(text, at, i == 0, place[i:], value)
		}
		at = next
	}
	return replace(text, at, value)
}

// editable returns an error if node n cannot be changed alone: it is an alias, has an anchor, or is no mapping or
// list.
func editable(n *yaml.Node) error {
	switch {
	case n.Kind == yaml.AliasNode:
		return fmt.Errorf("the value is the alias *%s: edit the file by hand", n.Value)
	case n.Anchor != "":
		return fmt.Errorf("the value has the anchor &%s, so other places use it, too: edit the file by hand", n.Anchor)
	case n.Kind != yaml.MappingNode && n.Kind != yaml.SequenceNode:
		return errors.New("the value has no keys")
	}
	return nil
}

// child returns the node that a step of a place leads to: the value of a key of mapping n, or for KEY=VALUE an
// element of list n; nil if there is none.
func child(n *yaml.Node, step string) *yaml.Node {
	if n.Kind == yaml.SequenceNode {
		key, value, _ := strings.Cut(step, "=")
		i := slices.IndexFunc(n.Content, func(element *yaml.Node) bool {
			found := element.Kind == yaml.MappingNode
			if found {
				v := child(element, key)
				found = v != nil && v.Value == value
			}
			return found
		})
		if i < 0 {
			return nil
		}
		return n.Content[i]
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == step {
			return n.Content[i+1]
		}
	}
	return nil
}

// replace replaces the text of n, a scalar or a list of plain scalars between brackets, by value, and returns the new
// text.
func replace(text []byte, n *yaml.Node, value string) ([]byte, error) {
	list := isPlainList(n)
	if n.Kind != yaml.ScalarNode && !list || n.Anchor != "" {
		return nil, fmt.Errorf("the value in line %d has an anchor, is an alias, or is neither a scalar nor a list of plain "+
			"scalars in brackets: edit the file by hand", n.Line)
	}
	begin := offset(text, n)
	length := 0
	if list {
		length = listLength(text[begin:])
	} else {
		length = scalarLength(text[begin:], n)
	}
	if length == 0 {
		return nil, unsupported(n)
	}
	return slices.Concat(text[:begin], []byte(value), text[begin+length:]), nil
}

// unsupported returns the error of a value that cannot be replaced or extended in the text, such as a text of several
// lines.
func unsupported(n *yaml.Node) error {
	return fmt.Errorf("the value in line %d has a YAML form that cannot be changed in place: edit the file by hand",
		n.Line)
}

// isPlainList reports whether n is a list between brackets, of scalars without quotes.
func isPlainList(n *yaml.Node) bool {
	return n.Kind == yaml.SequenceNode && n.Style&yaml.FlowStyle != 0 &&
		!slices.ContainsFunc(n.Content, func(e *yaml.Node) bool {
			quoted := yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle
			return e.Kind != yaml.ScalarNode || e.Style&quoted != 0 || e.Anchor != ""
		})
}

// listLength returns the length, with brackets, of a list of plain scalars at the beginning of text; 0 if a comment may
// stand in it.
func listLength(text []byte) int {
	end := bytes.IndexByte(text, ']')
	if end < 0 || bytes.IndexByte(text[:end], '#') >= 0 {
		return 0
	}
	return end + 1
}

// scalarLength returns the length, with quotes, of scalar n at the beginning of text; 0 if the scalar is not there as
// a single line.
func scalarLength(text []byte, n *yaml.Node) int {
	length := len(n.Value)
	switch {
	case n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		quote := text[0]
		for length = 1; length < len(text) && text[length] != '\n'; length++ {
			switch {
			case quote == '"' && text[length] == '\\':
				length++
			case text[length] == quote && quote == '\'' && length+1 < len(text) && text[length+1] == quote:
				length++
			case text[length] == quote:
				return length + 1
			}
		}
		return 0
	case length > len(text) || string(text[:length]) != n.Value:
		return 0
	}
	return length
}

// insert adds value to mapping or list n of the document, under the keys steps, of which n lacks the first, and returns
// the new text. The new entry goes in front of the first key, but behind a first key that is a name or begins the
// document (root).
func insert(text []byte, n *yaml.Node, root bool, steps []string, value string) ([]byte, error) {
	entry := mapping(steps, value)
	if n.Kind == yaml.SequenceNode {
		entry = flow(steps, value)
		entry = entry[1 : len(entry)-1] // without the brackets: the list exists already
	}
	next := 0 // index of the node in front of which the entry goes
	if n.Kind == yaml.MappingNode && len(n.Content) > 2 && (root || isName(n.Content[0].Value)) {
		next = 2
	}
	if n.Style&yaml.FlowStyle != 0 {
		return insertFlow(text, n, next, entry)
	}
	if len(n.Content) == 0 {
		return nil, unsupported(n)
	}
	if n.Kind == yaml.SequenceNode {
		entry = "- " + entry
		return insertLine(text, offset(text, n), entry), nil // at the first dash, not at the first element
	}
	return insertLine(text, offset(text, n.Content[next]), entry), nil
}

// isName reports whether a key identifies the mapping it is in (name, index, port), and therefore stands first.
func isName(key string) bool { return slices.Contains([]string{"name", "index", "port"}, key) }

// insertLine inserts a line above the key or the dash at an offset, with the same indentation and above its comments,
// and returns the new text.
func insertLine(text []byte, at int, line string) []byte {
	begin := lineStart(text, at)
	indent := text[begin:at]
	if len(bytes.TrimSpace(indent)) > 0 { // behind the dash of a list
		column := strings.Repeat(" ", utf8.RuneCount(indent))
		return slices.Concat(text[:at], []byte(line+"\n"+column), text[at:])
	}
	above := headOf(text, begin)
	return slices.Concat(text[:above], indent, []byte(line+"\n"), text[above:])
}

// insertFlow inserts an entry into n, a mapping in braces or a list in brackets, in front of the node at index next
// of its content, and returns the new text.
func insertFlow(text []byte, n *yaml.Node, next int, entry string) ([]byte, error) {
	at := offset(text, n)
	if at >= len(text) || text[at] != '{' && text[at] != '[' {
		return nil, unsupported(n)
	}
	if at++; len(n.Content) > 0 {
		at, entry = offset(text, n.Content[next]), entry+", "
	}
	return slices.Concat(text[:at], []byte(entry), text[at:]), nil
}

// headOf returns the offset where the comments and empty lines directly above a line begin; begin is the offset of
// the line.
func headOf(text []byte, begin int) int {
	for begin > 0 {
		above := lineStart(text, begin-1)
		if line := bytes.TrimSpace(text[above : begin-1]); len(line) > 0 && line[0] != '#' {
			return begin
		}
		begin = above
	}
	return begin
}

// mapping returns the YAML text, in one line, of a mapping's entry that leads by steps, the first of which is its
// key, to value.
func mapping(steps []string, value string) string {
	return steps[0] + ": " + flow(steps[1:], value)
}

// flow returns the YAML text, in one line, of nested mappings and lists that lead by steps to value.
func flow(steps []string, value string) string {
	if len(steps) == 0 {
		return value
	}
	key, id, element := strings.Cut(steps[0], "=")
	if !element {
		return "{" + mapping(steps, value) + "}"
	}
	if len(steps) == 1 {
		return "[{" + key + ": " + id + "}]"
	}
	return "[{" + key + ": " + id + ", " + mapping(steps[1:], value) + "}]"
}

// offset returns the offset of node n in the text, in octets. The node's column counts characters.
func offset(text []byte, n *yaml.Node) int {
	at := 0
	for range n.Line - 1 {
		at += bytes.IndexByte(text[at:], '\n') + 1
	}
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	return at
}

// lineStart returns the offset of the first octet of the line that contains an offset.
func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// Bounds of a document. The parser's time and memory grow with the length of a document only: the worst document
// found takes 0.45 GB and 0.6 s. A configuration of 2,000 ports on a thousand links has 370 kB.
const (
	MaxDocument = 512 << 10 // octets
	MaxDepth    = 32        // lists and mappings inside each other; a configuration has 8
)

// open parses data and returns the root of its only document. It returns nil after reporting a problem that prevents
// reading: data too long, not UTF-8, no YAML, or not exactly one document.
func (w *Walk) open(data []byte) *yaml.Node {
	if len(data) > MaxDocument {
		w.Fail(Position{}, "", "longer than the %d octets that a configuration may have", MaxDocument)
		return nil
	}
	if !w.isText(data) {
		return nil
	}
	documents, err := w.parse(data)
	if err != nil {
		w.syntax(data, err)
		return nil
	}
	return w.only(documents)
}

// isText reports whether data is UTF-8. If it is not, the position of the first wrong octet is recorded as a
// problem.
func (w *Walk) isText(data []byte) bool {
	for at, rest := 0, data; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 {
			line := data[bytes.LastIndexByte(data[:at], '\n')+1 : at]
			p := Position{Line: 1 + bytes.Count(data[:at], []byte("\n")), Column: 1 + utf8.RuneCount(line)}
			w.Fail(p, "", "octet 0x%02X is not UTF-8: save the file as UTF-8 text", rest[0])
			return false
		}
		at, rest = at+size, rest[size:]
	}
	return true
}

// parse returns the first two documents of data, enough to see that there is more than one. A panic of the parser is
// returned as an error.
func (w *Walk) parse(data []byte) (documents []*yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the YAML parser has failed: %v", p)
		}
	}()
	limits := loaderlimits.New(loaderlimits.DepthFunc(checkDepth))
	loader, err := yaml.NewLoader(bytes.NewReader(data), yaml.WithV4Defaults(), yaml.WithPlugin(limits, w))
	for err == nil && len(documents) < 2 {
		var document yaml.Node
		if err = loader.Load(&document); err == nil {
			documents = append(documents, &document)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return documents, err
}

var errTooDeep = fmt.Errorf("more than %d lists and mappings inside each other", MaxDepth)

// checkDepth returns an error if depth is more than MaxDepth levels of nesting. The parser calls it before it
// descends.
func checkDepth(depth int, _ *loaderlimits.DepthContext) error {
	if depth > MaxDepth {
		return errTooDeep
	}
	return nil
}

// only returns the root of the only document with content. A second document, or none, is reported as a problem.
func (w *Walk) only(documents []*yaml.Node) *yaml.Node {
	var root *yaml.Node
	for _, document := range documents {
		if len(document.Content) == 0 || isNull(document.Content[0]) && root == nil {
			continue
		}
		if root != nil {
			w.Fail(w.positionOf(document.Content[0]), "", "a second document: only one is expected")
			return nil
		}
		root = document.Content[0]
	}
	if root == nil {
		w.Fail(Position{}, "", "the file has no content")
	}
	return root
}

// syntax reports an error of the YAML parser as a problem, at the position in data that the parser gave, if any.
func (w *Walk) syntax(data []byte, err error) {
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		w.Fail(Position{}, "", "%s", oneLine(err.Error()))
		return
	}
	at := Position{Line: max(e.Mark.Line, 1), Column: max(e.Mark.Column, 1)}
	switch {
	case octetAt(data, at) == '\t':
		w.Fail(at, "", "a tab stands here: indent with blanks")
	case e.ContextMsg != "" && e.Message != errTooDeep.Error(): // the ContextMsg of errTooDeep is about counting levels
		w.Fail(at, "", "%s: %s", e.ContextMsg, oneLine(e.Message))
	default:
		w.Fail(at, "", "%s", oneLine(e.Message))
	}
}

// octetAt returns the octet of data at a line and column, in a line of ASCII octets, or 0 where the text has no
// such position.
func octetAt(data []byte, at Position) byte {
	lines := bytes.SplitN(data, []byte("\n"), at.Line+1)
	if len(lines) < at.Line || len(lines[at.Line-1]) < at.Column {
		return 0
	}
	return lines[at.Line-1][at.Column-1]
}

// oneLine returns a message of the YAML parser without line breaks and tabs, which quoted text may have.
func oneLine(s string) string {
	return strings.NewReplacer("\n", " ", "\r", " ", "\t", `\t`).Replace(s)
}

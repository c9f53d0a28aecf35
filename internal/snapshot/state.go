package snapshot

import (
	"bytes"
	"fmt"
	"strings"
)

// State is a state on its way out of a machine or into a machine. Its methods, and the functions of this package for
// generic types, pass one field in the direction of the State. After the first error they set every field to zero.
type State struct {
	restoring bool
	text      []byte   // saving: written so far; restoring: not read yet
	groups    []string // the groups around the present field
	absent    bool     // restoring: the present group is missing in the text
	err       error    // restoring: the first error
}

// Restoring reports whether the state is being restored into the machine, not saved. After restoring, a machine must
// compute the fields that it does not save.
func (s *State) Restoring() bool { return s.restoring }

// Valid reports whether no error has occurred so far in saving or restoring. A machine calls it before it computes
// anything from restored fields.
func (s *State) Valid() bool { return s.err == nil }

// Check makes the snapshot invalid, with the given message, if ok is false while restoring. While saving it has no
// effect.
func (s *State) Check(ok bool, format string, args ...any) {
	if s.restoring && !ok {
		s.fail(ErrInvalid, "", fmt.Sprintf(format, args...))
	}
}

// fail records an error by its cause, with the path of the present group and field name, and the text detail, unless an
// earlier error is recorded already.
func (s *State) fail(cause error, name, detail string) {
	if s.err != nil {
		return
	}
	path := s.groups
	if name != "" {
		path = append(path[:len(path):len(path)], name)
	}
	s.err = cause
	if at := strings.Join(path, "."); at != "" {
		s.err = fmt.Errorf("%s: %w", at, cause)
	}
	if detail != "" {
		s.err = fmt.Errorf("%w: %s", s.err, detail)
	}
}

// Group saves or restores several fields of a machine under one name: fields is called to save or restore each of them.
// A snapshot leaves out a group in which all fields are zero; a group missing in the text is restored as zeros.
func (s *State) Group(name string, fields func(*State)) {
	if !s.restoring {
		s.writeGroup(name, fields)
		return
	}
	outer := s.absent
	value, ok := s.take(name)
	if ok && string(value) != "{" {
		s.fail(ErrInvalid, name, "the value must be a group of fields in braces")
	}
	s.absent = !ok
	s.groups = append(s.groups, name)
	fields(s)
	if ok && s.err == nil {
		s.endGroup()
	}
	s.groups = s.groups[:len(s.groups)-1]
	s.absent = outer
}

// writeGroup writes a group of fields under a name by calling fields, and nothing if all these fields are zero.
func (s *State) writeGroup(name string, fields func(*State)) {
	before := len(s.text)
	s.put(name, "{")
	empty := len(s.text)
	s.groups = append(s.groups, name)
	fields(s)
	s.groups = s.groups[:len(s.groups)-1]
	if len(s.text) == empty {
		s.text = s.text[:before]
		return
	}
	s.indent()
	s.text = append(s.text, "}\n"...)
}

// endGroup reads the line that ends a group while restoring. Any other line is a field unknown to the machine, which
// is an error.
func (s *State) endGroup() {
	line, length := s.line()
	if string(line) != "}" {
		s.fail(ErrUnknown, s.name(), "")
		return
	}
	s.text = s.text[length:]
}

// line returns the next line without its indentation, and its length in the text.
func (s *State) line() (line []byte, length int) {
	end := bytes.IndexByte(s.text, '\n')
	if end < 0 {
		return s.text, len(s.text)
	}
	return bytes.TrimLeft(s.text[:end], " "), end + 1
}

// name returns the name at the beginning of the next line.
func (s *State) name() string {
	line, _ := s.line()
	name, _, _ := bytes.Cut(line, []byte(" "))
	return string(name)
}

// take removes the line of a field and returns its value; ok is false if the next line is of another field, the present
// group is missing, or an error has occurred.
func (s *State) take(name string) (value []byte, ok bool) {
	if s.absent || s.err != nil {
		return nil, false
	}
	line, length := s.line()
	n := len(name)
	if len(line) <= n || string(line[:n]) != name || line[n] != ' ' {
		return nil, false
	}
	s.text = s.text[length:]
	return line[n+1:], true
}

// put writes a line of the snapshot: name and value of a field.
func (s *State) put(name, value string) {
	s.begin(name)
	s.text = append(append(s.text, value...), '\n')
}

// begin begins a line of the snapshot with the indented name of a field, whose value must follow.
func (s *State) begin(name string) {
	s.indent()
	s.text = append(append(s.text, name...), ' ')
}

// indent begins a line with two blanks for each group around it.
func (s *State) indent() {
	for range s.groups {
		s.text = append(s.text, "  "...)
	}
}

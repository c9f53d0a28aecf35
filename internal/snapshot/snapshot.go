package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
)

// Version is the version of the format. A change that older readers misread needs another version.
const Version = 1

// Errors of Restore. Errors about a field name the field.
var (
	ErrDamaged = errors.New("the saved state is damaged")                        // cut short, or a wrong checksum
	ErrVersion = errors.New("unknown format of the saved state")                 // another version of the format
	ErrKind    = errors.New("the saved state belongs to another kind of object") // the kind differs
	ErrUnknown = errors.New("unknown field of a newer version")                  // a field that the machine lacks
	ErrInvalid = errors.New("invalid value")                                     // one that the machine cannot have
)

// Machine is an object with a state.
type Machine interface {
	// PassState passes each field of the state to s, which reads or sets the field.
	PassState(s *State)
}

// magic begins every saved state.
const magic = "uelink-state"

// Save returns a snapshot: the state of machine m as text. kind, one word, says what kind of machine it is, and
// Restore compares it.
func Save(kind string, m Machine) []byte {
	s := State{text: fmt.Appendf(nil, "%s %d %s\n", magic, Version, kind)}
	m.PassState(&s)
	return fmt.Appendf(s.text, "end %d %08x\n", len(s.text), crc32.ChecksumIEEE(s.text))
}

// Restore sets the fields of a new machine to a state that Save has returned for a machine of the same kind. The
// errors wrap ErrDamaged, ErrVersion, ErrKind, ErrUnknown or ErrInvalid. After an error the machine is in no valid
// state.
func Restore(kind string, state []byte, m Machine) error {
	rest, err := body(kind, state)
	if err != nil {
		return fmt.Errorf("restore %s: %w", kind, err)
	}
	s := State{restoring: true, text: rest}
	m.PassState(&s)
	if s.err == nil && len(s.text) > 0 {
		s.fail(ErrUnknown, s.name(), "")
	}
	if s.err != nil {
		return fmt.Errorf("restore %s: %w", kind, s.err)
	}
	return nil
}

// body checks the first and the last line of a state and returns the lines in between. The error wraps ErrDamaged,
// ErrVersion or ErrKind.
func body(kind string, state []byte) ([]byte, error) {
	head, rest, _ := bytes.Cut(state, []byte("\n"))
	var first string
	var version int
	var savedKind string
	if n, _ := fmt.Sscanf(string(head), "%s %d %s", &first, &version, &savedKind); n < 2 || first != magic {
		return nil, fmt.Errorf("%w: the text does not begin with %q", ErrDamaged, magic)
	}
	if version != Version {
		return nil, fmt.Errorf("%w: version %d, and this program reads version %d", ErrVersion, version, Version)
	}
	last := bytes.LastIndexByte(bytes.TrimSuffix(state, []byte("\n")), '\n') + 1
	if want := fmt.Sprintf("end %d %08x\n", last, crc32.ChecksumIEEE(state[:last])); string(state[last:]) != want {
		return nil, fmt.Errorf("%w: the last line is %.40q, and must be %q", ErrDamaged, state[last:], want)
	}
	if savedKind != kind {
		return nil, fmt.Errorf("%w: %q", ErrKind, savedKind)
	}
	return rest[:len(rest)-(len(state)-last)], nil
}

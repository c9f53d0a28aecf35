// Package printable takes from text what controls a terminal: texts of strangers are printed with those of uelink.
package printable

import (
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// Append appends text to dst and returns the result. Control characters other than tab and line feed, and characters
// that change the direction of text, are written as \uXXXX; octets that are not UTF-8 as U+FFFD. JSON text keeps its
// meaning.
func Append(dst, text []byte) []byte {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			dst = utf8.AppendRune(dst, utf8.RuneError)
		case r == '\t' || r == '\n':
			dst = append(dst, byte(r))
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			dst = fmt.Appendf(dst, "\\u%04x", r)
		default:
			dst = append(dst, text[:n]...)
		}
		text = text[n:]
	}
	return dst
}

// Writer writes text to To as Append has it. The zero value with To set is ready; Close writes what waits.
type Writer struct {
	To   io.Writer
	rest []byte // the beginning of a character whose end has not been written
}

// Write writes text to the underlying writer with control characters escaped, as by Append. If text ends within a
// UTF-8 character, that character's octets are kept for the next Write.
func (w *Writer) Write(text []byte) (int, error) {
	whole := append(w.rest, text...)
	n := cut(whole)
	w.rest = append([]byte(nil), whole[n:]...)
	if _, err := w.To.Write(Append(nil, whole[:n])); err != nil {
		return 0, err
	}
	return len(text), nil
}

// cut returns the length of text in octets without a UTF-8 character that is incomplete at its end.
func cut(text []byte) int {
	for back := 1; back <= min(utf8.UTFMax-1, len(text)); back++ {
		if at := len(text) - back; utf8.RuneStart(text[at]) {
			if utf8.FullRune(text[at:]) {
				break
			}
			return at
		}
	}
	return len(text)
}

// Close writes the octets of an incomplete UTF-8 character that the last Write has kept. It does not close the
// underlying writer.
func (w *Writer) Close() error {
	rest := w.rest
	w.rest = nil
	if len(rest) == 0 {
		return nil
	}
	_, err := w.To.Write(Append(nil, rest))
	return err
}

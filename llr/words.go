package llr

import "fmt"

// MarshalText returns String.
func (s TxState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the text of String.
func (s *TxState) UnmarshalText(text []byte) error { return parse(text, s, TxOff, TxFlush) }

// MarshalText returns String.
func (s RxState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the text of String.
func (s *RxState) UnmarshalText(text []byte) error { return parse(text, s, RxOff, RxNackSent) }

// parse sets a state to that value from first to last whose String is text; any other text is an error.
func parse[S interface {
	~uint8
	fmt.Stringer
}](text []byte, into *S, first, last S) error {
	for s := first; s <= last; s++ {
		if s.String() == string(text) {
			*into = s
			return nil
		}
	}
	return fmt.Errorf("%q is no %T", text, first)
}

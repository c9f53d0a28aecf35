package llr

import "fmt"

// MarshalText returns SAI's name of the transmitter's state, such as ADVANCE, as octets. The error is always nil.
func (s TxState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText sets the transmitter's state from SAI's name, such as ADVANCE. Any other text is an error.
func (s *TxState) UnmarshalText(text []byte) error { return parse(text, s, TxOff, TxFlush) }

// MarshalText returns SAI's name of the receiver's state, such as SEND_ACKS, as octets. The error is always nil.
func (s RxState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText sets the receiver's state from SAI's name, such as SEND_ACKS. Any other text is an error.
func (s *RxState) UnmarshalText(text []byte) error { return parse(text, s, RxOff, RxNackSent) }

// MarshalText returns the name of the kind of replay in the configuration, such as go_back_n. The error is always nil.
func (k ReplayKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText sets the kind of replay from its name in the configuration. Any other text is an error.
func (k *ReplayKind) UnmarshalText(text []byte) error { return parse(text, k, GoBackN, Selective) }

// parse sets *into to the value from first to last whose String is text; any other text is an error.
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

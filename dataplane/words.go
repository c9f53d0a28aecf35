package dataplane

import (
	"fmt"
	"net"

	"uelink/wire"
)

// UnmarshalText parses the text of String.
func (m *LLRMode) UnmarshalText(text []byte) error { return parse(text, m, LLROff, LLRDynamic) }

// UnmarshalText parses the text of String.
func (e *Encapsulation) UnmarshalText(text []byte) error {
	return parse(text, e, Transparent, Addressed)
}

// parse sets a value to the word of first to last whose String is text.
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

// Address is the MAC address of a station; the zero value is no station.
type Address wire.MAC

// String returns the address as "02:00:00:00:00:01"; "" for the zero value.
func (a Address) String() string {
	if a == (Address{}) {
		return ""
	}
	return net.HardwareAddr(a[:]).String()
}

// MarshalText returns String.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText parses the text of String; empty text is no station.
func (a *Address) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*a = Address{}
		return nil
	}
	mac, err := net.ParseMAC(string(text))
	if err != nil || len(mac) != len(a) {
		return fmt.Errorf("%q is no MAC address", text)
	}
	copy(a[:], mac)
	return nil
}

package lldp

import "fmt"

// AdminStatus is adminStatus: which of the two directions an agent works in.
type AdminStatus uint8

// The values of adminStatus. The zero value is the default.
const (
	RxTx AdminStatus = iota
	RxOnly
	TxOnly
	Off
)

var adminNames = [...]string{"rx-tx", "rx-only", "tx-only", "off"}

// String is the status as it is written in a configuration.
func (s AdminStatus) String() string { return adminNames[min(s, Off)] }

// ParseAdminStatus is the reverse of String.
func ParseAdminStatus(s string) (AdminStatus, error) {
	for i, name := range adminNames {
		if name == s {
			return AdminStatus(i), nil
		}
	}
	return Off, fmt.Errorf("mode %q: has to be one of %q", s, adminNames)
}

// Rx tells whether frames are received.
func (s AdminStatus) Rx() bool { return s == RxTx || s == RxOnly }

// Tx tells whether frames are sent.
func (s AdminStatus) Tx() bool { return s == RxTx || s == TxOnly }

package lldp

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

// Rx tells whether frames are received.
func (s AdminStatus) Rx() bool { return s == RxTx || s == RxOnly }

// Tx tells whether frames are sent.
func (s AdminStatus) Tx() bool { return s == RxTx || s == TxOnly }

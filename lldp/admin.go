package lldp

// AdminStatus is adminStatus of 802.1AB: the directions in which an agent works.
type AdminStatus uint8

// The values of adminStatus. The zero value is the default.
const (
	RxTx AdminStatus = iota
	RxOnly
	TxOnly
	Off
)

// adminNames has the words of the configuration, by AdminStatus.
var adminNames = [...]string{"rx-tx", "rx-only", "tx-only", "off"}

// String returns the status as in the configuration: rx-tx, rx-only, tx-only or off.
func (s AdminStatus) String() string { return adminNames[min(s, Off)] }

// Rx reports whether an agent with this status receives LLDP frames.
func (s AdminStatus) Rx() bool { return s == RxTx || s == RxOnly }

// Tx reports whether an agent with this status sends LLDP frames.
func (s AdminStatus) Tx() bool { return s == RxTx || s == TxOnly }

package lldp

import "fmt"

// Timers are the parameters of the machines (802.1AB 9.2.5; ranges of the YANG module). Times are
// in seconds.
type Timers struct {
	TxInterval  int // msgTxInterval, 1..3600: between frames
	TxHold      int // msgTxHold, 2..10: the TTL is TxHold intervals and a second
	FastTx      int // msgFastTx, 1..3600: between frames in fast transmission
	TxFastInit  int // txFastInit, 1..8: fast frames for a new neighbour
	ReinitDelay int // reinitDelay, 1..10: between a shutdown LLDPDU and the next frame
	TxCreditMax int // txCreditMax, 1..10: frames that the agent may send within a second
}

// DefaultTimers returns the timing parameters that 802.1AB recommends.
// Clauses: DCBX/fast.1.
func DefaultTimers() Timers {
	return Timers{TxInterval: 30, TxHold: 4, FastTx: 1, TxFastInit: 4, ReinitDelay: 2, TxCreditMax: 5}
}

// Validate returns an error that names the first parameter out of range.
func (t Timers) Validate() error {
	for _, p := range []struct {
		name            string
		value, min, max int
	}{
		{"tx_interval", t.TxInterval, 1, 3600},
		{"tx_hold", t.TxHold, 2, 10},
		{"fast_tx", t.FastTx, 1, 3600},
		{"tx_fast_init", t.TxFastInit, 1, 8},
		{"reinit_delay", t.ReinitDelay, 1, 10},
		{"tx_credit_max", t.TxCreditMax, 1, 10},
	} {
		if p.value < p.min || p.value > p.max {
			return fmt.Errorf("%s is %d, has to be %d to %d", p.name, p.value, p.min, p.max)
		}
	}
	return nil
}

// TTL returns txTTL, the time to live of a frame in seconds, at most 65535.
func (t Timers) TTL() uint16 { return uint16(min(65535, t.TxInterval*t.TxHold+1)) }

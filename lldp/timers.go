package lldp

import "fmt"

// Timers are the parameters of the machines (802.1AB 9.2.5; the ranges are those
// of the YANG module). Times are in seconds.
type Timers struct {
	TxInterval  int // msgTxInterval, 1..3600: between frames
	TxHold      int // msgTxHold, 2..10: a frame is good for that many intervals and a second
	FastTx      int // msgFastTx, 1..3600: between frames in fast transmission
	TxFastInit  int // txFastInit, 1..8: fast frames for a new neighbour
	ReinitDelay int // reinitDelay, 1..10: after a shutdown, before speaking again
	TxCreditMax int // txCreditMax, 1..10: frames that may follow each other within a second
}

// DefaultTimers are the defaults of 802.1AB.
func DefaultTimers() Timers {
	return Timers{TxInterval: 30, TxHold: 4, FastTx: 1, TxFastInit: 4, ReinitDelay: 2, TxCreditMax: 5}
}

// Validate tells which parameter is out of its range.
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

// TTL is txTTL, what a frame says it is good for.
func (t Timers) TTL() uint16 { return uint16(min(65535, t.TxInterval*t.TxHold+1)) }

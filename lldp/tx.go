package lldp

import (
	"time"

	"uelink/wire"
)

// TxState is the state of the transmit machine. TX_INFO_FRAME is left at once.
//
//	TX_LLDP_INITIALIZE ──port enabled, transmission enabled──► TX_IDLE ─┐ txNow and credit:
//	   ▲     ▲                                                  │  ▲    │ TX_INFO_FRAME
//	   │     │ reinitDelay has passed    transmission disabled, │  └────┘
//	   │     └──────────── TX_SHUTDOWN_FRAME ◄───────────────────┘
//	   │                                         chassis id or port id to change
//	   └── from any state: port disabled
type TxState uint8

// The states of the transmit machine.
const (
	TxInitialize TxState = iota
	TxIdle
	TxShutdownFrame
)

// String returns the name of the transmit machine's state in IEEE 802.1AB.
func (s TxState) String() string {
	return [...]string{"TX_LLDP_INITIALIZE", "TX_IDLE", "TX_SHUTDOWN_FRAME", "?"}[min(s, TxShutdownFrame+1)]
}

// txOrder is the frame that the transmit machine wants sent.
type txOrder uint8

// The frames: none, an LLDPDU with the local system data, or a shutdown LLDPDU.
const (
	sendNothing txOrder = iota
	sendInfo
	sendShutdown
)

// transmitter is the transmit machine with the transmit timer machine.
type transmitter struct {
	state    TxState
	timer    txTimer
	reinitAt wire.Time // when txShutdownWhile is 0
}

// checkInitialize returns the transmit machine to TX_LLDP_INITIALIZE if the port is disabled or reinitDelay has
// passed. In that state no neighbour knows the agent's identity, so that it may change.
func (t *transmitter) checkInitialize(now wire.Time, port bool) {
	if !port || t.state == TxShutdownFrame && now >= t.reinitAt {
		t.state = TxInitialize
	}
}

// run runs the transmit machine and returns which frame must be sent now, if any. port is portEnabled, and enabled says
// that adminStatus allows sending. leave requests a shutdown LLDPDU, since the agent's identity changes.
// Clauses: DCBX/lldp.15, DCBX/fast.6.
func (t *transmitter) run(now wire.Time, port, enabled, leave bool, p Timers) txOrder {
	if t.state == TxInitialize && port && enabled {
		t.state = TxIdle
		t.timer.initialize(now, p)
	}
	if t.state != TxIdle {
		return sendNothing
	}
	if !enabled || leave {
		t.state, t.reinitAt = TxShutdownFrame, now.Add(time.Duration(p.ReinitDelay)*time.Second)
		return sendShutdown
	}
	t.timer.run(now, p)
	if t.timer.useCredit(now, p) {
		return sendInfo
	}
	return sendNothing
}

// deadline returns the time of the transmit machine's next timer, or wire.Never.
func (t *transmitter) deadline() wire.Time {
	switch t.state {
	case TxIdle:
		return t.timer.deadline()
	case TxShutdownFrame:
		return t.reinitAt
	default: // TxInitialize
		return wire.Never
	}
}

package lldp

// TxState is the state of the transmit machine. TX_INFO_FRAME is passed through.
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

// String is the name of the state in 802.1AB.
func (s TxState) String() string {
	return [...]string{"TX_LLDP_INITIALIZE", "TX_IDLE", "TX_SHUTDOWN_FRAME", "?"}[min(s, TxShutdownFrame+1)]
}

// txOrder is what the transmit machine wants to be sent.
type txOrder uint8

const (
	sendNothing txOrder = iota
	sendInfo
	sendShutdown
)

// transmitter is the transmit machine with its timer machine.
type transmitter struct {
	state    TxState
	timer    txTimer
	reinitAt int64 // txShutdownWhile is 0
}

// settle leaves what a disabled port or the end of reinitDelay ends: the machine
// is in TX_LLDP_INITIALIZE then, where nobody has an identity of it.
func (t *transmitter) settle(now int64, port bool) {
	if !port || t.state == TxShutdownFrame && now >= t.reinitAt {
		t.state = TxInitialize
	}
}

// run says what to send now. leave is that the identity of the agent has to
// change.
func (t *transmitter) run(now int64, port, enabled, leave bool, p Timers) txOrder {
	if t.state == TxInitialize && port && enabled {
		t.state = TxIdle
		t.timer.initialize(now, p)
	}
	if t.state != TxIdle {
		return sendNothing
	}
	if !enabled || leave {
		t.state, t.reinitAt = TxShutdownFrame, now+int64(p.ReinitDelay)*second
		return sendShutdown
	}
	t.timer.run(now, p)
	if t.timer.take(now, p) {
		return sendInfo
	}
	return sendNothing
}

// deadline is when the machine has something to do by itself.
func (t *transmitter) deadline() int64 {
	switch t.state {
	case TxIdle:
		return t.timer.deadline()
	case TxShutdownFrame:
		return t.reinitAt
	}
	return never
}

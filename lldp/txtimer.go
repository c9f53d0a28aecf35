package lldp

import (
	"time"

	"uelink/wire"
)

// initialFast is the number of frames sent one second apart after the start of an agent and after
// link up (DCBX, 2.3.1.1: "set to one second for the first five transmissions after LLDP
// initialization").
// Clauses: DCBX/fast.4.
const initialFast = 5

// txTimer is the transmit timer machine (802.1AB 9.2). It decides when a frame is due and counts
// the credit for sending.
//
//	TX_TIMER_INITIALIZE ──port enabled, transmission enabled──► TX_TIMER_IDLE
//
//	TX_TIMER_IDLE  ──local change──►  SIGNAL_TX   txNow; txTTR = msgFastTx while
//	               ◄───────────────               txFast > 0, else msgTxInterval
//	               ──txTTR is 0──►    TX_TIMER_EXPIRES  txFast-- ──► SIGNAL_TX
//	               ──new neighbour──► TX_FAST_START     txFast = txFastInit ──► TX_TIMER_EXPIRES
//	               ──each second──►   TX_TICK           one more credit, up to txCreditMax
type txTimer struct {
	ttrEnd      wire.Time // when txTTR is 0
	fast        int       // txFast
	credit      int       // txCredit
	creditAt    wire.Time // when the next credit comes, below txCreditMax
	localChange bool      // the content of the frames has changed
	newNeighbor bool      // fast transmission must begin, as for a new neighbour
	txNow       bool      // a frame is due
}

// initialize runs the transmit timer machine's TX_TIMER_INITIALIZE: the first frame is due at once.
// Clauses: DCBX/fast.3.
func (t *txTimer) initialize(now wire.Time, p Timers) {
	*t = txTimer{ttrEnd: now, fast: initialFast, credit: p.TxCreditMax}
}

// run runs the transmit timer machine until TX_TIMER_IDLE has no transition left: it adds the credits of the passed
// seconds, and makes a frame due after a local change, at the end of txTTR, or for a new neighbour.
// Clauses: DCBX/fast.7.
func (t *txTimer) run(now wire.Time, p Timers) {
	t.tick(now, p)
	for {
		switch {
		case t.localChange:
			t.signal(now, p)
		case now >= t.ttrEnd:
			t.expire(now, p)
		case t.newNeighbor:
			t.newNeighbor = false
			t.fast = max(t.fast, p.TxFastInit)
			t.expire(now, p)
		default:
			return
		}
	}
}

// tick runs TX_TICK once for every second since the last call: each adds a credit, up to TxCreditMax.
// Clauses: DCBX/fast.5.
func (t *txTimer) tick(now wire.Time, p Timers) {
	t.credit = min(t.credit, p.TxCreditMax)
	for t.credit < p.TxCreditMax && now >= t.creditAt {
		t.credit++
		t.creditAt = t.creditAt.Add(time.Second)
	}
}

// expire runs TX_TIMER_EXPIRES, the end of txTTR: a frame is due now, and fast transmission has one frame less
// left.
// Clauses: DCBX/fast.1.
func (t *txTimer) expire(now wire.Time, p Timers) {
	if t.fast > 0 {
		t.fast--
	}
	t.signal(now, p)
}

// signal runs SIGNAL_TX: a frame is due now, and the next after an interval.
func (t *txTimer) signal(now wire.Time, p Timers) {
	t.txNow, t.localChange = true, false
	interval := p.TxInterval
	if t.fast > 0 {
		interval = p.FastTx
	}
	t.ttrEnd = now.Add(time.Duration(interval) * time.Second)
}

// useCredit spends a transmit credit on a frame that is due. It returns false if no frame is due or no credit is
// left.
// Clauses: DCBX/fast.5.
func (t *txTimer) useCredit(now wire.Time, p Timers) bool {
	if !t.txNow || t.credit == 0 {
		return false
	}
	if t.credit == p.TxCreditMax {
		t.creditAt = now.Add(time.Second)
	}
	t.credit--
	t.txNow = false
	return true
}

// deadline returns the time of the transmit timer machine's next timer: txTTR, or the next credit while a frame
// waits for one.
func (t *txTimer) deadline() wire.Time {
	if t.txNow {
		return min(t.ttrEnd, t.creditAt)
	}
	return t.ttrEnd
}

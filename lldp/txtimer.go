package lldp

// initialFast is the number of frames a second apart after the start of an agent
// and of a link (DCBX, 2.3.1.1: "set to one second for the first five
// transmissions after LLDP initialization").
const initialFast = 5

// txTimer is the transmit timer machine (802.1AB 9.2): when a frame is to be
// sent, and whether there is credit for it.
//
//	TX_TIMER_INITIALIZE ──port enabled, transmission enabled──► TX_TIMER_IDLE
//
//	TX_TIMER_IDLE  ──local change──►  SIGNAL_TX   txNow; txTTR = msgFastTx while
//	               ◄───────────────               txFast > 0, else msgTxInterval
//	               ──txTTR is 0──►    TX_TIMER_EXPIRES  txFast-- ──► SIGNAL_TX
//	               ──new neighbour──► TX_FAST_START     txFast = txFastInit ──► TX_TIMER_EXPIRES
//	               ──each second──►   TX_TICK           a credit more, up to txCreditMax
type txTimer struct {
	ttrEnd      int64 // when txTTR is 0
	fast        int   // txFast
	credit      int   // txCredit
	creditAt    int64 // when the next credit comes, below txCreditMax
	localChange bool
	newNeighbor bool
	txNow       bool
}

// initialize is TX_TIMER_INITIALIZE: the first frame is due at once.
func (t *txTimer) initialize(now int64, p Timers) {
	*t = txTimer{ttrEnd: now, fast: initialFast, credit: p.TxCreditMax}
}

// run lets the machine work until it is idle.
func (t *txTimer) run(now int64, p Timers) {
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

// tick is TX_TICK for every second that has passed.
func (t *txTimer) tick(now int64, p Timers) {
	t.credit = min(t.credit, p.TxCreditMax)
	for t.credit < p.TxCreditMax && now >= t.creditAt {
		t.credit++
		t.creditAt += second
	}
}

// expire is TX_TIMER_EXPIRES.
func (t *txTimer) expire(now int64, p Timers) {
	if t.fast > 0 {
		t.fast--
	}
	t.signal(now, p)
}

// signal is SIGNAL_TX.
func (t *txTimer) signal(now int64, p Timers) {
	t.txNow, t.localChange = true, false
	interval := p.TxInterval
	if t.fast > 0 {
		interval = p.FastTx
	}
	t.ttrEnd = now + int64(interval)*second
}

// take uses a credit for the frame that is to be sent now; false if none is to
// be sent or there is no credit.
func (t *txTimer) take(now int64, p Timers) bool {
	if !t.txNow || t.credit == 0 {
		return false
	}
	if t.credit == p.TxCreditMax {
		t.creditAt = now + second
	}
	t.credit--
	t.txNow = false
	return true
}

// deadline is when the machine has something to do by itself.
func (t *txTimer) deadline() int64 {
	if t.txNow {
		return min(t.ttrEnd, t.creditAt)
	}
	return t.ttrEnd
}

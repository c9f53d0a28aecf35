package llr

import "uelink/wire"

// TxState is SAI_PORT_LLR_TX_STATUS.
//
//	     mode on            LLR_INIT_ECHO
//	OFF ─────────► INIT ───────────────────► ADVANCE ───────────────┐
//	                ▲                         │   ▲                 │ LLR_NACK,
//	                │                         │   │                 │ replay timer,
//	                │ RE_INIT_ON_FLUSH        │   │                 │ carrier is back
//	                │                         │   │                 ▼
//	                │                         │   └────────────── REPLAY
//	                │                         │   all posted again  │
//	                │                         │   or acknowledged   │
//	                │                         ▼                     │
//	                └─────────────────────── FLUSH ◄────────────────┘
//	                            replay count, PCS lost, data age
//
//	from any state but OFF: mode off ─► OFF; Reinit, partner restarted ─► INIT
type TxState uint8

// The states of the transmitter.
const (
	TxOff TxState = iota
	TxInit
	TxAdvance
	TxReplay
	TxFlush
)

// String is SAI's name of the state.
func (s TxState) String() string {
	return [...]string{"OFF", "INIT", "ADVANCE", "REPLAY", "FLUSH", "?"}[min(s, TxFlush+1)]
}

// Why FLUSH was entered (seed 001, 'Flush' State in LLR Tx).
const (
	flushReplayCount = "replay count"
	flushPCSLost     = "pcs lost"
	flushDataAge     = "data age"
)

// Tx is the LLR transmitter of one port.
type Tx struct {
	state     TxState
	carrier   bool
	seq       uint32 // tx_seq: number of the next frame
	maxFrames uint32
	maxOctets int64
	window    window
	count     *Counters

	cursor uint32 // REPLAY: position in the window of the next frame to post again
	timer  int64  // when the replay timer was started
	rearm  bool   // a replay has ended since the last poll: the timer starts at the next one
	trials int    // replay_ct: timed replays without progress
	wait   int64  // how long the last acknowledgement with progress took to come, ns
	slow   int64  // how long they have lately taken, ns
	lostAt int64  // when the partner or the carrier last told of a loss

	hello   handshake
	profile Profile
	now     int64 // the latest time that was heard of
	downAt  int64 // when the carrier was lost
	reason  string
}

// NewTx returns a transmitter that is OFF and has its carrier. Its first frame
// will have the number initSeq; nonce is its LLR_INIT's init_data.
func NewTx(p Profile, initSeq uint32, nonce [2]byte) *Tx {
	t := &Tx{carrier: true, seq: initSeq & wire.SeqMask, count: &Counters{}, window: newWindow(frameLimit(p))}
	t.hello.nonce = nonce
	t.SetProfile(p)
	return t
}

// frameLimit is OUTSTANDING_FRAMES_MAX within its range.
func frameLimit(p Profile) int {
	return max(1, min(p.MaxOutstandingFrames, MaxOutstandingFrames))
}

// SetProfile replaces the profile at once. Under a smaller window no frame is
// admitted until enough are acknowledged. A larger one allocates.
func (t *Tx) SetProfile(p Profile) {
	t.profile = p
	t.maxFrames, t.maxOctets = uint32(frameLimit(p)), p.MaxOutstandingBytes
	t.window.grow(frameLimit(p))
}

// SetMode is LLR_MODE_REMOTE: on starts the handshake, off drops the replay
// buffer and sends every frame LLR-ineligible from then on.
func (t *Tx) SetMode(on bool, now int64) {
	switch {
	case on && t.state == TxOff:
		t.reason = ""
		t.enterInit(now)
	case !on && t.state != TxOff:
		t.reason = ""
		t.dropAll()
		t.state = TxOff
	}
}

// SetCarrier says whether the link is up. While it is down nothing is sent and
// the replay timer is held. When it returns, what is outstanding is replayed.
func (t *Tx) SetCarrier(up bool, now int64) {
	if up == t.carrier {
		return
	}
	t.carrier, t.now = up, now
	switch {
	case !up:
		t.downAt = now
	case t.state == TxInit:
		t.hello.resume(now)
	case t.state == TxAdvance || t.state == TxReplay:
		t.lostAt = now
		t.enterReplay()
	}
}

// Reinit is the command of the management plane that leads out of FLUSH (seed
// 001: "manually re-enable LLR"). It works in every state but OFF and drops what
// is outstanding.
func (t *Tx) Reinit(now int64) {
	if t.state != TxOff {
		t.reason = ""
		t.enterInit(now)
	}
}

// State is LLR_TX_STATUS.
func (t *Tx) State() TxState { return t.state }

// FlushReason says why FLUSH was last entered: "replay count", "pcs lost" or
// "data age"; empty if never since the mode was set or LLR reinitialized by
// command.
func (t *Tx) FlushReason() string { return t.reason }

// Outstanding is what was sent and not acknowledged: frames, and octets of the
// frames that they carry.
func (t *Tx) Outstanding() (frames int, bytes int64) {
	return int(t.window.outstanding()), t.window.octets
}

// acked is acked_seq: the number before that of the oldest outstanding frame.
func (t *Tx) acked() uint32 { return wire.SeqAdd(t.seq, -1-int(t.window.outstanding())) }

// ack is LLR_ACK. Seed 001: "All frames up to the sequence number in the LLR_ACK
// are removed from the replay buffer".
func (t *Tx) ack(seq uint32, now int64) {
	if t.accept(seq, now) && t.state == TxReplay {
		t.skipAcked()
	}
}

// nack is LLR_NACK. Seed 001: "Retransmits those frames from the replay buffer
// whose sequence number is greater than the sequence number in the LLR_NACK". A
// replay that is under way is given up for the new one.
func (t *Tx) nack(seq uint32, now int64) {
	if t.accept(seq, now) {
		t.lostAt = now
		t.enterReplay()
	}
}

// accept takes the cumulative acknowledgement out of an ACK or NACK. It is false
// if there is nothing more to do: LLR is not running, or the number is neither
// acked_seq nor that of an outstanding frame.
func (t *Tx) accept(seq uint32, now int64) bool {
	t.now = now
	if t.state != TxAdvance && t.state != TxReplay {
		return false
	}
	n := wire.SeqDistance(t.acked(), seq)
	if n > t.window.outstanding() {
		t.count.RxAckNackSeqError++
		return false
	}
	if n > 0 {
		t.took(now - max(t.window.at(t.window.first).pushed, t.lostAt))
		t.window.release(n)
		t.timer, t.trials = now, 0
	}
	return true
}

// echo is LLR_INIT_ECHO: with the init_seq and init_data of the LLR_INIT it
// "confirms initialization" (seed 000 §2.3).
func (t *Tx) echo(c wire.CtlOS, now int64) {
	t.now = now
	if !t.hello.echoed(c) {
		t.count.RxInitEchoMismatch++
		return
	}
	if t.state == TxInit {
		t.state, t.trials = TxAdvance, 0
	}
}

// partnerInit is an LLR_INIT of the partner. If the partner has restarted, it
// has forgotten the numbers of this direction too: the handshake starts again.
func (t *Tx) partnerInit(restarted bool, now int64) {
	t.now = now
	switch {
	case t.state == TxOff:
	case restarted:
		t.enterInit(now)
	case t.state == TxInit:
		t.hello.hurry(now)
	}
}

func (t *Tx) enterInit(now int64) {
	t.now = now
	t.dropAll()
	t.wait, t.slow = 0, 0
	t.seq = t.hello.begin(t.seq, now)
	t.state = TxInit
}

// enterReplay posts everything outstanding again, if there is anything.
func (t *Tx) enterReplay() {
	t.state, t.cursor = TxReplay, t.window.first
	if t.window.outstanding() == 0 {
		t.state = TxAdvance
	}
}

// skipAcked moves a replay past what was acknowledged meanwhile.
func (t *Tx) skipAcked() {
	if int32(t.cursor-t.window.first) < 0 {
		t.cursor = t.window.first
	}
	t.endReplayIfDone()
}

func (t *Tx) endReplayIfDone() {
	if t.cursor == t.window.tail {
		t.count.TxReplay++
		t.state, t.timer, t.rearm = TxAdvance, t.now, true
	}
}

func (t *Tx) enterFlush(reason string, now int64) {
	t.count.TxFlush++
	t.reason = reason
	t.dropAll()
	t.state = TxFlush
	if t.profile.ReInitOnFlush {
		t.enterInit(now)
	}
}

// dropAll gives up everything outstanding: Free hands the slots back.
func (t *Tx) dropAll() {
	n := t.window.outstanding()
	t.count.TxFlushedFrames += uint64(n)
	t.window.release(n)
}

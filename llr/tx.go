package llr

import (
	"math"
	"time"

	"uelink/wire"
)

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
//	from any state but OFF: mode off ─► OFF; Reinit, and initialiseAgain ─► INIT,
//	but a restart of the partner does not lead out of FLUSH
//
// Clauses: UE-LINK/machines.1.
type TxState uint8

// The states of the transmitter.
// Clauses: SAI-LLR/tx-status.1-5.
const (
	TxOff TxState = iota
	TxInit
	TxAdvance
	TxReplay
	TxFlush
)

// String returns SAI's name of the transmitter's state: OFF, INIT, ADVANCE, REPLAY or FLUSH.
func (s TxState) String() string {
	return [...]string{"OFF", "INIT", "ADVANCE", "REPLAY", "FLUSH", "?"}[min(s, TxFlush+1)]
}

// Why LLR was initialised again without a FLUSH.
const (
	reinitRestarted = "the partner has restarted"
	reinitNotLive   = "the partner's receiver is not initialised any more"
	reinitMisfit    = "the partner acknowledges frames that are not outstanding: the partner has lost the sequence numbers"
	reinitSilent    = "the partner is silent"
	reinitResumed   = "the partner has restarted, and continues with the same sequence numbers"
	reinitKind      = "the kind of replay changes, and no frame is lost"
)

// Tx is the LLR transmitter of one port.
// Clauses: UE-LINK/overview.5, SAI-LLR/overview.1.
type Tx struct {
	state  TxState
	seq    uint32 // tx_seq: number of the next frame
	space  space
	limits limits
	window window
	count  *Counters

	replay   replay
	patience patience
	hold     hold
	misfit   misfit
	timer    wire.Time // when the replay timer was last started
	busy     wire.Time // until when the partner accepts no frames, by its STATION
	rearm    bool      // posting for a replay has ended or pauses: the next poll restarts the replay timer
	notLive  wire.Time // when STATION first said that the partner's receiver is not initialised; wire.Never: initialised, as far as known

	sel  selective
	tail tail

	nacked uint8 // number of the last LLR_NACK received; 0: none, or the partner does not number them

	hello  handshake
	resume resumption

	loop    loopTimes
	profile Profile
	now     wire.Time // time of the latest call
	port    portState
	room    windowRoom
	ended   endings
}

// limits are the limits in force of the window and of the replay timer.
type limits struct {
	frames  uint32        // OUTSTANDING_FRAMES_MAX
	octets  int64         // OUTSTANDING_BYTES_MAX
	timeout time.Duration // REPLAY_TIMER_MAX
}

// portState is what the transmitter knows of its port and of the wire.
type portState struct {
	carrier bool
	downAt  wire.Time // when the carrier was lost
	longest int       // octets of the longest frame that fits the wire
	speed   int64     // bits a second; 0 = not known
}

// NewTx returns a transmitter that is OFF and has its carrier. initSeq is the number of its first frame; nonce is the
// init_data of its LLR_INIT.
func NewTx(p Profile, initSeq uint32, nonce [2]byte) *Tx {
	t := &Tx{
		port:  portState{carrier: true, longest: math.MaxInt},
		space: standard, seq: initSeq & wire.SeqMask, count: &Counters{}, window: newWindow(p.ReplaySlots()),
		notLive: wire.Never,
	}
	t.hello.space, t.hello.nonce = standard, nonce
	t.sel.most = MaxOutstandingFrames
	t.loop.forget()
	t.SetProfile(p)
	return t
}

// SetProfile replaces the transmitter's profile, with effect at once. Under a smaller window Admit waits until
// enough frames are acknowledged. A larger window allocates. In FLUSH, a profile with RE_INIT_ON_FLUSH starts the
// handshake.
func (t *Tx) SetProfile(p Profile) {
	t.profile = p
	t.limits.octets = p.MaxOutstandingBytes
	t.grow(p.ReplaySlots())
	t.adapt()
	t.checkKind()
	if t.state == TxFlush && p.ReInitOnFlush {
		t.enterInit(t.now)
	}
}

// Profile returns the transmitter's profile.
func (t *Tx) Profile() Profile { return t.profile }

// grow gives the replay buffer, and the ring of sendings of selective replay, room for at least n frames.
func (t *Tx) grow(n int) {
	if t.window.grow(n); t.sel.on {
		t.sel.fit(&t.window)
	}
}

// SetMode sets LLR_MODE_REMOTE. Switching on starts the handshake; switching off drops the replay buffer, and from
// then on Admit returns Bare.
// Clauses: UE-LINK/init.10, SAI-LLR/port.2.
func (t *Tx) SetMode(on bool, now wire.Time) {
	switch {
	case on && t.state == TxOff:
		t.ClearFlush()
		t.enterInit(now)
	case !on && t.state != TxOff:
		t.dropAll()
		t.state, t.resume.on = TxOff, false
		t.ClearFlush()
	}
}

// SetCarrier sets whether the link is up. Without carrier nothing is sent and the replay timer is held. When the
// carrier returns within PCS_LOST_TIMEOUT, the outstanding frames are replayed.
// Clauses: SAI-LLR/flush.2.
func (t *Tx) SetCarrier(up bool, now wire.Time) {
	if up == t.port.carrier {
		return
	}
	t.now = now
	if up {
		t.expire(now)
	}
	t.port.carrier = up
	switch {
	case !up:
		t.port.downAt = now
	case t.state == TxInit:
		t.hello.sendNow(now)
	case t.running() && t.window.outstanding() > 0:
		t.replay.restartWait(now)
		t.hold.heard = now
		t.beginReplay(now)
	}
}

// running reports whether frames are sequenced and acknowledged: the state is ADVANCE or REPLAY.
func (t *Tx) running() bool { return t.state == TxAdvance || t.state == TxReplay }

// Reinit drops the outstanding frames and starts the handshake, in every state but OFF: the command of the
// management plane that leads out of FLUSH (SAI-LLR: "manually re-enable LLR").
// Clauses: UE-LINK/init.11, SAI-LLR/flush.5.
func (t *Tx) Reinit(now wire.Time) {
	if t.state != TxOff {
		t.enterInit(now)
		t.ClearFlush()
	}
}

// initialiseAgain drops the outstanding frames and starts the handshake, because of a message or the silence of the
// partner. FLUSH and OFF stay.
func (t *Tx) initialiseAgain(reason string, now wire.Time) {
	if t.state == TxOff || t.state == TxFlush {
		return
	}
	t.count.TxReinit++
	t.ended.reinits++
	t.ended.reinitReason = reason
	t.enterInit(now)
}

// State returns LLR_TX_STATUS, the state of the transmitter.
func (t *Tx) State() TxState { return t.state }

// LongestAcked returns the length of the longest frame acknowledged since the last call, in octets; 0 without an
// acknowledged frame. A frame of this length has crossed the wire.
func (t *Tx) LongestAcked() (octets int) {
	octets, t.room.crossed = int(t.room.crossed), 0
	return octets
}

// Reinits returns how often LLR was initialised again without a FLUSH or a command, and the latest reason. Unlike the
// counter it is never cleared.
func (t *Tx) Reinits() (n uint64, reason string) { return t.ended.reinits, t.ended.reinitReason }

// Outstanding returns the number of frames sent and not acknowledged, and the number of octets in these frames.
func (t *Tx) Outstanding() (frames int, bytes int64) {
	return int(t.window.outstanding()), t.window.octets
}

// enterInit drops the outstanding frames and starts the handshake.
func (t *Tx) enterInit(now wire.Time) {
	t.dropAll()
	t.beginInit(now)
	t.seq = t.hello.begin(t.seq, now)
}

// beginInit enters INIT, and forgets everything learned since the last handshake and which frames are lost (selective
// replay): frames that stay outstanding are sent again after the handshake.
func (t *Tx) beginInit(now wire.Time) {
	t.sel.dropLost()
	t.now, t.busy, t.resume.on = now, 0, false
	t.patience.forget()
	t.loop.forget()
	t.adapt()
	t.replay.reset(t.window.first, now)
	t.misfit, t.notLive, t.nacked, t.tail, t.sel.drains = misfit{}, wire.Never, 0, tail{}, false
	t.state = TxInit
}

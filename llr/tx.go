package llr

import (
	"math"

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
//	from any state but OFF: mode off ─► OFF; Reinit, and what initialises again ─► INIT,
//	but a partner that restarts does not lead out of FLUSH
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

// Why LLR was initialised again without a FLUSH.
const (
	reinitRestarted = "the partner has restarted"
	reinitNotLive   = "the partner's receiver is not initialised any more"
	reinitMisfit    = "the partner acknowledges what does not fit: it has lost its numbers"
	reinitSilent    = "the partner is silent"
	reinitResumed   = "the partner has restarted, and goes on where it was"
)

// Tx is the LLR transmitter of one port.
type Tx struct {
	state     TxState
	carrier   bool
	seq       uint32 // tx_seq: number of the next frame
	space     space
	maxFrames uint32 // in force, as is timeout
	maxOctets int64
	window    window
	count     *Counters

	replay   replay
	patience patience
	hold     hold
	misfit   misfit
	timeout  int64 // REPLAY_TIMER_MAX, ns
	timer    int64 // when the replay timer was started
	busy     int64 // until when the partner takes no frames, by its word
	rearm    bool  // a replay has ended since the last poll: the timer starts at the next one
	notLive  int64 // when the partner's receiver was first said not to be initialised; never: it is, as far as is known

	hello     handshake
	resuming  bool  // INIT: the partner has restarted, and what it has not taken is kept
	resumedAt int64 // since when

	loop    loopTimes
	profile Profile
	now     int64  // the latest time that was heard of
	downAt  int64  // when the carrier was lost
	longest int    // octets of the longest frame that the wire carries
	crossed uint32 // octets of the longest frame that was acknowledged since LongestAcked was called
	speed   int64  // of the port, bits a second; 0 = not known
	flushes uint64
	reason  string
	stuck   Stuck
	reinits uint64
	again   string
}

// NewTx returns a transmitter that is OFF and has its carrier. Its first frame
// will have the number initSeq; nonce is its LLR_INIT's init_data.
func NewTx(p Profile, initSeq uint32, nonce [2]byte) *Tx {
	t := &Tx{
		carrier: true, space: standard, seq: initSeq & wire.SeqMask, count: &Counters{}, window: newWindow(p.ReplaySlots()),
		notLive: never, longest: math.MaxInt,
	}
	t.hello.space, t.hello.nonce = standard, nonce
	t.loop.forget()
	t.SetProfile(p)
	return t
}

// SetProfile replaces the profile at once. Under a smaller window no frame is
// admitted until enough are acknowledged. A larger one allocates. RE_INIT_ON_FLUSH
// leads out of FLUSH also if it is set there.
func (t *Tx) SetProfile(p Profile) {
	t.profile = p
	t.maxOctets = p.MaxOutstandingBytes
	t.window.grow(p.ReplaySlots())
	t.adapt()
	if t.state == TxFlush && p.ReInitOnFlush {
		t.enterInit(t.now)
	}
}

// SetMode is LLR_MODE_REMOTE: on starts the handshake, off drops the replay
// buffer and sends every frame LLR-ineligible from then on.
func (t *Tx) SetMode(on bool, now int64) {
	switch {
	case on && t.state == TxOff:
		t.ClearFlush()
		t.enterInit(now)
	case !on && t.state != TxOff:
		t.dropAll()
		t.state, t.resuming = TxOff, false
		t.ClearFlush()
	}
}

// SetCarrier says whether the link is up. While it is down nothing is sent and
// the replay timer is held. When it returns, what is outstanding is replayed,
// unless it was away for too long.
func (t *Tx) SetCarrier(up bool, now int64) {
	if up == t.carrier {
		return
	}
	t.now = now
	if up {
		t.expire(now)
	}
	t.carrier = up
	switch {
	case !up:
		t.downAt = now
	case t.state == TxInit:
		t.hello.resume(now)
	case t.running() && t.window.outstanding() > 0:
		t.replay.moved(now)
		t.hold.heard = now
		t.beginReplay(now)
	}
}

// running tells whether frames are sequenced and acknowledged.
func (t *Tx) running() bool { return t.state == TxAdvance || t.state == TxReplay }

// Reinit is the command of the management plane that leads out of FLUSH (SAI-LLR:
// "manually re-enable LLR"). It works in every state but OFF and drops what
// is outstanding.
func (t *Tx) Reinit(now int64) {
	if t.state != TxOff {
		t.enterInit(now)
		t.ClearFlush()
	}
}

// initialiseAgain drops what is outstanding and starts the handshake, because of
// something that the partner said. It does not lead out of FLUSH.
func (t *Tx) initialiseAgain(why string, now int64) {
	if t.state == TxOff || t.state == TxFlush {
		return
	}
	t.count.TxReinit++
	t.reinits++
	t.again = why
	t.enterInit(now)
}

// State is LLR_TX_STATUS.
func (t *Tx) State() TxState { return t.state }

// LongestAcked returns how long the longest frame was, in octets, that was acknowledged since the last call; 0 if none
// was. Such a frame has crossed the wire.
func (t *Tx) LongestAcked() (octets int) {
	octets, t.crossed = int(t.crossed), 0
	return octets
}

// PartnerSilent says that nothing comes from the partner any more though it should. If
// nothing is outstanding the handshake starts again, so that frames for whoever takes
// its place go by INIT_LLR_FRAME_ACTION.
func (t *Tx) PartnerSilent(now int64) {
	if t.running() && t.window.outstanding() == 0 {
		t.initialiseAgain(reinitSilent, now)
	}
}

// Reinits is how often LLR was initialised again without a FLUSH or a command, and why
// the last time; unlike the counter it is never cleared.
func (t *Tx) Reinits() (n uint64, why string) { return t.reinits, t.again }

// Outstanding is what was sent and not acknowledged: frames, and octets of the
// frames that they carry.
func (t *Tx) Outstanding() (frames int, bytes int64) {
	return int(t.window.outstanding()), t.window.octets
}

// echo is LLR_INIT_ECHO: with the init_seq and init_data of the LLR_INIT it
// "confirms initialization" (UE-LINK §2.3).
//
// After a restart of the partner the LLR_INIT may have the init_seq of the last one, which the partner's predecessor
// has echoed: so the frame has to say that it is of this start of the partner.
func (t *Tx) echo(c wire.CtlOS, vouched bool, now int64) {
	t.now = now
	if !t.hello.echoed(c) || t.resuming && !vouched {
		t.count.RxInitEchoMismatch++
		return
	}
	if t.state != TxOff && t.state != TxFlush {
		t.loop.handshake = now - t.hello.last
		t.adapt()
	}
	if t.state == TxInit {
		t.patience.loop(now - t.hello.last)
		t.replay.moved(now)
		t.hold = hold{heard: now}
		t.state, t.resuming = TxAdvance, false
		if t.window.outstanding() > 0 {
			t.beginReplay(now)
		}
	}
}

// partnerInit is an LLR_INIT of the partner, which is there: the one of this end need not wait.
func (t *Tx) partnerInit(now int64) {
	t.now = now
	if t.state == TxInit {
		t.hello.hurry(now)
	}
}

// partnerLive is whether the partner's receiver is initialised, by its word. If it
// is not, says so again a loop time later though LLR runs, and a replay has brought
// nothing if anything is outstanding, then it has lost our numbers. An old STATION that
// comes again is not enough.
func (t *Tx) partnerLive(live bool, now int64) {
	switch {
	case live || !t.running():
		t.notLive = never
	case t.notLive == never:
		t.notLive = now
	case now >= after(t.notLive, t.patience.apart()) && (t.window.outstanding() == 0 || t.replay.row > 0):
		t.initialiseAgain(reinitNotLive, now)
	}
}

// busyFor is how long a partner is waited for that says it takes no frames now, in
// nanoseconds; it says so more often.
const busyFor = 100_000_000

// partnerBusy is whether the partner takes no frames now, by its word. While that is so no
// replay begins by itself, and none counts: it would bring nothing.
func (t *Tx) partnerBusy(busy bool, now int64) {
	switch {
	case busy:
		t.busy = after(now, busyFor)
	case now < t.busy:
		t.busy, t.timer = now, now
		t.replay.moved(now)
	}
}

// enterInit drops what is outstanding and starts the handshake.
func (t *Tx) enterInit(now int64) {
	t.dropAll()
	t.beginInit(now)
	t.seq = t.hello.begin(t.seq, now)
}

// beginInit enters INIT, and forgets what belongs to the last handshake.
func (t *Tx) beginInit(now int64) {
	t.now, t.busy, t.resuming = now, 0, false
	t.patience.forget()
	t.loop.forget()
	t.adapt()
	t.replay.reset(t.window.first, now)
	t.misfit, t.notLive = misfit{}, never
	t.state = TxInit
}

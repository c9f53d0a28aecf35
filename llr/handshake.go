package llr

import (
	"time"

	"uelink/wire"
)

// Intervals of LLR_INIT: initInterval at first, doubled up to initIntervalMax.
const (
	initInterval    = time.Millisecond
	initIntervalMax = 100 * time.Millisecond
)

// unsureMost is the longest loop time that is taken from an echo which may be that of an earlier LLR_INIT.
const unsureMost = 5 * time.Millisecond

// handshake is the LLR_INIT that a transmitter repeats until its echo arrives (UE-LINK §2.3: "Station A sends
// LLR_INIT with init_seq").
//
// Each handshake has an init_seq of its own. So a late echo of an earlier handshake, perhaps from before a restart of
// the partner, never ends the present handshake.
// Clauses: UE-LINK/overview.3.
type handshake struct {
	space    space
	nonce    [2]byte       // init_data: differs at each start of the process
	seq      uint32        // init_seq
	sent     bool          // an LLR_INIT with this init_seq has been on the wire
	due      wire.Time     // when the next LLR_INIT is due
	last     wire.Time     // when the last LLR_INIT was sent
	since    wire.Time     // when the first LLR_INIT was sent that may be the echoed one: see loopTime
	interval time.Duration // from the next LLR_INIT to the following LLR_INIT
}

// begin starts a handshake, whose first LLR_INIT is due at once, and returns its init_seq: the frame number tx_seq, or
// the following number if the last handshake used tx_seq and no frame did.
func (h *handshake) begin(txSeq uint32, now wire.Time) uint32 {
	if h.sent && txSeq == h.seq {
		txSeq = h.space.add(txSeq, 1)
	}
	h.seq, h.sent = txSeq, false
	h.sendNow(now)
	return txSeq
}

// sendNow makes the next LLR_INIT due at once, and the intervals between LLR_INITs short again.
func (h *handshake) sendNow(now wire.Time) {
	h.due, h.interval = now, initInterval
}

// hurry makes the next LLR_INIT due as soon as initInterval has passed since the last, at once if none was sent. So two
// ends that receive each other's LLR_INIT but never an echo do not flood the link.
func (h *handshake) hurry(now wire.Time) {
	h.interval = initInterval
	if h.sent {
		now = max(now, after(h.last, initInterval))
	}
	h.due = min(h.due, now)
}

// send returns the LLR_INIT to send now, and schedules the next an interval later. The interval doubles, up to
// initIntervalMax.
// Clauses: UE-LINK/init.6.
func (h *handshake) send(now wire.Time) wire.CtlOS {
	if !h.sent || h.interval == initIntervalMax {
		h.since = now // an echo of an earlier LLR_INIT would have come by now
	}
	h.sent, h.last, h.due = true, now, after(now, h.interval)
	h.interval = min(2*h.interval, initIntervalMax)
	return wire.CtlOS{Type: wire.LLRInit, Seq: h.seq, InitData: h.nonce}
}

// echoed reports whether c, an LLR_INIT_ECHO, echoes the LLR_INIT of this handshake.
// Clauses: UE-LINK/init.9.
func (h *handshake) echoed(c wire.CtlOS) bool {
	return h.sent && c.Seq == h.seq && c.InitData == h.nonce
}

// loopTime returns the loop time measured by an echo that arrives now. sure is true if only one LLR_INIT was sent. Of
// several LLR_INITs under way nobody knows which is echoed, so the time counts from the first, because too short a loop
// time makes a replay timer expire for ever. But it counts as unsureMost at most, because the first LLR_INITs may have
// had no partner.
func (h *handshake) loopTime(now wire.Time) (loop time.Duration, sure bool) {
	return max(now.Sub(h.last), min(now.Sub(h.since), unsureMost)), h.since == h.last
}

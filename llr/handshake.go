package llr

import "uelink/wire"

// How often LLR_INIT is repeated, in nanoseconds: after initInterval, doubling
// up to initIntervalMax.
const (
	initInterval    = 1_000_000
	initIntervalMax = 100_000_000
)

// handshake is the LLR_INIT that a transmitter repeats until it is echoed
// (UE-LINK §2.3: "Station A sends LLR_INIT with init_seq").
//
// Each handshake has an init_seq of its own, so that a late echo of an earlier
// one, perhaps sent by a partner that has restarted since, never ends this one.
type handshake struct {
	space    space
	nonce    [2]byte // init_data: tells this start of the process from others
	seq      uint32  // init_seq
	sent     bool    // init_seq has been on the wire
	due      int64   // when LLR_INIT is to be sent
	last     int64   // when it was sent
	interval int64   // from the next LLR_INIT to the one after it
}

// begin starts a handshake for the frame number tx_seq and returns its init_seq:
// tx_seq, or the next one if the last handshake had that and no frame did.
func (h *handshake) begin(txSeq uint32, now int64) uint32 {
	if h.sent && txSeq == h.seq {
		txSeq = h.space.add(txSeq, 1)
	}
	h.seq, h.sent = txSeq, false
	h.resume(now)
	return txSeq
}

// resume has LLR_INIT sent at once.
func (h *handshake) resume(now int64) {
	h.due, h.interval = now, initInterval
}

// hurry has LLR_INIT sent as soon as initInterval has passed since the last one.
// Two ends that hear each other but never an echo do not flood the link.
func (h *handshake) hurry(now int64) {
	h.interval = initInterval
	if h.sent {
		now = max(now, after(h.last, initInterval))
	}
	h.due = min(h.due, now)
}

// send is the LLR_INIT to be sent now; the next is due an interval later.
func (h *handshake) send(now int64) wire.CtlOS {
	h.sent, h.last, h.due = true, now, after(now, h.interval)
	h.interval = min(2*h.interval, initIntervalMax)
	return wire.CtlOS{Type: wire.LLRInit, Seq: h.seq, InitData: h.nonce}
}

// echoed tells whether c echoes this handshake's LLR_INIT.
func (h *handshake) echoed(c wire.CtlOS) bool {
	return h.sent && c.Seq == h.seq && c.InitData == h.nonce
}

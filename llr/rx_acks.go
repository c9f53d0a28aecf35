package llr

import (
	"time"

	"uelink/wire"
)

// ackDelayMax is the longest delay of an LLR_ACK while neither CTLOS_TARGET_SPACING is reached nor
// the link idle.
const ackDelayMax = 100 * time.Microsecond

// forwarding is the state of acknowledgements while the caller keeps accepted frames for a time (KeepFrames): an
// LLR_ACK then covers only frames that the caller has forwarded.
type forwarding struct {
	keeps  bool   // the caller keeps accepted frames for a time, and reports by Forwarded when they are forwarded
	next   uint32 // the number after the last forwarded frame
	acked  uint32 // the number after the last frame that the last LLR_ACK or LLR_NACK acknowledged
	repeat bool   // an LLR_ACK is owed although no frame was forwarded since the last LLR_ACK
}

// ackDelay is the delay of an owed LLR_ACK.
type ackDelay struct {
	on    bool      // the delay has begun
	since wire.Time // when a poll first found the LLR_ACK owed
}

// OwesAck reports whether the receiver has an LLR_ACK to send to the partner.
func (r *Rx) OwesAck() bool { return r.owed }

// KeepFrames makes LLR_ACK acknowledge only those accepted frames that the caller has reported by Forwarded. An
// LLR_NACK still acknowledges every accepted frame, so in state SEND_NACK the caller must forward all of them before
// the next poll. Without KeepFrames the next poll acknowledges every accepted frame.
func (r *Rx) KeepFrames() {
	r.forward.keeps = true
	r.Forwarded()
	r.forward.acked, r.forward.repeat = r.next, r.owed
}

// Forwarded records that the caller has forwarded all frames accepted so far, so that LLR_ACK may acknowledge them.
func (r *Rx) Forwarded() { r.forward.next = r.next }

// clearOwed records that no LLR_ACK must be sent to the partner.
func (r *Rx) clearOwed() { r.owed, r.octets, r.delay.on, r.forward.repeat = false, 0, false, false }

// oweAck records that an LLR_ACK must be sent for a frame that carries length octets.
func (r *Rx) oweAck(length int) {
	r.owed = true
	r.octets += length
}

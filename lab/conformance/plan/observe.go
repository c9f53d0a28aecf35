package plan

import "uelink/wire"

// goBackN and selective are the kinds of replay that lossy cases run with.
const (
	goBackN   = "go_back_n"
	selective = "selective"
)

// answers is the mistakes of a receiver: answers sent that do not fit the frames received.
type answers struct {
	needless    int // LLR_NACKs while no frame was missing
	misnumbered int // LLR_NACKs with another number than that of the last frame in order
	early       int // LLR_ACKs between an LLR_NACK and the missing frame, in go-back-N
	silent      int // gaps that were closed without an LLR_NACK
}

// observer follows the frames of one receiver's link port.
type observer struct {
	answers
	started bool
	next    uint32          // number expected next
	behind  map[uint32]bool // with selective replay: numbers of frames received after a missing frame
	gap     bool            // a frame is missing
	asked   bool            // an LLR_NACK was sent for the gap
	copies  bool            // frames were received twice since the last LLR_ACK: LLR_ACKs may repeat the number
	replay  string
	nack    uint8 // number of the last LLR_NACK
}

// observe returns the errors of the receiver at a link port, from the frames of the port.
func observe(frames []seen, replay string) answers {
	o := observer{behind: map[uint32]bool{}, replay: replay}
	for _, f := range frames {
		switch {
		case f.data && !f.out:
			o.received(f)
		case f.out:
			o.answered(f)
		}
	}
	return o.answers
}

// received follows a numbered frame that has come in.
func (o *observer) received(f seen) {
	if !o.started {
		o.started, o.next = true, f.seq
	}
	switch {
	case f.seq == o.next && f.bad:
		o.open()
	case f.seq == o.next: // in order; it may close the gap, or leave a later gap open
		o.next = wire.SeqAdd(o.next, 1)
		for o.behind[o.next] {
			delete(o.behind, o.next)
			o.next = wire.SeqAdd(o.next, 1)
		}
		if o.gap && !o.asked {
			o.silent++
		}
		o.gap, o.asked = len(o.behind) > 0, len(o.behind) > 0
	case wire.SeqBehind(o.next, f.seq):
		o.copies = true
	default: // frames before this frame are missing
		o.open()
		if o.replay == selective && !f.bad {
			o.behind[f.seq] = true
		}
	}
}

// open records that a frame is missing, for which no LLR_NACK has been sent yet. An open gap stays as it is.
func (o *observer) open() {
	if !o.gap {
		o.gap, o.asked, o.copies = true, false, false
	}
}

// answered follows a control frame that has gone out.
func (o *observer) answered(f seen) {
	var received wire.Received
	for _, c := range f.sets {
		if r, ok := c.Received(); ok {
			received = r
		}
		switch c.Type {
		case wire.LLRNack:
			o.sentNack(c, received)
		case wire.LLRAck:
			if o.gap && o.asked && !o.copies && o.replay == goBackN {
				o.early++
			}
		case wire.LLRInit, wire.LLRInitEcho, wire.CFUpdate, wire.StationCtlOS, wire.ChannelCtlOS, wire.GapCtlOS:
		}
	}
}

// sentNack follows an LLR_NACK. A copy has the number of the last LLR_NACK, and asks for nothing new.
func (o *observer) sentNack(c wire.CtlOS, received wire.Received) {
	copied := received.Nack > 0 && received.Nack == o.nack
	o.nack = received.Nack
	switch {
	case copied || !o.started:
		return
	case !o.gap && !received.Again:
		o.needless++
	case c.Seq != wire.SeqAdd(o.next, -1):
		o.misnumbered++
	}
	o.asked = true
}

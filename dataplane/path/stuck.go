package path

import (
	"fmt"
	"net"

	"uelink/llr"
	"uelink/wire"
)

// noteFlush records, after LLR has flushed its frames, the frame that did not get through. The caller must call it
// before the slots are freed, because they hold the frame's addresses.
func (l *Link) noteFlush() {
	if n := l.LLR.Tx.Flushes(); n != l.flushes {
		l.flushes = n
		l.flushed = l.frameText(l.LLR.Tx.FlushedFrame())
	}
}

// frameText returns in words the length and the addresses of a frame held by LLR; empty if no frame is held.
func (l *Link) frameText(f llr.Stuck) string {
	if f.Length == 0 || !l.Attached() {
		return ""
	}
	addr := l.Slots.addr(f.Slot)
	octets := l.sources[0].area[addr:]
	if p, fault := wire.ParsePreamble(octets[wire.HeaderLen:], l.settings.Dialect); fault == wire.NoFault {
		at, _ := p.CarriedParts()
		octets = octets[at:]
	}
	octets = octets[:wire.AddressesLen]
	return fmt.Sprintf("%d octets from %v to %v", f.Length,
		net.HardwareAddr(octets[wire.AddrLen:]), net.HardwareAddr(octets[:wire.AddrLen]))
}

// flushText returns in words why LLR has flushed its frames the last time, and which frame was not acknowledged;
// empty after the text was cleared.
func (l *Link) flushText() string {
	reason := l.LLR.Tx.FlushReason()
	if reason == "" || l.flushed == "" {
		return reason
	}
	return fmt.Sprintf("%s: a frame of %s was not acknowledged", reason, l.flushed)
}

// flushedText returns the text of the event about a flush, with the number of frames lost.
func (l *Link) flushedText() string {
	return fmt.Sprintf("FLUSH: %s; frames lost by flushes so far (tx_flushed): %d", l.flushText(),
		l.LLR.Counters().TxFlushedFrames)
}

// stalledText returns in words the frame that replays do not get through to the partner; empty if there is none.
func (l *Link) stalledText() string {
	f, replays := l.LLR.Tx.Stalled()
	if replays == 0 {
		return ""
	}
	return fmt.Sprintf("a frame of %s is not acknowledged: %d replays without progress", l.frameText(f), replays)
}

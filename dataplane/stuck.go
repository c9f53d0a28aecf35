package dataplane

import (
	"fmt"
	"net"

	"uelink/llr"
	"uelink/wire"
)

// noteFlush remembers the frame that did not get through when LLR has flushed: it is to
// be called before the slots go back, which hold its addresses.
func (l *link) noteFlush() {
	if n := l.llr.Tx.Flushes(); n != l.flushes {
		l.flushes = n
		l.flushed = l.frameText(l.llr.Tx.FlushedFrame())
	}
}

// frameText is the length and the addresses of a frame that LLR holds; empty if there is
// none.
func (l *link) frameText(f llr.Stuck) string {
	if f.Length == 0 || !l.attached() {
		return ""
	}
	addr := l.slots.addr(f.Slot)
	octets := l.sources[0].area[addr:]
	if p, fault := wire.ParsePreamble(octets[wire.HeaderLen:], l.settings.Dialect); fault == wire.NoFault {
		at, _ := p.CarriedParts()
		octets = octets[at:]
	}
	octets = octets[:wire.AddressesLen]
	return fmt.Sprintf("%d octets from %v to %v", f.Length,
		net.HardwareAddr(octets[wire.AddrLen:]), net.HardwareAddr(octets[:wire.AddrLen]))
}

// flushText says why LLR has flushed, and for which frame; empty if that was cleared.
func (l *link) flushText() string {
	reason := l.llr.Tx.FlushReason()
	if reason == "" || l.flushed == "" {
		return reason
	}
	return fmt.Sprintf("%s: a frame of %s was not acknowledged", reason, l.flushed)
}

// stalledText says which frame no replay brings across; empty if all is well.
func (l *link) stalledText() string {
	f, replays := l.llr.Tx.Stalled()
	if replays == 0 {
		return ""
	}
	return fmt.Sprintf("a frame of %s is not acknowledged: %d replays without progress", l.frameText(f), replays)
}

package path

import (
	"fmt"

	"uelink/dataplane/bridge"
	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/trouble"
	"uelink/internal/events"
	"uelink/llr"
	"uelink/wire"
)

// switched forwards a frame received from an edge, or the frame carried by a link, as the bridge decides. It
// reports whether the frame waits in its chunk, which must then be kept.
func (d *Domain) switched(s *source, desc *frame.Desc, class uint8, now wire.Time) (retained bool) {
	f := s.area[desc.Addr : desc.Addr+uint64(desc.Len)]
	v := d.Bridge.Decide(s.port.Number, f, f[2*wire.AddrLen:], now)
	return d.spread(s, desc, &v, class, now)
}

// switchedData checks and forwards a data frame of a link as the bridge decides, and reports whether its chunk
// must be kept. If exactly one edge gets the frame unchanged and at once, the frame is copied to the edge before
// LLR's verdict. The bridge learns the source address after the verdict.
func (d *Domain) switchedData(l *Link, s *source, desc *frame.Desc, p wire.Preamble, now wire.Time) (retained bool) {
	f := s.area[desc.Addr : desc.Addr+uint64(desc.Len)]
	n := p.CarriedLen(len(f))
	at, rest := p.CarriedParts()
	v := d.Bridge.Decide(l.Port.Number, f[at:], f[rest:], now)
	to := d.directChunk(l, &v, n, p.VC)
	fcs := l.check(f, p, to)
	if verdict := l.decide(f, p, fcs, n); verdict != llr.Deliver {
		return verdict == llr.Keep && l.keep(s, desc, p, fcs, n)
	}
	if to == nil {
		strip(s.area, desc, p, n)
		l.arrive(s, p.VC, n)
		return l.settle(s, d.spread(s, desc, &v, p.VC, now))
	}
	l.passing(p.VC, n)
	if d.Bridge.Admit(l.Port.Number, f[at:], &v, now) {
		out := d.ports[v.Out]
		if v.EtherType == wire.EtherTypeARP {
			d.conflicts.receivedARP(d, &l.Port, to[:n], v.VLAN, now)
		}
		out.emit(n, out.queueOf(p.VC))
	}
	return false
}

// warm reads the slots of a large address table that the frames of a batch will look up, so that the CPU fetches
// their cache lines in parallel. at is the offset of the addresses in a carried frame, rest the offset of the
// octets after the addresses.
func (d *Domain) warm(s *source, descs []frame.Desc, at, rest int) {
	if d.Bridge == nil || !d.Bridge.Large() {
		return
	}
	for _, desc := range descs {
		if f := s.area[desc.Addr : desc.Addr+uint64(desc.Len)]; len(f) >= rest+2 {
			d.warmed += d.Bridge.Warm(s.port.Number, f[at:], f[rest:])
		}
	}
}

// directChunk returns a TX chunk of the only edge that gets a frame of n octets of a class. It returns nil if the
// frame is dropped, flooded or retagged, or cannot leave at once.
func (d *Domain) directChunk(l *Link, v *bridge.Verdict, n int, class uint8) []byte {
	if v.Drop != bridge.NoReason || v.Out == bridge.Flood {
		return nil
	}
	if retag, ok := d.Bridge.Egress(l.Port.Number, v.Out, v); !ok || retag.Op != wire.RetagKeep {
		return nil
	}
	return d.ports[v.Out].chunk(n, class)
}

// spread forwards a frame to the port, or the flooded ports, that the bridge's verdict v names. It counts a frame
// dropped by a mistake of configuration (noteBridgeDrop), and notes which IP address an ARP frame claims. retained
// reports whether the frame waits in its chunk, which must then be kept.
func (d *Domain) spread(s *source, desc *frame.Desc, v *bridge.Verdict, class uint8, now wire.Time) (retained bool) {
	in := s.port.Number
	if v.Drop == bridge.DropReserved || v.Drop == bridge.DropVLAN {
		s.port.noteBridgeDrop(s.area[desc.Addr:desc.Addr+uint64(desc.Len)], v)
	}
	if !d.Bridge.Admit(in, s.area[desc.Addr:], v, now) {
		return false
	}
	if v.EtherType == wire.EtherTypeARP {
		d.conflicts.receivedARP(d, s.port, s.area[desc.Addr:desc.Addr+uint64(desc.Len)], v.VLAN, now)
	}
	if v.Out != bridge.Flood {
		retag, ok := d.Bridge.Egress(in, v.Out, v)
		return ok && d.pass(s, desc, d.ports[v.Out], class, retag, now)
	}
	for _, out := range d.Bridge.Members(v) {
		if retag, ok := d.Bridge.Egress(in, int(out), v); ok && d.pass(s, desc, d.ports[out], class, retag, now) {
			retained = true
		}
	}
	return retained
}

// learning is the state of those problems of a bridge with addresses whose end must be reported, too: addresses that
// move to and fro, and a full table.
type learning struct {
	addresses bool             // an address moves to and fro between two ports
	moves     trouble.Dropping // tells when addresses begin and cease to move from port to port
	at        int              // number of the port to which an address that moves to and fro has moved last
	full      int              // number of the port that last found the address table full
}

// movesLast is the time without a moved address after which none moves to and fro any more, in nanoseconds.
const movesLast = 2e9

// reportBridge publishes the bridge's events since the last call to the subscribers: moved and flapping addresses,
// ports blocked or not any more, a full table and its room again. It keeps in d.learning which problems are reported,
// and publishes the end of flapping, of which the bridge has no event (reportMoves).
func (d *Domain) reportBridge(h *model.Hub, now wire.Time) {
	d.events = d.Bridge.Events(d.events[:0])
	for i := range d.events {
		e := &d.events[i]
		switch e.Kind {
		case bridge.Flapping:
			d.learning.addresses, d.learning.at = true, e.To
			d.learning.moves.Update(d.Bridge.Counters().FDBMoves+1, int64(now), movesLast)
		case bridge.TableFull:
			d.learning.full = e.To
		case bridge.Room:
			e.To = d.learning.full
		case bridge.Moved, bridge.Blocked, bridge.Unblocked:
		}
		level := model.WarnIf(e.Kind != bridge.Room && e.Kind != bridge.Unblocked)
		h.PublishAt(level, d.PortName(e.To), model.EventFDB, d.eventText(e))
	}
	if d.learning.addresses {
		d.reportMoves(h, now)
	}
}

// reportMoves publishes that no address moves to and fro any more.
func (d *Domain) reportMoves(h *model.Hub, now wire.Time) {
	m := &d.learning.moves
	m.Update(d.Bridge.Counters().FDBMoves, int64(now), movesLast)
	if !m.Now {
		d.learning.addresses = false
		h.PublishAt(events.Info, d.PortName(d.learning.at), model.EventFDB, "over: no address moves to and fro any more")
	}
}

// eventText returns the text of a bridge's event for people: the address, the ports, and the question that leads to
// the cause.
func (d *Domain) eventText(e *bridge.Event) string {
	from, to := d.PortName(e.From), d.PortName(e.To)
	address := e.Address.String()
	if e.Address.VLAN != 0 {
		address += fmt.Sprintf(" in VLAN %d", e.Address.VLAN)
	}
	switch e.Kind {
	case bridge.Moved:
		return fmt.Sprintf("%s moved here from %s", address, from)
	case bridge.Flapping:
		return fmt.Sprintf("%s moves to and fro between %s and %s: is there a loop, or the same address twice?",
			address, from, to)
	case bridge.Blocked:
		return fmt.Sprintf("blocked for a while, because %s moves to and fro between %s and %s: is there a loop?",
			address, from, to)
	case bridge.Unblocked:
		return "no longer blocked"
	case bridge.Room:
		return "over: the address table of the bridge has room again"
	default: // bridge.TableFull
		return fmt.Sprintf("the address table of the bridge is full: frames to %s are flooded", address)
	}
}

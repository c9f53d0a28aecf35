package path

import (
	"time"

	"uelink/dataplane/frame"
	"uelink/dataplane/mem"
	"uelink/llr"
	"uelink/wire"
)

// meddle does something.
func (c *chaos) meddle() {
	e := []*end{c.a, c.b}[c.r.IntN(2)]
	switch c.kind {
	case "carrier":
		c.flap(c.r)
	case "forged":
		c.forge(e)
	case "restart":
		switch c.r.IntN(6) {
		case 0:
			c.restart(e)
		case 1:
			c.stale(e)
		}
	case "dynamic":
		c.negotiate()
	case "address":
		e.x.SetMAC(&e.l.Port, wire.MAC{2, 0, 0, 0, 1, byte(c.r.Uint32())}, c.now)
		c.pass(time.Duration(c.r.Int64N(2e9)))
	case "held":
		edge := c.edges[e.name]
		edge.hold, edge.letGo = !edge.hold, c.r.IntN(4)
		c.pass(time.Duration(c.r.Int64N(30e6)))
	}
	if c.kind != "restart" && c.r.IntN(4) == 0 {
		c.stale(e)
	}
}

// forge gives an end control that its partner has not sent: anything but what
// acknowledges frames that the partner does not have.
func (c *chaos) forge(e *end) {
	for range []int{1, 5, 50}[c.r.IntN(3)] {
		tx := e.l.LLR.Tx
		frames, _ := tx.Outstanding()
		acked := wire.SeqAdd(tx.NextSeq(), -1-frames)
		seq := c.r.Uint32N(wire.SeqMask + 1)
		init := [2]byte{byte(c.r.Uint32()), byte(c.r.Uint32())}
		station := wire.Station{
			Start: c.r.Uint32N(wire.StartMask), Largest: uint16(c.r.Uint32()), Longest: uint16(c.r.Uint32()),
			Busy: c.r.IntN(2) == 0,
		}
		ack := wire.CtlOS{Type: []wire.CtlOSType{wire.LLRAck, wire.LLRNack}[c.r.IntN(2)], Seq: seq}
		if wire.SeqDistance(acked, seq) <= uint32(frames) || c.r.IntN(2) == 0 {
			ack.Seq = acked
		}
		list := []wire.CtlOS{ack}
		switch c.r.IntN(4) {
		case 0:
			list = []wire.CtlOS{{Type: wire.LLRInit, Seq: seq, InitData: init}}
		case 1:
			list = append(station.Items(nil), wire.CtlOS{Type: wire.LLRInit, Seq: seq, InitData: init})
		case 2:
			list = []wire.CtlOS{{Type: wire.LLRInitEcho, Seq: seq, InitData: init}}
		}
		from := []wire.MAC{{2, 9}, e.l.Partner.MAC(), e.l.Port.iface.mac, {3, 9}, {}}[c.r.IntN(5)]
		e.l.readControl(controlTo(wire.ControlDA, from, list...), c.now)
		c.pass(time.Duration(c.r.Int64N(100e3)))
	}
}

// stale gives an end a control frame of its partner again that came long ago; but not one
// that has just come up and knows of nothing, which cannot tell.
func (c *chaos) stale(e *end) {
	if old := c.heard[e.name]; len(old) > 4 && e.l.Port.Ready() && e.l.LLR.Rx.Live() {
		e.l.readControl(old[c.r.IntN(len(old)-4)], c.now)
	}
}

// restart kills an end and starts another in its place, with numbers of its own, which finds the bookmark of the first
// in three cases out of four. What it
// acknowledged is not said again to one that has not sent it.
func (c *chaos) restart(e *end) {
	dev := e.link.Successor()
	for stop := (c.now + 1e6).Add((2*c.o.wire.Delay + 2*c.o.wire.Jitter)); c.now < stop; c.now += 10e3 {
		c.peer(e).x.Step(c.now)
	}
	c.starts++
	id := Identity{Seq: c.r.Uint32() & wire.SeqMask, Nonce: [2]byte{byte(c.r.Uint32()), byte(c.r.Uint32())},
		Start: 1<<20 + c.starts}
	edge, at := e.edge.device().(*mem.Device).Successor(), e.l.Bookmark.place
	l := NewLink(c.o.ports, c.o.profileOf(e.name), id, 2*time.Second, c.now)
	e.connect(NewPort(c.o.edge, llr.Profile{}, 0, c.now), l)
	if c.r.IntN(4) > 0 {
		e.l.Bookmark.Set(at)
	}
	e.x.Attach(e.edge, []frame.Device{edge}, wire.MAC{2}, c.o.mtu)
	e.x.SetUp(e.edge, true, c.now)
	e.plug(c.pair, dev, c.r.Uint64())
	c.tap(e)
	for name, frames := range c.heard {
		c.heard[name] = withoutAcks(frames)
	}
}

func (c *chaos) peer(e *end) *end {
	if e == c.a {
		return c.b
	}
	return c.a
}

// withoutAcks takes acknowledgements out of control frames: numbers of a start that is
// over may by chance be those of the next.
func withoutAcks(frames [][]byte) (left [][]byte) {
	for _, f := range frames {
		var list [wire.MaxCtlOS]wire.CtlOS
		n, _, _ := wire.ParseControl(f, &list)
		rest := list[:0]
		for _, ctl := range list[:n] {
			if ctl.Type != wire.LLRAck && ctl.Type != wire.LLRNack {
				rest = append(rest, ctl)
			}
		}
		if len(rest) > 0 {
			frame := control(rest...)
			copy(frame, f[:2*wire.AddrLen])
			left = append(left, frame)
		}
	}
	return left
}

package trouble

import (
	"fmt"
	"strings"
	"time"

	"uelink/dataplane/frame"
	"uelink/dataplane/model"
)

// Counters holds all counts that the kernel keeps of a port's frames.
type Counters struct {
	frame.Stats
	model.DeviceCounters
}

// Drops is the facts about the frames that the kernel drops at a port.
type Drops struct {
	Counters                      // since the port was added
	Settings  *model.PortSettings // with the interface's name in the configuration
	Interface string              // the kernel's name
	MTU       int                 // octets
	Pieces    int                 // number of chunks that a frame may fill
	Bound     int                 // most frames that wait in the RX queue while the queue is bounded (rx_queue_bounded)

	Host        HostEnd // edge on a veth
	NoCarrier   bool    // the host's end has no carrier, because the link is lost
	PushChanged bool    // push_back has changed the host's end since the last check
}

// HostEnd is the host's end of the veth of an edge, as far as it is within reach.
type HostEnd struct {
	Seen  bool // the host's end was found: the other values are valid
	Name  string
	Qdisc string // kind of the root queueing discipline
	MTU   int    // octets
}

// dropPoint is a place where the kernel drops frames of a port, before the worker receives them or after the worker
// has sent them.
type dropPoint struct {
	kind  Kind
	count func(c *Counters) uint64
	text  func(f *Drops) string // the event, its likely cause, and the cure
}

// dropPoints returns the places where the kernel may drop frames of a port, each with its counter and the text of its
// trouble.
func dropPoints() []dropPoint {
	return []dropPoint{
		{RxRing, func(c *Counters) uint64 { return c.RxRingFull }, ringText},
		{NoChunk, func(c *Counters) uint64 { return c.RxDropped }, chunksText},
		{Pieces, func(c *Counters) uint64 { return c.RxPiecesTooLong }, piecesText},
		{NoPlace, func(c *Counters) uint64 { return c.RxPiecesNoPlace }, placesText},
		{Missed, func(c *Counters) uint64 { return c.RxMissed }, missedText},
		{HostTx, func(c *Counters) uint64 { return c.HostTxDropped }, hostTxText},
		{HostQdisc, func(c *Counters) uint64 { return c.HostQdiscDropped }, qdiscText},
		{SuperRoom, func(c *Counters) uint64 { return c.RxSuperNoRoom }, superRoomText},
		{SuperLost, func(c *Counters) uint64 { return c.RxSuperMalformed + c.TxSuperRefused }, superLostText},
		{TooLong, func(c *Counters) uint64 { return c.RxTooLong }, tooLongText},
		{Driver, func(c *Counters) uint64 { return c.TxErrors + c.DeviceCounters.TxDropped }, driverText},
		{Descriptors, func(c *Counters) uint64 { return c.RxInvalidDescs + c.TxInvalidDescs }, descriptorsText},
	}
}

// DropsQuiet is the number of ticks without a dropped frame that end the trouble of a drop point: 10 s. After
// DropsPause ticks without a dropped frame, the text says when the last frame was dropped.
const (
	DropsQuiet = 40
	DropsPause = 4
)

// lateDrops is the number of ticks for which drops of frames too long for an MTU may be counted after the MTU was
// raised.
const lateDrops = 8

// byLength reports whether a drop point drops the frames that are longer than an MTU. The queueing discipline of a host
// does so, too: a discipline that shapes takes no frame longer than its MTU.
func (p *dropPoint) byLength() bool {
	return p.kind == Pieces || p.kind == TooLong || p.kind == HostQdisc
}

// lengths is the MTUs of the two ends of an interface, 0 where they are not known, and the tick at which longer frames
// began to fit.
type lengths struct{ near, far, fitAt int }

// record records the MTUs at a tick.
func (l *lengths) record(near, far, tick int) {
	if l.near != 0 && (near > l.near || far < l.far) {
		l.fitAt = tick
	}
	l.near, l.far = near, far
}

// SkipDrops takes the present counts as the start, so that only later drops are reported: the former drops were before
// the interface was attached.
func (m *Monitor) SkipDrops(c *Counters) {
	for _, p := range dropPoints() {
		m.drops[p.kind].Seen = p.count(c)
	}
}

// CheckDrops begins a trouble for each drop point that begins to drop frames, and ends it after DropsQuiet ticks
// without a drop; a trouble of too long frames ends at once when longer frames fit. tick is the number of the tick, now
// its time of day.
func (m *Monitor) CheckDrops(f *Drops, tick int, now time.Time) {
	m.lengths.record(f.MTU, f.Host.MTU, tick)
	for _, p := range dropPoints() {
		d := &m.drops[p.kind]
		if m.lengths.fitAt > 0 && tick-m.lengths.fitAt < lateDrops && p.byLength() {
			d.Settle(p.count(&f.Counters))
			m.End(p.kind, fmt.Sprintf("frames fit the MTU, now %d, and are no longer dropped; %d were dropped", f.MTU, d.Lost()))
			continue
		}
		began := d.Update(p.count(&f.Counters), int64(tick), DropsQuiet)
		switch {
		case began:
			m.Begin(p.kind, p.text(f))
		case !d.Now && m.texts[p.kind] != "":
			m.End(p.kind, fmt.Sprintf("frames are no longer dropped; %d were dropped", d.Lost()))
		case d.Now:
			m.texts[p.kind] = untilNow(m.texts[p.kind], d.Quiet(int64(tick)), now)
		}
	}
}

// LastDropped begins the end of the text of a drop point's trouble while no frame is dropped; the time of day of the
// last drop follows.
const LastDropped = "; none is dropped now, the last was at "

// untilNow returns the text of a drop point's trouble, with the time of the last drop at its end if frames have not
// been dropped for a while (quiet ticks), else without it. now is the time of day.
func untilNow(text string, quiet int64, now time.Time) string {
	begin, _, past := strings.Cut(text, LastDropped)
	switch {
	case quiet < DropsPause:
		return begin
	case past:
		return text
	}
	return begin + LastDropped + now.Add(-time.Duration(quiet)*Tick).Format(time.TimeOnly)
}

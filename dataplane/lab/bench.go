package lab

import (
	"math"
	"time"

	"uelink/dataplane"
	"uelink/dataplane/fault"
	"uelink/dataplane/frame"
	"uelink/dataplane/mem"
	"uelink/llr"
	"uelink/wire"
)

// longestStep is how far the clock moves at once where nothing is due.
const longestStep = int64(time.Millisecond)

// Bench is two ends and the wire between them. It belongs to one goroutine.
type Bench struct {
	A, B    *End
	options Options
	now     int64
}

// End is one end of the link: an xconnect, and the host behind its edge port.
type End struct {
	*dataplane.Stepped
	Host  *mem.Host // sends to the edge port, and gets what leaves by it
	wire  *scripted // what comes to the link port
	delay *fault.Device
}

// New builds a bench. LLR is not up yet: see Establish.
func New(o Options) *Bench {
	b := &Bench{options: o, now: 1}
	g := frame.Geometry{
		ChunkSize: o.Chunk, RX: 4 * o.Ring, Spare: o.Ring, TX: o.Ring + o.Profile.ReplaySlots(),
	}
	x, y := mem.NewPair(g, g, o.Ring)
	b.A, b.B = b.newEnd(x, 0), b.newEnd(y, 1)
	return b
}

// newEnd makes the end on a side of the wire, 0 or 1.
func (b *Bench) newEnd(dev *mem.Device, side byte) *End {
	o := b.options
	w := o.Wire
	w.Seed = fault.Stream(o.Seed, int(side))
	e := &End{Stepped: dataplane.NewStepped(o.Edge, o.Link, o.Profile, w.Seed, b.now), wire: &scripted{Device: dev}}
	e.delay = fault.New(e.wire, w, func() int64 { return b.now })
	g := frame.Geometry{ChunkSize: o.Chunk, RX: 2 * o.Ring, Spare: o.Ring, TX: o.Ring}
	edge, host := mem.NewPair(g, frame.Geometry{ChunkSize: o.Chunk, RX: 4 * o.Ring, TX: o.Ring}, o.Ring)
	e.Host = mem.NewHost(host)
	e.AttachEdge(edge, wire.MAC{2, 0, 0, 0, 1, side}, o.MTU, b.now)
	e.AttachLink(e.delay, wire.MAC{2, 0, 0, 0, 0, side}, o.MTU+wire.Overhead, o.Speed, b.now)
	return e
}

// Arriving has a script see what comes to an end's link port from now on; nil for none.
func (e *End) Arriving(s Script) { e.wire.script = s }

// Now is the time of the virtual clock, in nanoseconds.
func (b *Bench) Now() int64 { return b.now }

// Round works both ends once and moves the clock: by a step after work, else to what is due next,
// or to a time that is given, whatever comes first.
func (b *Bench) Round(latest int64) {
	next, work := latest, 0
	for _, e := range []*End{b.A, b.B} {
		n, at := e.Step(b.now)
		work += n
		next = min(next, at, e.delay.Next())
	}
	if work > 0 {
		b.now += int64(b.options.Step)
		return
	}
	b.now = max(b.now+int64(b.options.Step), min(next, b.now+longestStep))
}

// Until works until done says so, asked before every round; false after the given time.
func (b *Bench) Until(done func() bool, limit time.Duration) bool {
	for end := b.now + int64(limit); !done(); b.Round(math.MaxInt64) {
		if b.now > end {
			return false
		}
	}
	return true
}

// Establish works until LLR is as it is configured to be at both ends and they know each other;
// false if that takes longer than a second.
func (b *Bench) Establish() bool {
	return b.Until(func() bool { return b.A.established() && b.B.established() }, time.Second)
}

func (e *End) established() bool {
	l := e.Link().LLR
	off := !l.Local && !l.Remote // then it only answers, and need not know the other one
	return (l.PartnerKnown || off) &&
		(!l.Remote || l.TxStatus == llr.TxAdvance) && (!l.Local || l.RxStatus == llr.RxSendAcks)
}

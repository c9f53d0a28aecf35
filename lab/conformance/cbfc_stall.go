package conformance

import (
	"time"

	"uelink/dataplane/model"
	"uelink/lab/simulated"
)

// stallLimit is the credit limit of VCs that stall and of VCs at line rate. The limit is enough for frames of 64 octets
// at line rate: frames sent in the shortest time between two CF_Updates (CFMinSpacing octets) use fewer credits.
const stallLimit = 256

// heldOf returns how many credits of a limit are in use when a VC stalls: as many as whole frames of the trial's
// size need.
func (t *trial) heldOf(limit uint64) uint64 {
	c := cost(t.size, chunkCredits)
	return limit / c * c
}

// lossless records how many frames all ends have dropped, and how many frames came beyond their credits. Both
// counts must be 0.
func (t *trial) lossless(b *simulated.Bench) {
	drops, overruns := uint64(0), uint64(0)
	for _, e := range append(b.Senders[:len(b.Senders):len(b.Senders)], b.B) {
		drops += dropped(e)
		for i := range e.Links() {
			overruns += overrunsOf(e.LinkTo(i))
		}
	}
	t.exact("frames that an end has dropped", 0, drops)
	t.exact("frames received for which the receiver had granted no credits", 0, overruns)
}

// overrunsOf returns how many frames arrived at a link beyond the credits that the link had granted, over all its
// VCs.
func overrunsOf(p model.PortState) (frames uint64) {
	if p.CBFC == nil {
		return 0
	}
	for i := range p.CBFC.VCs {
		frames += p.CBFC.VCs[i].Counters.Overruns
	}
	return frames
}

// drainRates runs CBFC-04 and records the results: the host of B drains at 100 %, 50 % and 0 % of the line rate.
func drainRates(t *trial) {
	for _, c := range []struct {
		size   int
		frames uint64
	}{{64, 20_000}, {1518, 4000}, {9216, 1500}} {
		t.size = c.size
		t.drains("drain rate of B's host 100 %", c.frames, lineRate)
		t.drains("drain rate of B's host 50 %", c.frames, lineRate/2)
		t.drainsNothing()
	}
}

// drains sends frames at line rate to a receiver that drains at another rate, and records that A waits for credits.
func (t *trial) drains(note string, frames, rate uint64) {
	t.note = note
	b := t.bench(func(o *simulated.Options) {
		credited(o, 2, 1<<1, stallLimit, chunkCredits)
		o.Drain = rate
	})
	s := t.onVC(b, b.A, 1, frames)
	s.Interval = t.lineInterval(1)
	b.Carry(s)
	t.near("frames a second", "Mpps", t.edgeRate(float64(rate)), s.FramesPerSecond()/1e6)
	t.flag("A has waited for credits", rate < lineRate, vcOf(b.A, 1).Counters.BlockedFrames > 0)
	t.whole(s)
	t.lossless(b)
	t.atRest(b)
	t.note = ""
}

// drainsNothing records the 0 % part of CBFC-04: the host of B stops its edge altogether, A uses up its credits
// and pauses its host; then the host of B goes on, and all frames arrive.
func (t *trial) drainsNothing() {
	b := t.bench(func(o *simulated.Options) { credited(o, 2, 1<<1, stallLimit, chunkCredits) })
	s := t.onVC(b, b.A, 1, 2*(xOff+stallLimit))
	s.Interval = t.lineInterval(1)
	b.Stop(b.B, 1<<1) // by PFC of priority 1
	b.Carry(s)
	t.note = "drain rate of B's host 0 %"
	t.exact("frames delivered", 0, s.Delivered)
	t.exact("A SENDER_CREDITS_USED", t.heldOf(stallLimit), uint64(vcOf(b.A, 1).Sender.Used))
	t.flag("A has paused its host (PFC)", true, b.A.Host.Paused(b.Now())>>1&1 == 1)
	t.note = "drain rate of B's host 0 %, then 100 %"
	b.Stop(b.B, 0) // no priority: the host of B goes on
	b.Resume(s)
	t.whole(s)
	t.lossless(b)
	t.atRest(b)
	t.note = ""
}

// perVC runs CBFC-08 and records the results: VC 1 is stalled, and VC 2 keeps its full rate.
func perVC(t *trial) {
	for _, t.size = range countSizes() {
		b := t.bench(func(o *simulated.Options) { credited(o, 3, 1<<1|1<<2, stallLimit, chunkCredits) })
		vc1, vc2 := t.halves(b)
		b.Stop(b.B, 1<<1)
		b.Carry(vc1, vc2)
		t.note = "VC 1 stalled"
		t.exact("VC 1: frames delivered", 0, vc1.Delivered)
		t.exact("VC 1: A SENDER_CREDITS_USED", t.heldOf(stallLimit), uint64(vcOf(b.A, 1).Sender.Used))
		t.exact("VC 2: frames of A that waited for credits", 0, vcOf(b.A, 2).Counters.BlockedFrames)
		t.near("VC 2: frames a second", "Mpps", t.edgeRate(lineRate/2), vc2.FramesPerSecond()/1e6)
		t.exact("VC 2: frames lost", 0, vc2.Frames-vc2.Delivered)
		t.resume(b, vc1, vc2)
	}
}

// halves returns two streams of 2,000 frames from A to B, on VC 1 and on VC 2, each at half the line rate. They
// are not sent yet.
func (t *trial) halves(b *simulated.Bench) (vc1, vc2 *simulated.Stream) {
	vc1, vc2 = t.onVC(b, b.A, 1, 2000), t.onVC(b, b.A, 2, 2000)
	vc1.Interval, vc2.Interval = t.lineInterval(0.5), t.lineInterval(0.5)
	return vc1, vc2
}

// resume lets the stopped host of B go on, carries the rest of the streams, and records whether every frame
// arrived.
func (t *trial) resume(b *simulated.Bench, streams ...*simulated.Stream) {
	t.note = "VC 1 drains again"
	b.Stop(b.B, 0)
	b.Resume(streams...)
	for _, s := range streams {
		t.whole(s)
	}
	t.lossless(b)
	t.atRest(b)
	t.note = ""
}

// Of CBFC-09: portTotal is the credits of the whole port, portReserved the part reserved for VC 2.
const (
	portTotal    = 512
	portReserved = 256
)

// perPort runs CBFC-09 and records the results: stalled VC 1 uses all credits of the port, so VC 2 stalls too.
// With reserved credits, VC 2 keeps its rate.
func perPort(t *trial) {
	for _, t.size = range countSizes() {
		b, vc1, vc2 := t.coupled("all credits shared", 0)
		t.exact("A CBFC_SENDER_CREDITS_USED", t.heldOf(portTotal), used(b.A))
		t.exact("VC 2: frames delivered", 0, vc2.Delivered)
		t.resume(b, vc1, vc2)
		b, vc1, vc2 = t.coupled("RESERVED_CREDIT_SIZE of VC 2 is half of the port's credits", portReserved)
		t.exact("VC 1: A SENDER_CREDITS_USED", t.heldOf(portTotal-portReserved), uint64(vcOf(b.A, 1).Sender.Used))
		t.near("VC 2: frames a second", "Mpps", t.edgeRate(lineRate/2), vc2.FramesPerSecond()/1e6)
		t.exact("VC 2: frames lost", 0, vc2.Frames-vc2.Delivered)
		t.resume(b, vc1, vc2)
	}
}

// coupled makes two ends whose VCs share the port's credits, reserved of them kept for VC 2; a stream on VC 1, whose
// receiver frees no buffer, uses up the shared credits until VC 1 stalls, and a stream on VC 2 then sends until it has
// no credits either. note goes into the records.
func (t *trial) coupled(note string, reserved uint16) (b *simulated.Bench, vc1, vc2 *simulated.Stream) {
	b = t.bench(func(o *simulated.Options) {
		credited(o, 3, 1<<1|1<<2, portTotal, chunkCredits)
		total(&o.Link, portTotal, reserved)
	})
	vc1, vc2 = t.halves(b)
	t.note = note
	b.Stop(b.B, 1<<1)
	b.Begin(vc1)
	b.Run(5*time.Millisecond, vc1)
	b.Begin(vc2)
	b.Resume(vc1, vc2)
	return b, vc1, vc2
}

// total makes a link's settings grant this many credits to all its VCs together, reserved of them kept for VC 2.
func total(l *model.PortSettings, credits, reserved uint16) {
	l.CBFC.Total = credits
	l.CBFC.Profile[2].Reserved = reserved
}

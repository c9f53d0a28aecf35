package web

import (
	"time"

	"uelink/control/api"
)

// The page shows rates and levels as curves. A curve has as many values as points says, one for each sampleEvery.
const (
	sampleEvery = 2 * refreshEvery
	points      = 150
	span        = points * sampleEvery // ten minutes
)

// The curves of a port.
const (
	curveTx      = iota // frames sent a second
	curveRx             // frames received a second
	curveReplays        // replays a second (LLR), or micropackets sent again (HIPPI-6400-PH)
	curveWindow         // frames or micropackets not yet acknowledged
	curveWaiting        // frames that wait to leave by the port
	curveDrops          // frames dropped a second
	curves
)

// track is the curves of a port: a ring of the latest values.
type track struct {
	values [curves][points]float32
	next   int // place of the next value
	length int // number of values in the ring
	last   counts

	txBits, rxBits float32 // bits a second at the latest sample; octets without FCS
}

// counts are the counters from which the rates of a port are made.
type counts struct{ tx, rx, txOctets, rxOctets, replays, drops uint64 }

// countsOf returns the present counters of a port from which its rates are made.
func countsOf(p *api.Port) counts {
	c := counts{tx: p.Counters.TxFrames, rx: p.Counters.RxFrames, txOctets: p.Counters.TxOctets,
		rxOctets: p.Counters.RxOctets, drops: p.RxDropped + p.TxDropped}
	switch {
	case p.LLR != nil:
		c.replays = p.LLR.Counters.TxReplay
	case p.HIPPI != nil:
		c.replays = p.HIPPI.Counters.TxRetransmitted
	}
	return c
}

// add appends the values of a port, read the time after later than in the last call.
func (t *track) add(p *api.Port, after time.Duration) {
	now, before := countsOf(p), t.last
	t.last = now
	rate := func(before, now uint64) float32 {
		if now < before || after <= 0 { // cleared
			return 0
		}
		return float32(float64(now-before) / after.Seconds())
	}
	t.txBits, t.rxBits = 8*rate(before.txOctets, now.txOctets), 8*rate(before.rxOctets, now.rxOctets)
	for curve, value := range [curves]float32{
		curveTx: rate(before.tx, now.tx), curveRx: rate(before.rx, now.rx),
		curveReplays: rate(before.replays, now.replays), curveDrops: rate(before.drops, now.drops),
		curveWindow: float32(outstanding(p)), curveWaiting: float32(p.QueuedFrames),
	} {
		t.values[curve][t.next] = value
	}
	t.next = (t.next + 1) % points
	t.length = min(t.length+1, points)
}

// curve returns the values of a curve, the oldest first.
func (t *track) curve(kind int) []float32 {
	list := make([]float32, 0, t.length)
	for i := range t.length {
		list = append(list, t.values[kind][(t.next-t.length+i+points)%points])
	}
	return list
}

// outstanding returns the frames or micropackets of a link that are not acknowledged.
func outstanding(p *api.Port) int {
	switch {
	case p.LLR != nil:
		return p.LLR.OutstandingFrames
	case p.HIPPI != nil:
		return p.HIPPI.Outstanding
	}
	return 0
}

// history has the curves of every port.
type history struct {
	tracks map[string]*track // by port
	at     time.Time         // time of the latest values; zero: no values
}

// add appends the values of all ports. Ports that are gone are forgotten. A new port has rates from its second call on.
func (h *history) add(l *look) {
	after := l.at.Sub(h.at)
	tracks := make(map[string]*track, len(l.ports))
	for i := range l.ports {
		p := &l.ports[i]
		if t := h.tracks[p.Name]; t != nil {
			t.add(p, after)
			tracks[p.Name] = t
			continue
		}
		tracks[p.Name] = &track{last: countsOf(p)}
	}
	h.tracks, h.at = tracks, l.at
}

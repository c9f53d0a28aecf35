// Package wiretest holds the parts common to simulated wires: packets in transit in virtual time.
package wiretest

import "uelink/wire"

// Arrivals are the packets on a wire, each with its time of arrival. Packets with the same time
// arrive in the order of Put. The zero value is an empty wire.
type Arrivals[P any] struct {
	heap  []arrival[P] // a binary heap, the next arrival first
	order uint64       // grows by 2 with each packet put, so that PutBehind finds a number in between
}

// arrival is a packet with its time of arrival.
type arrival[P any] struct {
	at     wire.Time
	order  uint64 // place among packets with the same time
	packet P
}

// before reports whether packet a arrives before packet b: earlier, or at the same time and with a lower order.
func (a *arrival[P]) before(b *arrival[P]) bool {
	return a.at < b.at || a.at == b.at && a.order < b.order
}

// Put puts a packet on the simulated wire, to arrive at a given time.
func (a *Arrivals[P]) Put(at wire.Time, p P) {
	a.order += 2
	a.put(arrival[P]{at, a.order, p})
}

// PutBehind puts a packet on the simulated wire as Put does, but one place later: the next packet put for the same time
// arrives before it.
func (a *Arrivals[P]) PutBehind(at wire.Time, p P) {
	a.order += 2
	a.put(arrival[P]{at, a.order + 3, p})
}

// put adds an arrival to the heap, and moves it up as long as it is before its parent.
func (a *Arrivals[P]) put(entry arrival[P]) {
	a.heap = append(a.heap, entry)
	h := a.heap
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h[i].before(&h[parent]) {
			return
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

// Len returns the number of packets on the simulated wire.
func (a *Arrivals[P]) Len() int { return len(a.heap) }

// Earliest returns the time at which the next packet arrives, or the value of otherwise if the wire is empty.
func (a *Arrivals[P]) Earliest(otherwise wire.Time) wire.Time {
	if len(a.heap) == 0 {
		return otherwise
	}
	return a.heap[0].at
}

// Take removes and returns the next packet if it has arrived by now; ok is false if none has.
func (a *Arrivals[P]) Take(now wire.Time) (p P, ok bool) {
	if len(a.heap) == 0 || a.heap[0].at > now {
		return p, false
	}
	p = a.heap[0].packet
	last := len(a.heap) - 1
	a.heap[0] = a.heap[last]
	a.heap[last] = arrival[P]{}
	a.heap = a.heap[:last]
	a.sink()
	return p, true
}

// sink restores the order of the heap of packets after its first element was replaced: it moves this element down as
// long as a child is before it.
func (a *Arrivals[P]) sink() {
	h := a.heap
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if h[child].before(&h[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}

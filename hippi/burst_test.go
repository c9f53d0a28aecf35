package hippi

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"uelink/internal/snapshot/snapshottest"
	"uelink/wire/micropacket"
)

// transmitBurst appends to list what TransmitBurst has for a frame of an end, and returns the list.
func (w *pair) transmitBurst(s *station, list []micropacket.Micropacket) []micropacket.Micropacket {
	b := make([]byte, (s.perFrame-len(list))*micropacket.Len)
	singly := w.copyOf(s)
	n := s.l.TransmitBurst(w.now, b)
	got := make([]micropacket.Micropacket, n)
	for i := range got {
		got[i].Parse(b[i*micropacket.Len:])
	}
	if singly != nil {
		w.compareTransmitted(s, singly, got, s.perFrame-len(list))
	}
	return append(list, got...)
}

// compareTransmitted fails the test unless Transmit, called for a copy of an end, returns the micropackets of a burst
// one by one, and leaves the copy in the same state. room is how many could be sent.
func (w *pair) compareTransmitted(s *station, singly *Link, got []micropacket.Micropacket, room int) {
	singly.Expire(w.now)
	for i := range got {
		var m micropacket.Micropacket
		if !singly.Pending(w.now) || !singly.Transmit(w.now, &m) || m != got[i] {
			w.failed("%s: micropacket %d of a burst is %v, singly %v", s.name, i, got[i], m)
		}
	}
	if len(got) < room && singly.Pending(w.now) && singly.activity.carrier {
		w.failed("%s: a burst ends after %d micropackets, and more are pending", s.name, len(got))
	}
	w.compareStates(s, singly)
}

// receiveBurst hands the micropackets of a frame to an end at once, and returns those that are left.
func (w *pair) receiveBurst(s *station, list []micropacket.Micropacket, h Hearing) (left []micropacket.Micropacket) {
	b := make([]byte, len(list)*micropacket.Len)
	for i := range list {
		list[i].Put(b[i*micropacket.Len:])
	}
	singly := w.copyOf(s)
	n := s.l.ReceiveBurst(w.now, b, len(list), h)
	if singly == nil {
		return list[n:]
	}
	for _, m := range list[:n] {
		singly.Receive(w.now, &m, h)
	}
	w.compareStates(s, singly)
	return list[n:]
}

// copyOf returns a copy of an end to compare bursts with, now and then; else nil.
func (w *pair) copyOf(s *station) *Link {
	if w.copies == nil || w.copies.IntN(1000) > 0 {
		return nil
	}
	l := NewLink(Standard(), 1)
	if err := snapshottest.Renew(s.l, l); err != nil {
		w.failed("%s: %v", s.name, err)
	}
	w.compared++
	return l
}

// compareStates fails the test unless an end and its copy have the same state. The output buffer keeps RSEQ and LCRC of
// a burst, which a retransmission replaces.
func (w *pair) compareStates(s *station, singly *Link) {
	for _, l := range []*Link{s.l, singly} {
		for i := range l.src.buffer {
			c := &l.src.buffer[i].Control
			*c = c.WithRSEQ(0).WithLCRC(0)
		}
	}
	if a, b := snapshottest.Body(s.l), snapshottest.Body(singly); !bytes.Equal(a, b) {
		w.failed("%s: after a burst:\n%s\nsingly:\n%s", s.name, a, b)
	}
}

// A burst is what Transmit and Receive do one by one, over bad wires with resets and restarts.
func TestBurstsChangeNothing(t *testing.T) {
	times := 0
	for seed := range uint64(8) {
		c := newChaos(t, seed+1)
		c.copies = rand.New(rand.NewPCG(seed, 4))
		c.both(func(s *station) { s.bursts = true })
		var total Counters
		c.play(&total)
		times += c.compared
	}
	if t.Logf("compared %d bursts", times); times < 300 {
		t.Error("hardly ever compared")
	}
}

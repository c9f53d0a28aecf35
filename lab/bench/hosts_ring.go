package main

import (
	"errors"
	"io"
	"time"
)

// A ring of ranks adds up a buffer that each rank has, as libraries of collective operations do: in each step every
// rank sends a piece to the next rank while it receives one from the rank before.
//
//	rank 0 (host A) -> rank 1 (host B) -> rank 2 (host A) -> rank 3 (host B) -> rank 0
//
// There are two connections. On the first, rank 0 sends to rank 1, and rank 1 to rank 2. On the second, rank 2 sends to
// rank 3, and rank 3 to rank 0. So each rank of host B sends and receives on the same connection; each rank of host A
// sends on one connection and receives on the other.
const (
	ringRanks = 4
	ringSteps = 2 * (ringRanks - 1) // steps of one operation: each piece goes round once to be added up, once to be shared
	ringPiece = 256 << 10           // octets of a piece: a quarter of a buffer of 1 MiB
)

// inRing runs a rank. In each step a piece goes to the next rank and a piece comes from the rank before, until more
// returns false before a step, or a connection ends.
func inRing(next io.Writer, before io.Reader, piece int, more func() bool) error {
	out, in := make([]byte, piece), make([]byte, piece)
	begin, sent := make(chan bool), make(chan error, 1)
	defer close(begin)
	go func() {
		for range begin {
			_, err := next.Write(out)
			sent <- err
		}
	}()
	for more() {
		// Sending must not wait for receiving: both ends' socket buffers can be full.
		begin <- true
		_, err := io.ReadFull(before, in)
		if e := <-sent; err == nil {
			err = e
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ring runs ranks 0 and 2 in host A for a time, and until one operation has ended. It returns the time of each
// operation, measured by rank 0. An operation that stalls ends the ring, and counts with its time so far.
func ring(control string, over time.Duration) (took []time.Duration, err error) {
	var s [2]stream
	for i := range s {
		s[i], err = dial(control)
		if errors.Is(err, errStalled) {
			return []time.Duration{stallTime}, nil
		}
		if err != nil {
			return nil, err
		}
		defer s[i].close()
		var b [callOctets]byte
		call{callRing, callOctets, ringPiece}.put(b[:])
		if _, err := s[i].Write(b[:]); err != nil {
			return nil, err
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- inRing(s[1], s[0], ringPiece, func() bool { return true }) }()
	start := time.Now()
	begun, steps := start, 0
	err = inRing(s[0], s[1], ringPiece, func() bool {
		now := time.Now()
		if steps++; steps > ringSteps {
			took, begun, steps = append(took, now.Sub(begun)), now, 1
		}
		return now.Sub(start) < over || len(took) == 0
	})
	if errors.Is(err, errStalled) {
		took, err = append(took, time.Since(begun)), nil
	}
	// Rank 2 waits in a step that rank 0 has not begun, until the connections end.
	_, _ = s[0].shut(), s[1].shut()
	<-ended
	return took, err
}

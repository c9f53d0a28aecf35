package hippi

import "uelink/wire/micropacket"

// Sequences is the number of sequence numbers, 00 to FE (HIPPI-6400 §6.4). Arithmetic is modulo Sequences.
const Sequences = micropacket.NoSeq

// space is the number of sequence numbers: Sequences, or fewer for tests. At most space-1 are unacknowledged.
// Clauses: HIPPI-6400/fields.11.
type space uint8

// add returns the sequence number that is n after seq, for n up to the number of sequence numbers. It compares instead
// of dividing, which costs a fraction.
func (s space) add(seq, n uint8) uint8 {
	sum := int(seq) + int(n)
	if sum >= int(s) {
		sum -= int(s)
	}
	return uint8(sum)
}

// distance returns by how many sequence numbers b is ahead of a, from 0 to the number of sequence numbers - 1.
func (s space) distance(a, b uint8) uint8 {
	d := int(b) - int(a)
	if d < 0 {
		d += int(s)
	}
	return uint8(d)
}

package wire

// SeqBits is the width of an LLR sequence number.
const SeqBits = 20

// SeqMask is the largest sequence number; arithmetic is modulo SeqMask+1.
// Clauses: UE-LINK/overview.1.
const SeqMask = 1<<SeqBits - 1

// SeqAdd returns the sequence number seq + n modulo 2^20; n may be negative.
func SeqAdd(seq uint32, n int) uint32 { return (seq + uint32(n)) & SeqMask }

// SeqDistance returns by how many sequence numbers b is ahead of a, 0..2^20-1.
func SeqDistance(a, b uint32) uint32 { return (b - a) & SeqMask }

// SeqBehind reports whether the sequence number b is in the half of the sequence space behind a.
func SeqBehind(a, b uint32) bool { return SeqDistance(a, b) > SeqMask/2 }

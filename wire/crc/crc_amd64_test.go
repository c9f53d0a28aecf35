package crc

import "testing"

// The tests of this package look at fold where the CPU has it.
func TestFoldIsUsed(t *testing.T) {
	if !wide {
		t.Skip("skipped, missing a CPU with AVX-512 and VPCLMULQDQ: all sums are those of hash/crc32")
	}
	b := random(300)
	if got := fold(&b[0], len(b), ^uint32(0)); got != Checksum(b) {
		t.Errorf("%#08x", got)
	}
}

// A CPU without wide registers gets the same sums.
func TestFallback(t *testing.T) {
	defer func(was bool) { wide = was }(wide)
	wide = false
	b := random(2000)
	to := make([]byte, len(b)+128)
	for n := range b {
		wantChecksum(t, b[n:])
		wantCopy(t, to[:len(b)-n+128], b[:n], b[n:])
	}
}

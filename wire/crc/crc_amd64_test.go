package crc

import "testing"

// A CPU without wide registers gets the same sums. One with them computes those of
// all other tests by fold and foldCopy.
func TestFallback(t *testing.T) {
	defer func(was bool) { wide = was }(wide)
	wide = false
	if got, want := Of22(1, 2, 3), of22(1, 2, 3); got != want {
		t.Errorf("22 octets: %#08x, want %#08x", got, want)
	}
	b := random(2000)
	to := make([]byte, len(b)+128)
	for n := range b {
		wantChecksum(t, b[n:])
		wantCopy(t, to[:len(b)-n+128], b[:n], b[n:])
	}
}

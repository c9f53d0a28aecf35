package crc

import "testing"

// A CPU without wide registers gets the same sums, and allocates nothing either. One with them computes those of
// all other tests by fold and foldCopy.
func TestFallback(t *testing.T) {
	defer func(w, m bool) { wide, multiplies = w, m }(wide, multiplies)
	wide, multiplies = false, false
	TestOf22(t)
	wantNoAllocation(t)
	b := random(2000)
	to := make([]byte, len(b)+128)
	for n := range b {
		wantChecksum(t, b[n:])
		wantCopy(t, to[:len(b)-n+128], b[:n], b[n:])
	}
}

package crc

import "testing"

// A CPU without wide registers, or without the widest, gets the same sums, and allocates nothing either. The widest
// that this CPU has compute those of all other tests.
func TestFallback(t *testing.T) {
	defer func(w, w256, m bool) { wide, wide256, multiplies = w, w256, m }(wide, wide256, multiplies)
	for _, narrow := range []func(){
		func() { wide = false },
		func() { wide256 = false },
		func() { multiplies = false },
	} {
		narrow()
		TestOf22(t)
		wantNoAllocation(t)
		b := random(2000)
		to := make([]byte, len(b)+128)
		for n := range b {
			wantChecksum(t, b[n:])
			wantCopy(t, to[:len(b)-n+128], b[:n], b[n:])
		}
	}
}

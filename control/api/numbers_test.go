package api

import "testing"

// A rate has at most five characters.
func TestShort(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0", 312.4: "312", 999.4: "999", 999.6: "1.0k", 1500: "1.5k", 99_940: "99.9k", 99_960: "100k", 22.4e6: "22.4M",
		999.6e6: "1.0G", 4e11: "400G", 5e15: "5000T",
	} {
		if got := Short(n); got != want {
			t.Errorf("%g: %s, want %s", n, got, want)
		}
	}
}

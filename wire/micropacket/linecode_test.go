package micropacket

import (
	"math/rand/v2"
	"testing"
)

// table5 is HIPPI-6400 table 5, row by row: the codes zyTxw below a disparity of 0 and from 0 on, and Delta Disparity.
var table5 = [16]struct {
	below, above Code45
	delta        int
}{
	{0b11011, 0b00100, 3}, {0b11010, 0b00101, 1}, {0b11001, 0b00110, 1}, {0b00111, 0b11000, 1},
	{0b10011, 0b01100, 1}, {0b01101, 0b10010, 1}, {0b01110, 0b10001, 1}, {0b01111, 0b10000, 3},
	{0b01011, 0b10100, 1}, {0b10101, 0b01010, 1}, {0b10110, 0b01001, 1}, {0b10111, 0b01000, 3},
	{0b11100, 0b00011, 1}, {0b11101, 0b00010, 3}, {0b11110, 0b00001, 3}, {0b11111, 0b00000, 5},
}

func TestLineCodeRowByRow(t *testing.T) {
	for nibble, row := range table5 {
		for d := -5; d <= 4; d++ {
			code, after := Encode45(uint8(nibble), d)
			want, disparity := row.above, d-row.delta
			if d < 0 {
				want, disparity = row.below, d+row.delta
			}
			if code != want || after != disparity {
				t.Errorf("%04b at %d: %05b and %d, want %05b and %d", nibble, d, code, after, want, disparity)
			}
			if code.Decode() != uint8(nibble) {
				t.Errorf("%05b decodes to %04b, want %04b", code, code.Decode(), nibble)
			}
		}
	}
}

// TestLineCodeExample is the example of 10.4: 0001 at a disparity of +1 is w x T y z = 1 0 1 0 0, and 0 behind it.
func TestLineCodeExample(t *testing.T) {
	if code, after := Encode45(1, 1); code != 0b00101 || after != 0 {
		t.Errorf("code %05b, disparity %d", code, after)
	}
}

// TestNoLineCodeIsIllegal decodes all 32 codes: each nibble comes twice (10.5).
func TestNoLineCodeIsIllegal(t *testing.T) {
	var seen [16]int
	for code := range Code45(32) {
		seen[code.Decode()]++
	}
	for nibble, n := range seen {
		if n != 2 {
			t.Errorf("%d codes decode to %04b, want 2", n, nibble)
		}
	}
}

// TestLineCodeIsBalanced sends random nibbles: the disparity stays within -5 and +4 at the bounds of the codes, within
// -7 and +6 between, and no run is longer than 11 (10.4, notes 1 and 4).
func TestLineCodeIsBalanced(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	disparity, running, run, last := 0, 0, 0, uint8(2)
	for range 1_000_000 {
		var code Code45
		code, disparity = Encode45(uint8(rng.Uint32()), disparity)
		if disparity < -5 || disparity > 4 {
			t.Fatalf("disparity %d behind %05b", disparity, code)
		}
		for i := range 5 {
			bit := uint8(code>>i) & 1
			running += 2*int(bit) - 1
			if run++; bit != last {
				run, last = 1, bit
			}
			if running < -7 || running > 6 || run > 11 {
				t.Fatalf("disparity %d, run of %d", running, run)
			}
		}
	}
	// The longest run: E F C from +3 or +4 for zeros, from -4 or -5 for ones.
	for _, from := range []int{3, 4, -4, -5} {
		longest := 0
		d, run, last := from, 0, uint8(2)
		for _, nibble := range []uint8{0xE, 0xF, 0xC} {
			var code Code45
			code, d = Encode45(nibble, d)
			for i := range 5 {
				bit := uint8(code>>i) & 1
				if run++; bit != last {
					run, last = 1, bit
				}
				longest = max(longest, run)
			}
		}
		if longest != 11 {
			t.Errorf("EFC from %d: the longest run is %d, want 11", from, longest)
		}
	}
}

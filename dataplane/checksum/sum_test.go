package checksum

import (
	"bytes"
	"math/bits"
	"testing"

	"github.com/gopacket/gopacket"
)

func TestSumOfAllLengths(t *testing.T) {
	for _, octets := range [][]byte{counted(2000), bytes.Repeat([]byte{0xff}, 2000), make([]byte, 2000)} {
		for n := range octets {
			want := ^gopacket.FoldChecksum(gopacket.ComputeChecksum(octets[:n], 0))
			if got := bits.ReverseBytes16(Fold(Sum(octets[:n]))); got != want {
				t.Fatalf("%d octets of %x: %#04x, should be %#04x", n, octets[:1], got, want)
			}
		}
	}
}

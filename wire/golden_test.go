package wire

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
)

// Addresses of the golden frames.
var (
	goldenDA = MAC{2, 0, 0, 0, 0, 1}
	goldenSA = MAC{2, 0, 0, 0, 0, 2}

	goldenOuter = AddressesOf(MAC{2, 0, 0, 0, 0, 0x0B}, MAC{2, 0, 0, 0, 0, 0x0A}) // of an addressed link
)

// octets reads hexadecimal octets; white space and | only separate them.
func octets(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.NewReplacer(" ", "", "\n", "", "\t", "", "|", "").Replace(s))
	if err != nil {
		t.Fatalf("golden octets %q: %v", s, err)
	}
	return b
}

// wantOctets checks what a writer left in got.
func wantOctets(t *testing.T, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Errorf("octets\n got % x\nwant % x", got, want)
	}
}

// dirty returns a buffer with old contents that a writer must overwrite.
func dirty(n int) []byte { return bytes.Repeat([]byte{0xEE}, n) }

// carriedFrame is an Ethernet frame of n octets, HeaderLen or more, whose
// payload counts up from 1.
func carriedFrame(n int) []byte {
	b := append(append(make([]byte, 0, n), goldenDA[:]...), goldenSA[:]...)
	b = append(b, 0x08, 0x00)
	for i := range n - HeaderLen {
		b = append(b, byte(i+1))
	}
	return b
}

// flipped is a copy of b with one bit inverted.
func flipped(b []byte, bit int) []byte {
	c := bytes.Clone(b)
	c[bit/8] ^= 1 << (bit % 8)
	return c
}

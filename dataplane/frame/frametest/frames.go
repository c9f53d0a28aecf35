// Package frametest makes frames for tests of the data plane.
package frametest

import (
	"bytes"
	"encoding/binary"
)

// Numbered writes frame n into b, which has room for 200 octets, and returns the frame. The frame is 60 to 199 octets
// long by its number, and holds the number in the first 8 octets of its payload.
func Numbered(b []byte, n uint64) []byte { return NumberedOf(b, n, 140) }

// NumberedOf writes frame n into b as Numbered, with a length from 60 to 59 + spread octets.
func NumberedOf(b []byte, n uint64, spread int) []byte {
	size := 60 + int(n*2654435761%uint64(spread))
	b = b[:size]
	copy(b, []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x90, 0x01})
	binary.BigEndian.PutUint64(b[14:], n)
	for i := 22; i < size; i++ {
		b[i] = byte(n) ^ byte(i)
	}
	return b
}

// Long returns a tagged frame of octets octets, from 18 on. Frames of different lengths have different payloads.
func Long(octets int) []byte {
	f := bytes.Repeat([]byte{byte(octets), byte(octets >> 8), 0xA5}, octets/3+1)[:octets]
	copy(f, []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x81, 0, 0x20, 0, 0x90, 1})
	return f
}

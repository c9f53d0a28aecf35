package crc

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"testing"
)

// random is n octets that are the same in every run.
func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

func wantChecksum(t *testing.T, b []byte) {
	t.Helper()
	if got, want := Checksum(b), crc32.ChecksumIEEE(b); got != want {
		t.Fatalf("%d octets: %#08x, want %#08x", len(b), got, want)
	}
}

// The check value of the CRC catalogue.
func TestKnownValue(t *testing.T) {
	if got := Checksum([]byte("123456789")); got != 0xcbf43926 {
		t.Errorf("%#08x", got)
	}
}

func TestEveryLengthAndAlignment(t *testing.T) {
	b := random(4200 + 64)
	for n := range 4200 + 1 {
		for at := range 64 {
			wantChecksum(t, b[at:at+n])
		}
	}
}

// One octet at each place, so that no place is counted twice or not at all.
func TestEveryPlace(t *testing.T) {
	for _, n := range []int{4, 61, 64, 65, 67, 128, 300, 577, 1511} {
		b := make([]byte, n)
		for i := range b {
			b[i] = 0xa5
			wantChecksum(t, b)
			b[i] = 0
		}
	}
}

func TestNothingAllocates(t *testing.T) {
	b := random(1500)
	if n := testing.AllocsPerRun(100, func() { Checksum(b) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzChecksum(f *testing.F) {
	for _, n := range []int{0, 3, 4, 60, 64, 65, 1500} {
		f.Add(random(n), uint8(n))
	}
	f.Fuzz(func(t *testing.T, b []byte, skip uint8) {
		wantChecksum(t, b[min(int(skip), len(b)):])
	})
}

func BenchmarkChecksum(b *testing.B) {
	for _, n := range []int{16, 20, 60, 64, 256, 1500, 3400} {
		message := random(n + 14)[14:]
		for _, by := range []struct {
			name string
			sum  func([]byte) uint32
		}{{"here", Checksum}, {"hash", crc32.ChecksumIEEE}} {
			b.Run(fmt.Sprintf("%dB/%s", n, by.name), func(b *testing.B) {
				b.SetBytes(int64(n))
				for b.Loop() {
					by.sum(message)
				}
			})
		}
	}
}

package crc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"testing"
)

// random returns n random octets, the same in every run.
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

// One octet set at each place: no place counts twice or not at all.
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

// wantCopy checks Update and Copy for a message in two parts: before, and b, which is copied.
func wantCopy(t *testing.T, to, before, b []byte) {
	t.Helper()
	sum := crc32.ChecksumIEEE(before)
	want := crc32.Update(sum, crc32.IEEETable, b)
	if got := Update(sum, b); got != want {
		t.Fatalf("%d octets after %d: %#08x, want %#08x", len(b), len(before), got, want)
	}
	for i := range to {
		to[i] = 0xee
	}
	if got := Copy(to[64:], b, sum); got != want {
		t.Fatalf("%d octets copied after %d: %#08x, want %#08x", len(b), len(before), got, want)
	}
	if !bytes.Equal(to[64:64+len(b)], b) {
		t.Fatalf("%d octets were copied wrong", len(b))
	}
	for i, c := range to {
		if c != 0xee && (i < 64 || i >= 64+len(b)) {
			t.Fatalf("copying %d octets wrote octet %d", len(b), i-64)
		}
	}
}

func TestCopyOfEveryLength(t *testing.T) {
	b, to := random(4200+64), make([]byte, 4200+64+128)
	for n := range 4200 + 1 {
		wantCopy(t, to[n%64:n%64+n+128], b[:n%23], b[n%31:n%31+n])
	}
	for n := range 200 {
		for at := range 64 {
			wantCopy(t, to[at:at+n+128], b[:22], b[64-at:64-at+n])
		}
	}
}

func TestOf22(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		first, second, third := random.Uint64(), random.Uint64(), random.Uint64()>>16
		var b [24]byte
		binary.LittleEndian.PutUint64(b[0:], first)
		binary.LittleEndian.PutUint64(b[8:], second)
		binary.LittleEndian.PutUint64(b[16:], third)
		want := crc32.ChecksumIEEE(b[:22])
		if got := Of22(first, second, third); got != want {
			t.Fatalf("%#x, %#x, %#x: %#08x, want %#08x", first, second, third, got, want)
		}
		if got := of22(first, second, third); got != want {
			t.Fatalf("%#x, %#x, %#x on any CPU: %#08x, want %#08x", first, second, third, got, want)
		}
	}
}

func TestNothingAllocates(t *testing.T) { wantNoAllocation(t) }

func wantNoAllocation(t *testing.T) {
	t.Helper()
	b := random(1500)
	to := make([]byte, len(b))
	if n := testing.AllocsPerRun(100, func() { Copy(to, b, Checksum(b)+Of22(1, 2, 3)) }); n != 0 {
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

func BenchmarkOf22(b *testing.B) {
	var sum uint32
	for b.Loop() {
		sum += Of22(uint64(sum), 2, 3)
	}
}

func BenchmarkCopy(b *testing.B) {
	for _, n := range []int{50, 242, 1486, 3386} {
		from, to := random(n), make([]byte, n)
		for _, by := range []struct {
			name string
			sum  func()
		}{
			{"one", func() { Copy(to, from, 7) }},
			{"two", func() { copy(to, from); Update(7, to) }},
		} {
			b.Run(fmt.Sprintf("%dB/%s", n, by.name), func(b *testing.B) {
				b.SetBytes(int64(n))
				for b.Loop() {
					by.sum()
				}
			})
		}
	}
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

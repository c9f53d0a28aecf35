package crc

import (
	"hash/crc32"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// island is readable memory with pages on both sides that may not be touched.
func island(t *testing.T, pages int) []byte {
	t.Helper()
	page := os.Getpagesize()
	all, err := unix.Mmap(-1, 0, (pages+2)*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(all) })
	inner := all[page : (pages+1)*page]
	copy(inner, random(len(inner)))
	for _, edge := range [][]byte{all[:page], all[(pages+1)*page:]} {
		if err := unix.Mprotect(edge, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return inner
}

// A frame lies in memory shared with other frames: here a read or write outside the
// frame crashes.
func TestNothingOutsideIsTouched(t *testing.T) {
	b, to := island(t, 2), island(t, 2)
	sum := Checksum(b[:20])
	for n := range 4200 + 1 {
		want := crc32.Update(sum, crc32.IEEETable, b[:n])
		if got := Copy(to, b[:n], sum); got != want {
			t.Fatalf("%d octets: %#08x, want %#08x", n, got, want)
		}
		want = crc32.Update(sum, crc32.IEEETable, b[len(b)-n:])
		if got := Copy(to[len(to)-n:], b[len(b)-n:], sum); got != want {
			t.Fatalf("the last %d octets: %#08x, want %#08x", n, got, want)
		}
	}
	for n := range 4200 + 1 {
		wantChecksum(t, b[:n])
		wantChecksum(t, b[len(b)-n:])
	}
	for n := range 200 {
		for at := range 64 {
			wantChecksum(t, b[at:at+n])
			wantChecksum(t, b[len(b)-at-n:len(b)-at])
		}
	}
}

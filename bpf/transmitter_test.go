package bpf

import (
	"errors"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
)

// pages returns memory of the given number of octets that begins at a page.
func pages(t *testing.T, octets int) []byte {
	t.Helper()
	m, err := unix.Mmap(-1, 0, octets, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(m) })
	return m
}

// transmitter returns a Transmitter for a veth, registered with a program that is attached to the veth. Another
// program is on the peer, which therefore receives XDP frames, and counts them.
func transmitter(t *testing.T, slots, size int) (tx *Transmitter, from, to *Program, memory []byte) {
	t.Helper()
	a, b := inNamespace(t)
	from, to = attached(t, a, attach.ModeAuto), attached(t, b, attach.ModeAuto)
	t.Cleanup(func() { from.Close(); to.Close() })
	tx, err := NewTransmitter(a, slots, size)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skipf("skipped: this kernel has no live XDP frames: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tx.Close() })
	memory = pages(t, slots*size)
	if err := tx.Overlay(memory); err != nil {
		t.Fatal(err)
	}
	if err := from.Transmit(tx); err != nil {
		t.Fatal(err)
	}
	return tx, from, to, memory
}

// arrived waits until the program has seen n frames, and returns its counts.
func arrived(t *testing.T, p *Program, n uint64) Counters {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; {
		c, err := p.Counters()
		if err != nil {
			t.Fatal(err)
		}
		if c.Seen() >= n {
			return c
		}
		if time.Now().After(end) {
			t.Fatalf("%+v, want %d frames", c, n)
		}
	}
}

// Frames leave from the memory that the caller has overlaid, also after the attached program was replaced.
func TestTransmit(t *testing.T) {
	tx, from, to, memory := transmitter(t, 8, 2048)
	for slot := range 8 {
		copy(memory[slot*2048:], frameOf(0x0800))
	}
	const calls = 10
	for n := range calls {
		for slot := range uint32(8) {
			tx.Post(slot, 60)
		}
		if unsent, err := tx.Send(60); unsent != 0 || err != nil {
			t.Fatalf("%d frames were not sent: %v", unsent, err)
		}
		if n == calls/2 {
			if err := from.Renew(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if c := arrived(t, to, 8*calls); c.NoSocket != 8*calls {
		t.Errorf("%+v, want %d frames", c, 8*calls)
	}
	if tx.Refused() != 0 {
		t.Errorf("%d frames refused", tx.Refused())
	}
	if took := tx.Time(); took <= 0 || took > time.Second {
		t.Errorf("a call without frames takes %v", took)
	}
	if c, err := to.Counters(); err != nil || c.Seen() != 8*calls {
		t.Errorf("calls without frames have sent some: %+v, %v", c, err)
	}
}

// A posting that the program cannot send is counted, and does not stop the frames behind it.
func TestTransmitRefuses(t *testing.T) {
	tx, _, to, memory := transmitter(t, 8, 2048)
	copy(memory, frameOf(0x0800))
	for _, p := range []posting{{0, 0, 60}, {8, 0, 60}, {0, 0, 13}, {0, 0, 2049}, {0, 0, 60}} {
		tx.Post(uint32(p.slot), p.length)
	}
	if unsent, err := tx.Send(60); unsent != 0 || !errors.Is(err, ErrRefused) {
		t.Fatalf("%d frames were not sent: %v", unsent, err)
	}
	arrived(t, to, 2)
	if tx.Refused() != 3 {
		t.Errorf("%d postings were refused, want 3", tx.Refused())
	}
}

// A call that the kernel refuses returns the frames to the caller, and forgets them.
func TestTransmitFails(t *testing.T) {
	tx, _, to, memory := transmitter(t, 8, 2048)
	copy(memory, frameOf(0x0800))
	entry := tx.entry
	tx.entry = -1
	tx.Post(0, 60)
	tx.Post(0, 60)
	if unsent, err := tx.Send(60); unsent != 2 || !errors.Is(err, unix.EBADF) {
		t.Errorf("%d frames were not sent: %v", unsent, err)
	}
	tx.entry = entry
	tx.Post(0, 60)
	if unsent, err := tx.Send(60); unsent != 0 || err != nil {
		t.Errorf("%d frames were not sent: %v", unsent, err)
	}
	if c := arrived(t, to, 1); c.Seen() != 1 {
		t.Errorf("%+v, want one frame", c)
	}
}

func TestTransmitDoesNotAllocate(t *testing.T) {
	tx, _, _, _ := transmitter(t, 8, 2048)
	n := testing.AllocsPerRun(100, func() {
		for slot := range uint32(8) {
			tx.Post(slot, 60)
		}
		if _, err := tx.Send(60); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A Transmitter that is no longer registered gets its frames back at once, and can be registered again.
func TestTransmitByNobody(t *testing.T) {
	tx, from, to, memory := transmitter(t, 8, 2048)
	copy(memory, frameOf(0x0800))
	for range 2 {
		if err := from.Transmit(nil); err != nil {
			t.Fatal(err)
		}
	}
	tx.Post(0, 60)
	tx.Post(0, 60)
	if unsent, err := tx.Send(60); unsent != 2 || !errors.Is(err, ErrNotTaken) {
		t.Fatalf("%d frames were not sent: %v", unsent, err)
	}
	if err := from.Transmit(tx); err != nil {
		t.Fatal(err)
	}
	tx.Post(0, 60)
	if _, err := tx.Send(60); err != nil {
		t.Fatal(err)
	}
	if c := arrived(t, to, 1); c.Seen() != 1 {
		t.Errorf("%+v, want one frame", c)
	}
}

func TestOverlayWantsWholePages(t *testing.T) {
	tx, _, _, _ := transmitter(t, 3, 2048)
	memory := pages(t, 4*4096)
	for _, m := range [][]byte{memory[2048 : 2048+3*2048], memory[:4096], memory} {
		if err := tx.Overlay(m); err == nil {
			t.Errorf("an overlay of %d octets was accepted", len(m))
		}
	}
	if err := tx.Overlay(memory[:3*2048]); err != nil { // the rest of the last page is nobody's
		t.Error(err)
	}
}

// A batch of the kernel has at least one frame, and no more than the call.
func TestKernelBatch(t *testing.T) {
	for n := 1; n <= MostPosted; n++ {
		if b := kernelBatch(n); b < 1 || b > n || b > mostBatch {
			t.Errorf("a call for %d frames has batches of %d", n, b)
		}
	}
}

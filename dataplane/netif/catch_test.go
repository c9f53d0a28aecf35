package netif

import (
	"bytes"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// raw makes "far" send frames unchanged, by a packet socket.
func (w *world) raw(frames ...[]byte) {
	w.t.Helper()
	index, err := w.far.Ifindex("far")
	must(w.t, err)
	must(w.t, w.far.Do(func() error {
		fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		for _, f := range frames {
			if err := unix.Sendto(fd, f, 0, &unix.SockaddrLinklayer{Ifindex: index, Halen: 6}); err != nil {
				return err
			}
		}
		return nil
	}))
}

// frameOf returns a frame of 60 octets with a VLAN tag and an EtherType.
func frameOf(tag []byte, etherType uint16, number byte) []byte {
	f := append([]byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2}, tag...)
	f = append(f, byte(etherType>>8), byte(etherType), number)
	return append(f, make([]byte, 60-len(f))...)
}

// Once frames are diverted, none arrives at the sockets, and each is caught as it was on the wire, in order, with
// its VLAN tags. Frames that the process itself sends are not caught.
func TestCatch(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		i := w.mustOwn()
		must(t, i.Attach(everything()))
		c, err := OpenCatch(i.index)
		must(t, err)
		w.raw(frameOf(nil, 0x9001, 0))
		w.receives(i.Sockets()[0], 60)
		must(t, i.Divert())
		sent := [][]byte{
			frameOf(nil, 0x9001, 1), frameOf([]byte{0x81, 0, 0xE0, 7}, 0x9001, 2), frameOf([]byte{0x88, 0xA8, 0, 9}, 0x9001, 3),
			frameOf([]byte{0x88, 0xA8, 0, 9, 0x81, 0, 0x20, 8}, 0x9001, 4), frameOf([]byte{0x81, 0, 0, 0}, 0x9001, 5),
		}
		w.raw(sent...)
		for n, want := range sent {
			var got []byte
			for end := time.Now().Add(10 * time.Second); got == nil && time.Now().Before(end); time.Sleep(time.Millisecond) {
				if f, ok := c.Next(); ok && f[12] != 0x86 && f[12] != 0x08 { // not what the stack of "far" says by itself
					got = f
				}
			}
			if !bytes.Equal(got, want) {
				t.Errorf("frame %d: % x came, want % x", n, got, want)
			}
		}
		if came, missed := c.Counts(); came < uint64(len(sent)) || missed != 0 {
			t.Errorf("%d frames came, %d were missed", came, missed)
		}
		must(t, c.Close())
		must(t, i.Release())
	})
}

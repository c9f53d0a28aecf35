package vnet

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// TestNoRoomToSend: while the kernel has no room for frames to send, whether it says so by EAGAIN or by ENOBUFS, calls
// return at once, posted frames stay, and one that is refused too often counts and leaves. When there is room again,
// the rest arrives in order.
func TestNoRoomToSend(t *testing.T) {
	for _, c := range []struct {
		name   string
		limit  uint32 // octets that the queueing discipline takes
		buffer int    // of the socket
		want   unix.Errno
	}{
		{"EAGAIN: frames that wait fill the socket's buffer", 1 << 20, 8192, unix.EAGAIN},
		{"ENOBUFS: the queueing discipline drops what it has no room for", 1, WantedRoom, unix.ENOBUFS},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEnd(t, 1)
			next := e.capture(t)
			must(t, unix.SetsockoptInt(e.device.socket.fd, unix.SOL_SOCKET, unix.SO_SNDBUF, c.buffer))
			slow := e.queue(t, c.limit)
			const frames = 60
			for i := range uint32(frames) {
				e.post([][]byte{numbered(i)})
			}
			must(t, e.device.Kick())
			left := len(e.device.posted)
			if left == 0 {
				t.Fatal("the kernel has room for all frames")
			}
			if _, errno := e.device.sendFrom(0); errno != c.want {
				t.Errorf("the kernel says %v, want %v", errno, c.want)
			}
			for range 3 * mostTries { // the first was a try, too
				must(t, e.device.Kick())
			}
			if n := e.device.Counts().TxSuperRefused; n != 3 || len(e.device.posted) != left-3 {
				t.Errorf("%d frames refused, %d posted of %d; want 3 refused", n, len(e.device.posted), left)
			}
			first := binary.BigEndian.Uint32(e.device.octets(0)[14:])
			must(t, e.near.Do(func() error { return netlink.QdiscDel(slow) }))
			must(t, e.device.Kick())
			if len(e.device.posted) > 0 {
				t.Errorf("%d frames stay", len(e.device.posted))
			}
			for n := first; n < frames; {
				f := next()
				if f == nil {
					t.Fatalf("frame %d has not come", n)
				}
				if at := binary.BigEndian.Uint32(f[14:]); at == n {
					n++
				} else if at > n {
					t.Fatalf("frame %d came for frame %d", at, n)
				}
			}
			var done [frames + 1]uint64
			if n := e.device.Completed(done[:]); n != frames {
				t.Errorf("%d of %d frames are completed", n, frames)
			}
		})
	}
}

// numbered returns a frame with a number.
func numbered(n uint32) []byte {
	f := append([]byte{6, 2, 3, 4, 5, 6, 2, 2, 3, 4, 5, 7, 0x88, 0xb5}, bytes.Repeat([]byte{1}, 486)...)
	binary.BigEndian.PutUint32(f[14:], n)
	return f
}

// queue gives the Device's end of the veth a queueing discipline from which next to nothing leaves.
func (e *end) queue(t *testing.T, limit uint32) *netlink.Tbf {
	t.Helper()
	var q *netlink.Tbf
	must(t, e.near.Do(func() error {
		nl, err := netlink.LinkByName("near0")
		if err != nil {
			return err
		}
		const rate, burst, ticks = 500, 2000, 1e9 / 64 // octets a second, octets, a second in the kernel's unit
		q = &netlink.Tbf{Rate: rate, Limit: limit, Buffer: burst / rate * ticks, QdiscAttrs: netlink.QdiscAttrs{
			LinkIndex: nl.Attrs().Index, Handle: netlink.MakeHandle(1, 0), Parent: netlink.HANDLE_ROOT}}
		return netlink.QdiscAdd(q)
	}))
	return q
}

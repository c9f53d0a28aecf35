package vnet

import (
	"bytes"
	"encoding/binary"
	"net"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/dataplane/frame"
	"uelink/dataplane/segment"
)

// hostSocket opens a Socket on the host's end of the veth.
func (e *end) hostSocket(t *testing.T) *Socket {
	t.Helper()
	var s *Socket
	must(t, e.host.Do(func() error {
		i, err := net.InterfaceByName("host0")
		if err != nil {
			return err
		}
		if s, err = Open(); err != nil {
			return err
		}
		return s.Bind(i.Index)
	}))
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// received returns the frames of the test that a Device receives, up to n of them.
func (e *end) received(n int) (all [][]byte) {
	var rx [64]frame.Desc
	for idle := 0; len(all) < n && idle < 40; {
		got := e.device.Receive(rx[:])
		for _, d := range rx[:got] {
			if f := e.below.area[d.Addr : d.Addr+uint64(d.Len)]; f[0] == 6 {
				all = append(all, bytes.Clone(f))
			}
		}
		e.device.Recycle(rx[:got])
		if got == 0 {
			idle++
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(e.device.FD()), Events: unix.POLLIN}}, 50)
		}
	}
	return all
}

// tagged returns a frame with a VLAN tag.
func tagged(f []byte, tci uint16) []byte {
	f = append(bytes.Clone(f[:16]), f[12:]...)
	binary.BigEndian.PutUint16(f[12:], unix.ETH_P_8021Q)
	binary.BigEndian.PutUint16(f[14:], tci)
	return f
}

// TestOrderOfRingAndQueue: frames that fit in a slot and those that wait in the receive queue come in the order in
// which they were sent, with their tags.
func TestOrderOfRingAndQueue(t *testing.T) {
	e := newEnd(t, 1)
	s := e.hostSocket(t)
	var want [][]byte
	for i := range 60 {
		super, h := superFrame(i%2 == 0, false, 0x10, 210+i*400)
		if i < 3 {
			h.Type = 0 // one frame
		}
		if i%3 == 0 {
			super, h = tagged(super, uint16(i)), h.Tagged()
		}
		var c segment.Cutter
		must(t, c.Begin(super, h, 1518))
		for n := c.NextLen(); n > 0; n = c.NextLen() {
			f := make([]byte, n)
			c.Next(f)
			want = append(want, f)
		}
		if errno := sendSuper(s, h, super); errno != 0 {
			t.Fatalf("%d, %+v: %v", i, h, errno)
		}
		if i == 20 && !e.device.socket.waits(crowd) {
			t.Error("21 frames are no crowd")
		}
	}
	got := e.received(len(want))
	if len(got) != len(want) {
		t.Fatalf("%d frames, want %d: %+v", len(got), len(want), e.device.Counts())
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("frame %d\n%x, want\n%x", i, got[i][:60], want[i][:60])
		}
	}
	if e.device.Waiting() != 0 {
		t.Error("frames wait")
	}
}

// TestNoRoom: super-frames without room in the receive buffer and frames without a slot are counted, and what comes
// afterwards arrives.
func TestNoRoom(t *testing.T) {
	e := newEnd(t, 1)
	s := e.hostSocket(t)
	must(t, unix.SetsockoptInt(e.device.socket.fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 4096))
	super, h := superFrame(false, false, 0x10, 20_000)
	for range 5 {
		if errno := sendSuper(s, h, super); errno != 0 {
			t.Fatal(errno)
		}
	}
	small, one := superFrame(false, false, 0x10, 100)
	one.Type = 0
	for range slots + 10 {
		if errno := sendSuper(s, one, small); errno != 0 {
			t.Fatal(errno)
		}
	}
	e.received(slots + 1)
	if n := e.device.Counts().RxSuperNoRoom; n < 10+1 {
		t.Errorf("%d frames without room, want at least 11", n)
	}
	if read, waits := e.device.Progress(); read < slots || waits {
		t.Errorf("%d frames were read, more wait: %v", read, waits)
	}
	if sendSuper(s, one, small) != 0 || len(e.received(1)) != 1 {
		t.Error("nothing arrives afterwards")
	}
}

// TestInterfaceDownAndUp: posted frames stay while the interface is down, and leave in order when it is up; an error of
// the socket does not keep a worker awake.
func TestInterfaceDownAndUp(t *testing.T) {
	e := newEnd(t, 1)
	must(t, e.near.SetLink("near0", false))
	var want [][]byte
	for i := range byte(5) {
		want = append(want, append([]byte{6, 2, 3, 4, 5, 6, 2, 2, 3, 4, 5, 7, 0x88, 0xb5, i}, make([]byte, 45)...))
	}
	e.post(want)
	for range 3 {
		if err := e.device.Kick(); err != nil && err != frame.ErrDown {
			t.Fatal(err)
		}
	}
	readable := func() bool {
		n, _ := unix.Poll([]unix.PollFd{{Fd: int32(e.device.FD()), Events: unix.POLLIN}}, 0)
		return n > 0
	}
	var rx [8]frame.Desc
	for range 2 * idleLooks {
		e.device.Recycle(rx[:e.device.Receive(rx[:])])
	}
	if readable() {
		t.Error("the socket looks readable for ever")
	}
	must(t, e.near.SetLink("near0", true))
	next := e.capture(t)
	for range 3 {
		_ = e.device.Kick()
	}
	for i := range want {
		if got := next(); !bytes.Equal(got, want[i]) {
			t.Fatalf("frame %d: %x", i, got)
		}
	}
	if c := e.device.Counts(); c.TxSuperRefused > 0 {
		t.Errorf("%+v", c)
	}
}

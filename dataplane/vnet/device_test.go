package vnet

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/dataplane/checksum"
	"uelink/dataplane/ethtool"
	"uelink/dataplane/frame"
	"uelink/dataplane/segment"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

// idle is the device below: memory alone.
type idle struct {
	geometry frame.Geometry
	area     []byte
	posted   []frame.Desc
	old      []frame.Desc // frames that came before
	recycled []frame.Desc // those not in places
	places   *frame.Places
}

func newIdle() *idle {
	g := frame.Geometry{ChunkSize: 2048, RX: 64, Spare: 64, TX: 256, Places: 512}
	return &idle{geometry: g, area: make([]byte, g.Size()), places: frame.NewPlaces(g)}
}

func (i *idle) Area() []byte             { return i.area }
func (i *idle) Geometry() frame.Geometry { return i.geometry }
func (i *idle) Receive(into []frame.Desc) int {
	n := copy(into, i.old)
	i.old = i.old[n:]
	return n
}
func (i *idle) Recycle(rx []frame.Desc) {
	for _, d := range rx {
		if !i.places.Release(d.Addr) {
			i.recycled = append(i.recycled, d)
		}
	}
}
func (i *idle) Waiting() int                    { return len(i.old) }
func (i *idle) Place() (addr uint64, ok bool)   { return i.places.Take() }
func (i *idle) TxRoom() int                     { return i.geometry.TX - len(i.posted) }
func (i *idle) Transmit(tx []frame.Desc) int    { i.posted = append(i.posted, tx...); return len(tx) }
func (i *idle) Completed([]uint64) int          { return 0 }
func (i *idle) Kick() error                     { return nil }
func (i *idle) FD() int                         { return -1 }
func (i *idle) Stats() (s frame.Stats, _ error) { return s, nil }
func (i *idle) Close() error                    { return nil }

// end is a veth between a host and a Device.
type end struct {
	host, near *netns.NS
	below      *idle
	device     *Device
	slots      *frame.Pool
}

// newEnd joins a host, with an address of both families, to a Device.
func newEnd(t *testing.T, number int) *end {
	t.Helper()
	e := &end{host: nstest.New(t, fmt.Sprint("vnet-host", number)), near: nstest.New(t, fmt.Sprint("vnet-near", number)),
		below: newIdle()}
	must(t, netns.Veth(e.host, "host0", e.near, "near0", 1500))
	must(t, e.host.AddAddr("host0", fmt.Sprintf("10.79.0.%d/24", number)))
	var s *Socket
	must(t, e.near.Do(func() (err error) {
		i, err := net.InterfaceByName("near0")
		if err != nil {
			return err
		}
		if s, err = Open(); err != nil {
			return err
		}
		return s.Bind(i.Index)
	}))
	t.Cleanup(func() { _ = s.Close() })
	e.device, e.slots = New(e.below, s, 1500+18), frame.NewPool(e.below.geometry.TX)
	return e
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// forward moves the frames that one device has received to the other one, dropping those of drop.
func forward(from, to *end, drop func(f []byte) bool) (moved int) {
	var rx [64]frame.Desc
	var done [64]uint64
	for n := to.device.Completed(done[:]); n > 0; n = to.device.Completed(done[:]) {
		for _, addr := range done[:n] {
			to.slots.Give(to.below.geometry.Slot(addr))
		}
	}
	n := from.device.Receive(rx[:min(len(rx), to.slots.Len())])
	for _, d := range rx[:n] {
		f := from.below.area[d.Addr : d.Addr+uint64(d.Len)]
		if drop(f) {
			continue
		}
		slot, _ := to.slots.Take()
		addr := to.below.geometry.SlotAddr(slot)
		copy(to.below.area[addr:], f)
		to.device.Transmit([]frame.Desc{{Addr: addr, Len: d.Len}})
	}
	from.device.Recycle(rx[:n])
	_ = to.device.Kick()
	return n
}

// joined forwards frames between two ends until the test ends.
func joined(t *testing.T, a, b *end, drop func(f []byte) bool) {
	t.Helper()
	stop := make(chan bool)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if forward(a, b, drop)+forward(b, a, drop) == 0 {
				polled := []unix.PollFd{{Fd: int32(a.device.FD()), Events: unix.POLLIN},
					{Fd: int32(b.device.FD()), Events: unix.POLLIN}}
				_, _ = unix.Poll(polled, 5)
			}
		}
	})
	t.Cleanup(func() { close(stop); running.Wait() })
}

// TestTCPByOctetsOverSuperFrames: what one host sends arrives at the other one, over a way that loses frames, and most
// frames came and left in super-frames.
func TestTCPByOctetsOverSuperFrames(t *testing.T) {
	a, b := newEnd(t, 1), newEnd(t, 2)
	r := rand.New(rand.NewPCG(1, 2))
	joined(t, a, b, func([]byte) bool { return r.Uint32N(1000) == 0 })
	var listener net.Listener
	must(t, b.host.Do(func() (err error) { listener, err = net.Listen("tcp4", "10.79.0.2:7000"); return err }))
	defer listener.Close()
	const octets = 20 << 20
	sent := random(octets)
	got := make(chan [32]byte, 1)
	go func() {
		c, err := listener.Accept()
		if err != nil {
			return
		}
		all, _ := io.ReadAll(c)
		got <- sha256.Sum256(all)
		_ = c.Close()
	}()
	var c net.Conn
	must(t, a.host.Do(func() (err error) {
		c, err = net.DialTimeout("tcp4", "10.79.0.2:7000", 10*time.Second)
		return err
	}))
	_, err := c.Write(sent)
	must(t, err)
	must(t, c.(*net.TCPConn).CloseWrite())
	select {
	case sum := <-got:
		if sum != sha256.Sum256(sent) {
			t.Error("other octets have arrived")
		}
	case <-time.After(30 * time.Second):
		t.Fatalf("not all octets have arrived: %+v, %+v", a.device.Counts(), b.device.Counts())
	}
	from, to := a.device.Counts(), b.device.Counts()
	if from.RxSuper == 0 || to.TxSuper == 0 || from.RxSuperMalformed+to.RxSuperMalformed+to.TxSuperRefused > 0 {
		t.Errorf("from the sender %+v, to the receiver %+v", from, to)
	}
}

func random(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(b)
	return b
}

// capture returns the frames that arrive at the host's end from now on, with a hash of each, as the kernel hands them
// to a packet socket.
func (e *end) capture(t *testing.T) (next func() []byte) {
	t.Helper()
	var fd int
	must(t, e.host.Do(func() error {
		i, err := net.InterfaceByName("host0")
		if err != nil {
			return err
		}
		if fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0); err != nil {
			return err
		}
		return unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: 0x0300, Ifindex: i.Index})
	}))
	t.Cleanup(func() { _ = unix.Close(fd) })
	must(t, unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 2}))
	must(t, unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1))
	buf := make([]byte, 70_000)
	return func() []byte {
		for {
			n, err := unix.Read(fd, buf)
			if err != nil {
				return nil
			}
			if buf[0] == 0x06 { // of the test
				return slices.Clone(buf[:n])
			}
		}
	}
}

// TestKernelCutsTheSame: the kernel cuts a super-frame into the same octets as Cutter does, and the frames that it has
// cut, joined, are cut by it in the same way again.
func TestKernelCutsTheSame(t *testing.T) {
	e := newEnd(t, 1)
	must(t, e.near.Do(func() error { // so that the kernel cuts what is sent
		on, _, err := ethtool.Offloads("near0")
		if err != nil {
			return err
		}
		return ethtool.Disable("near0", on)
	}))
	next := e.capture(t)
	for _, v6 := range []bool{false, true} {
		for _, udp := range []bool{false, true} {
			for _, flags := range []uint8{0x10, 0x18, 0x11, 0x90} {
				super, h := superFrame(v6, udp, flags, 5000)
				var want [][]byte
				var c segment.Cutter
				must(t, c.Begin(super, h, 1518))
				for n := c.NextLen(); n > 0; n = c.NextLen() {
					f := make([]byte, n)
					c.Next(f)
					want = append(want, f)
				}
				name := fmt.Sprintf("v6 %v, UDP %v, flags %#x", v6, udp, flags)
				if errno := sendSuper(e.device.socket, h, super); errno != 0 {
					t.Fatalf("%s: %v", name, errno)
				}
				for i := range want {
					if got := next(); !bytes.Equal(got, want[i]) {
						t.Fatalf("%s: frame %d of the kernel:\n%x\nof Cutter:\n%x", name, i, got[:min(len(got), 80)], want[i][:80])
					}
				}
				if flags&0x80 == 0 {
					e.post(want)
					must(t, e.device.Kick())
					for i := range want {
						if got := next(); !bytes.Equal(got, want[i]) {
							t.Fatalf("%s: joined, frame %d of the kernel:\n%x\nwas:\n%x", name, i, got[:min(len(got), 80)],
								want[i][:80])
						}
					}
				}
			}
		}
	}
	if c := e.device.Counts(); c.TxSuper != 12 || c.TxSuperRefused != 0 {
		t.Errorf("%+v, want 12 super-frames", c)
	}
}

// post posts frames in slots.
func (e *end) post(frames [][]byte) {
	for _, f := range frames {
		slot, _ := e.slots.Take()
		addr := e.below.geometry.SlotAddr(slot)
		copy(e.below.area[addr:], f)
		e.device.Transmit([]frame.Desc{{Addr: addr, Len: uint32(len(f))}})
	}
}

func sendSuper(s *Socket, h segment.Header, super []byte) unix.Errno {
	b := make([]byte, segment.HeaderLen)
	h.Put(b)
	return s.send([]unix.Iovec{{Base: &b[0], Len: segment.HeaderLen}, {Base: &super[0], Len: uint64(len(super))}})
}

// superFrame returns a super-frame as a kernel sends it: with its lengths, and the sum of the pseudo header. The
// destination begins with octet 6.
func superFrame(v6, udp bool, flags uint8, payload int) ([]byte, segment.Header) {
	f := []byte{6, 2, 3, 4, 5, 6, 2, 2, 3, 4, 5, 7}
	protocol, l4 := byte(6), make([]byte, 32)
	l4[0], l4[1], l4[2], l4[3] = 0x12, 0x34, 0x56, 0x78
	l4[12], l4[13], l4[15] = 0x80, flags, 77
	copy(l4[20:], []byte{1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8})
	h := segment.Header{Flags: 1, Type: 1, Size: 1400, Offset: 16}
	if udp {
		protocol, l4 = 17, []byte{0x12, 0x34, 0x56, 0x78, 0, 0, 0, 0}
		h.Type, h.Offset = 5, 6
	} else if flags&0x80 != 0 {
		h.Type |= 0x80
	}
	length := len(l4) + payload
	if v6 {
		f = append(f, 0x86, 0xdd, 0x60, 2, 3, 4, byte(length>>8), byte(length), protocol, 64)
		f = append(f, bytes.Repeat([]byte{0xfd, 1, 2, 3}, 8)...)
		if !udp {
			h.Type += 3
		}
	} else {
		f = append(f, 8, 0, 0x45, 2, byte((20+length)>>8), byte(20+length), 0xff, 0xfe, 0x40, 0, 64, protocol, 0, 0,
			10, 0, 0, 1, 10, 0, 0, 2)
	}
	h.Start, h.Headers = uint16(len(f)), uint16(len(f)+len(l4))
	if udp {
		binary.BigEndian.PutUint16(l4[4:], uint16(length))
	}
	addresses := f[26:]
	if v6 {
		addresses = f[22:]
	}
	sum := checksum.Sum(addresses)>>32 + checksum.Sum(addresses)&0xffffffff + uint64(protocol)<<8 +
		uint64(bits.ReverseBytes16(uint16(length)))
	binary.LittleEndian.PutUint16(l4[h.Offset:], checksum.Fold(sum))
	return append(append(f, l4...), random(payload)...), h
}

// TestFramesOfTheSocketComeBehindThoseBelow: and after Return before them.
func TestFramesOfTheSocketComeBehindThoseBelow(t *testing.T) {
	e := newEnd(t, 1)
	var rx [8]frame.Desc
	e.below.old = []frame.Desc{{Addr: 0, Len: 60}}
	e.fromHost(t, 0x99)
	if n := e.device.Receive(rx[:]); n != 1 || rx[0].Addr != 0 {
		t.Fatalf("first: %d frames, %v", n, rx[0])
	}
	e.device.Recycle(rx[:1])
	if n := e.device.Receive(rx[:]); n != 1 || !e.placed(rx[0]) {
		t.Fatalf("second: %d frames, %v", n, rx[0])
	}
	kept := rx[0]
	e.device.Begin()
	if n := e.device.Receive(rx[1:]); n != 0 {
		t.Fatalf("%d frames more", n)
	}
	e.fromHost(t, 0x9a)
	e.post([][]byte{make([]byte, 60)})
	e.below.old = []frame.Desc{{Addr: 2048, Len: 60}}
	e.device.Return()
	if len(e.below.posted) != 1 {
		t.Errorf("%d posted frames went to the device below, want 1", len(e.below.posted))
	}
	if n := e.device.Receive(rx[:]); n != 1 || !e.placed(rx[0]) {
		t.Fatalf("third: %d frames, %v", n, rx[0])
	}
	if n := e.device.Receive(rx[1:]); n != 1 || rx[1].Addr != 2048 {
		t.Fatalf("fourth: %d frames, %v", n, rx[1])
	}
	if !e.device.Drained() {
		t.Error("not drained")
	}
	e.device.Recycle([]frame.Desc{rx[0], rx[1], kept})
	if !slices.Equal(e.below.recycled, []frame.Desc{{Addr: 0, Len: 60}, {Addr: 2048, Len: 60}}) {
		t.Errorf("recycled below: %v", e.below.recycled)
	}
}

// placed reports whether a frame is in a place of the memory.
func (e *end) placed(d frame.Desc) bool {
	g := e.below.geometry
	return d.Addr >= uint64(g.RX*g.ChunkSize) && d.Addr < g.SlotAddr(0)
}

// TestFramesThatFindNoPlaceAreDiscarded: while no place is free, frames stay with the kernel; Discard drops and counts
// them.
func TestFramesThatFindNoPlaceAreDiscarded(t *testing.T) {
	e := newEnd(t, 1)
	e.device.Begin()
	for {
		if _, ok := e.below.Place(); !ok {
			break
		}
	}
	for i := range byte(3) {
		e.fromHost(t, i)
	}
	var rx [8]frame.Desc
	if n := e.device.Receive(rx[:]); n != 0 {
		t.Errorf("%d frames are received without a place", n)
	}
	e.device.Return()
	if e.device.Drained() {
		t.Error("drained, with frames that nobody has received")
	}
	e.device.Discard()
	e.device.Receive(rx[:])
	if c := e.device.Counts(); !e.device.Drained() || c.RxSuperNoRoom != 3 {
		t.Errorf("drained %v, %+v; want 3 frames without room", e.device.Drained(), c)
	}
}

// fromHost sends a frame from the host, and waits until it is at the socket.
func (e *end) fromHost(t *testing.T, number byte) {
	t.Helper()
	f := append([]byte{6, 2, 3, 4, 5, 6, 2, 2, 3, 4, 5, 7, 0x88, 0xb5, number}, make([]byte, 45)...)
	must(t, e.host.Do(func() error {
		fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		i, err := net.InterfaceByName("host0")
		if err != nil {
			return err
		}
		return unix.Sendto(fd, f, 0, &unix.SockaddrLinklayer{Ifindex: i.Index})
	}))
	_, _ = unix.Poll([]unix.PollFd{{Fd: int32(e.device.socket.FD()), Events: unix.POLLIN}}, 2000)
}

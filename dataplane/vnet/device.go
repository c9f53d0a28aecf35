package vnet

import (
	"encoding/binary"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"uelink/dataplane/frame"
	"uelink/dataplane/segment"
	"uelink/wire"
)

// Device is a frame.Device of ordinary frames, which come from super-frames and leave as such by a Socket. It lies on
// the device of an AF_XDP socket that gets no frames meanwhile, and uses its memory: places for received frames, TX
// slots for frames to send. After Return the device below gets all calls again, once Drained.
type Device struct {
	below  Memory
	socket *Socket
	area   []byte

	longest int // frame, octets
	plain   int // octets of the longest frame that leaves by the socket; 0: of any length

	super  []byte // super-frame received from the socket
	cutter segment.Cutter
	early  bool // frames older than those of the socket may still come from below
	alone  bool // Begin was called: no older frames come from below any more
	back   bool // Return was called: the socket is read to its end, and the device below sends
	empty  bool // the socket was read empty

	posted  []frame.Desc
	done    []uint64
	joiner  segment.Joiner
	next    segment.Frame
	headers [segment.HeaderLen + segment.HeadersMax]byte
	iov     [1 + segment.Most]unix.Iovec
	loneTCP bool // the kernel refuses super-frames of TCP, so their frames leave one by one
	loneUDP bool // as loneTCP, of UDP, whose super-frames a kernel before Linux 6.2 refuses
	passed  bool // the frame just sent left by the device below
	tries   int  // calls in a row in which the kernel had no room for the first posted frame

	counts counts
}

// counts is the counts of super-frames. Other goroutines read them, too.
type counts struct {
	rxSuper, txSuper, malformed, refused atomic.Uint64
}

var _ frame.Device = (*Device)(nil)

// Memory is the device of an AF_XDP socket whose memory has places for single frames (Geometry.Places, with frames of
// one chunk).
type Memory interface {
	frame.Device
	// Place returns the address of a free place, which Recycle frees.
	Place() (addr uint64, ok bool)
}

// crowd is the number of frames in the ring from which Waiting reports a crowd: each may be a super-frame.
const crowd = 4

// New returns a Device on the device of an AF_XDP socket. longest is the longest frame of the interface, octets. No
// frame must be posted below.
func New(below Memory, socket *Socket, longest int) *Device {
	g := below.Geometry()
	d := &Device{
		below: below, socket: socket, area: below.Area(), early: true,
		super:  make([]byte, segment.HeaderLen+segment.MostBytes+1),
		posted: make([]frame.Desc, 0, g.TX), done: make([]uint64, 0, g.TX),
	}
	d.SetLongest(longest)
	return d
}

// SetLongest sets the length of the longest frame of the interface, octets.
func (d *Device) SetLongest(octets int) { d.longest = min(octets, d.Geometry().SlotSize()) }

// SetPlain makes frames longer than n octets leave by the device below: frames with two VLAN tags, because the other
// end of a veth takes only one tag beside the frame. 0: none.
func (d *Device) SetPlain(n int) { d.plain = n }

// Area returns the memory of the device below.
func (d *Device) Area() []byte { return d.area }

// Geometry returns the layout of the memory of the device below.
func (d *Device) Geometry() frame.Geometry { return d.below.Geometry() }

// FD returns the descriptor of the packet socket, or after Return that of the device below.
func (d *Device) FD() int {
	if d.back {
		return d.below.FD()
	}
	return d.socket.FD()
}

// Waiting returns how many frames wait, as far as is known: those of the device below while it receives, else 1 for a
// few, or a number above any bound for a crowd of super-frames.
func (d *Device) Waiting() int {
	switch {
	case d.early || d.back && d.empty && d.cutter.NextLen() == 0:
		return d.below.Waiting()
	case d.socket.waits(crowd):
		return crowd * segment.Most
	case d.cutter.NextLen() > 0 || d.socket.waits(1):
		return 1
	}
	return 0
}

// Receive fills into with frames: first the last frames of the device below, then frames of the socket. After Return
// the order is reversed.
func (d *Device) Receive(into []frame.Desc) int {
	if d.early {
		if n := d.below.Receive(into); n > 0 {
			return n
		}
		d.early = !d.alone
	}
	n := d.fromSocket(into)
	if d.back && d.empty && n == 0 {
		return d.below.Receive(into)
	}
	return n
}

// fromSocket fills into with frames that it cuts from super-frames of the socket, as far as there are places for them,
// and returns their number.
func (d *Device) fromSocket(into []frame.Desc) (n int) {
	for n < len(into) {
		size := d.cutter.NextLen()
		if size == 0 {
			if !d.read() {
				break
			}
			continue
		}
		at, ok := d.below.Place()
		if !ok {
			return n // the rest stays here, and the next super-frames with the kernel
		}
		d.cutter.Next(d.area[at : at+uint64(size)])
		into[n] = frame.Desc{Addr: at, Len: uint32(size)}
		n++
	}
	return n
}

// read reads a super-frame and gives it to the cutter, and reports whether there was one, even if dropped. It notes
// when the socket was read empty.
func (d *Device) read() bool {
	super, h, ok, errno := d.socket.receive(d.super)
	switch {
	case errno == unix.ENOBUFS:
		return true // counted by the socket
	case errno != 0:
		d.counts.malformed.Add(1)
		return true
	case !ok:
		d.empty = true
		return false
	}
	d.empty = false
	if len(super) >= wire.HeaderLen && toKernel(super) {
		return true
	}
	if d.cutter.Begin(super, h, d.longest) != nil {
		d.counts.malformed.Add(1)
	} else if d.cutter.NextLen() < len(super) {
		d.counts.rxSuper.Add(1)
	}
	return true
}

// toKernel reports whether the kernel's own sockets get a frame, and the port does not: LLDP, also behind a tag. Where
// the XDP program is attached it decides so (bpf/steer.c), and also for frames of a pump: an edge with pumps has no
// packet socket.
func toKernel(f []byte) bool {
	switch wire.EtherType(f) {
	case wire.EtherTypeLLDP:
		return true
	case unix.ETH_P_8021Q:
		const at = wire.HeaderLen + wire.VLANTagLen
		return len(f) >= at && binary.BigEndian.Uint16(f[at-2:]) == wire.EtherTypeLLDP &&
			f[0] == 0x01 && f[1] == 0x80 && f[2] == 0xc2 && f[3] == 0 && f[4] == 0 && f[5] < 0x10
	}
	return false
}

// Recycle gives back the frames, each to where it came from.
func (d *Device) Recycle(rx []frame.Desc) { d.below.Recycle(rx) }

// TxRoom returns how many frames Transmit would accept.
func (d *Device) TxRoom() int {
	if d.back {
		return d.below.TxRoom()
	}
	return cap(d.posted) - len(d.posted) - len(d.done)
}

// Transmit posts frames for the next Kick.
func (d *Device) Transmit(tx []frame.Desc) int {
	if d.back {
		return d.below.Transmit(tx)
	}
	n := min(len(tx), d.TxRoom())
	d.posted = append(d.posted, tx[:n]...)
	return n
}

// Completed fills into with the addresses of frames that have left.
func (d *Device) Completed(into []uint64) int {
	n := copy(into, d.done)
	d.done = d.done[:copy(d.done, d.done[n:])]
	return n + d.below.Completed(into[n:])
}

// Begin announces that the AF_XDP socket gets no more frames: frames already there are received first.
func (d *Device) Begin() { d.alone = true }

// Return makes the device below the sender, and later the receiver. Call it when an XDP program gives the interface's
// frames to the AF_XDP socket again. Frames posted here are posted below.
func (d *Device) Return() {
	n := d.below.Transmit(d.posted)
	d.posted = d.posted[:copy(d.posted, d.posted[n:])]
	d.back = true
}

// Discard drops, after Return, what the socket still has, and the rest of a super-frame that is not cut yet. They count
// as dropped for want of room.
func (d *Device) Discard() {
	for more := true; more; more = d.read() {
		if d.cutter.NextLen() > 0 {
			d.socket.lost.Add(1)
			d.cutter = segment.Cutter{}
		}
	}
}

// Drained reports whether nothing is left here after Return: every frame of the socket was handed out, every sent one
// completed. Frames that were handed out may still lie in places below.
func (d *Device) Drained() bool {
	return d.back && d.empty && d.cutter.NextLen() == 0 && len(d.done) == 0 && len(d.posted) == 0
}

// Stats returns the counts of the device below, and those of super-frames.
func (d *Device) Stats() (frame.Stats, error) { return d.below.Stats() }

// Counts returns the counts of super-frames. Any goroutine may call Counts, one at a time.
func (d *Device) Counts() frame.SuperCounts {
	return frame.SuperCounts{RxSuper: d.counts.rxSuper.Load(), TxSuper: d.counts.txSuper.Load(),
		RxSuperMalformed: d.counts.malformed.Load(), RxSuperNoRoom: d.socket.Drops(), TxSuperRefused: d.counts.refused.Load()}
}

// Progress returns the number of frames read from the socket so far, and whether more wait. After a frame that no
// header describes a kernel may write no frame to the ring any more: then the kernel drops frames, and none waits.
func (d *Device) Progress() (read uint64, waits bool) { return d.socket.read, d.socket.waits(1) }

// Close closes the device below. The socket stays open.
func (d *Device) Close() error { return d.below.Close() }

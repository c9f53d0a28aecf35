package xsk

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
	"uelink/internal/netns/nstest"
)

// inPieces is small with room for frames of 9,014 octets, and more, in chunks of 4096.
func inPieces(opener attach.Opener) Options {
	o := small(opener)
	o.Geometry.RX, o.Geometry.Pieces, o.Geometry.Places = 128, 3, 48
	return o
}

// needPieces skips a test on a kernel that has no sockets for frames in several chunks.
func needPieces(t testing.TB) {
	t.Helper()
	if err := MultiBuffer(); err != nil {
		nstest.Missing(t, "a kernel and a driver with frames in several chunks (AF_XDP multi-buffer): "+err.Error())
	}
}

// jumbo is a wire of an MTU of 9000.
func jumbo(t testing.TB) *wire {
	w := newWire(t)
	needPieces(t)
	w.mtu(9000)
	return w
}

// TestSizesInPieces sends every size up to that of an MTU of 9000 both ways, in the driver and in
// generic mode. No chunk, place or slot is lost: each is used many times over.
func TestSizesInPieces(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener attach.Opener) {
		for mode, step := range map[attach.Mode]int{attach.ModeDriver: 1, attach.ModeGeneric: 11} {
			t.Run(mode.String(), func(t *testing.T) {
				var sizes []int
				for n := 60; n <= 9000+14; n += step {
					sizes = append(sizes, n)
				}
				w, o := jumbo(t), inPieces(opener)
				o.Bind = attach.BindCopy
				a := w.open(w.a, 0, w.attach(w.a, mode), o)
				b := w.open(w.b, 0, w.attach(w.b, mode), o)
				x, y := converse(t, a, b, sizes, nil)
				exchange(x, y, uint64(len(sizes)), 16)
				expectStats(t, a, frame.Stats{})
				expectStats(t, b, frame.Stats{})
				if a.fill.out != 0 || b.fill.out != 0 {
					t.Errorf("%d and %d chunks have not come back", a.fill.out, b.fill.out)
				}
			})
		}
	})
}

// A frame longer than a slot of the receiver is dropped as a whole and counted, and the next frames arrive.
func TestPiecesThatDoNotFit(t *testing.T) {
	w, o := jumbo(t), inPieces(attach.OpenerNative)
	a := w.open(w.a, 0, w.attach(w.a, attach.ModeAuto), o)
	o.Geometry.Pieces = 2
	b := w.open(w.b, 0, w.attach(w.b, attach.ModeAuto), o)
	for slot, n := range []uint32{8192, 8193, 9014, 60} {
		a.Transmit([]frame.Desc{{Addr: a.Geometry().SlotAddr(uint32(slot)), Len: n}})
	}
	x, y := converse(t, a, b, []int{60}, nil)
	var got [4]frame.Desc
	n := 0
	until(t, func() bool { x.kick(); y.kick(); n += b.Receive(got[n:]); return n == 2 })
	if got[0].Len != 8192 || got[1].Len != 60 {
		t.Errorf("received %v, want 8192 octets and 60", got[:n])
	}
	b.Recycle(got[:n])
	expectStats(t, b, frame.Stats{JoinDrops: frame.JoinDrops{RxPiecesTooLong: 2}})
}

// A frame without a free place is dropped as a whole and counted.
func TestNoPlace(t *testing.T) {
	w, o := jumbo(t), inPieces(attach.OpenerNative)
	a := w.open(w.a, 0, w.attach(w.a, attach.ModeAuto), o)
	o.Geometry.Places = 2
	b := w.open(w.b, 0, w.attach(w.b, attach.ModeAuto), o)
	for slot, n := range []uint32{9014, 9013, 9012, 61} {
		a.Transmit([]frame.Desc{{Addr: a.Geometry().SlotAddr(uint32(slot)), Len: n}})
	}
	x, y := converse(t, a, b, []int{60}, nil)
	var got [8]frame.Desc
	n := 0
	until(t, func() bool { x.kick(); y.kick(); n += b.Receive(got[n:]); return n == 3 })
	if got[0].Len != 9014 || got[1].Len != 9013 || got[2].Len != 61 {
		t.Errorf("received %v, want 9014, 9013 and 61 octets", got[:n])
	}
	b.Recycle(got[:n])
	expectStats(t, b, frame.Stats{JoinDrops: frame.JoinDrops{RxPiecesNoPlace: 1}})
	if b.pieces.joiner.Release(b.Geometry().SlotAddr(0)) {
		t.Error("a slot was taken for a place")
	}
}

// However short the batch of a call, the call hands out whole frames: a frame begun stays for the next call.
func TestReceiveOneByOne(t *testing.T) {
	w := jumbo(t)
	a, b := w.pair(inPieces(attach.OpenerNative))
	for slot, n := range []uint32{9014, 60, 4097, 61} {
		a.Transmit([]frame.Desc{{Addr: a.Geometry().SlotAddr(uint32(slot)), Len: n}})
	}
	x, _ := converse(t, a, b, []int{60}, nil)
	x.kick()
	var got [1]frame.Desc
	for _, want := range []uint32{9014, 60, 4097, 61} {
		until(t, func() bool { return b.Receive(got[:]) == 1 })
		if got[0].Len != want {
			t.Errorf("received %d octets, want %d", got[0].Len, want)
		}
		b.Recycle(got[:])
	}
	var done [1]uint64
	for range 4 {
		until(t, func() bool { return a.Completed(done[:]) == 1 })
		if addr := done[0]; addr != a.Geometry().SlotAddr(a.Geometry().Slot(addr)) {
			t.Errorf("address %d was completed, and that is no slot's", addr)
		}
	}
	if a.Completed(done[:]) != 0 {
		t.Error("a frame was completed twice")
	}
}

// The TX ring has room for as many long frames as short frames, and never accepts a part of a frame.
func TestTxRoomInPieces(t *testing.T) {
	w := jumbo(t)
	a, _ := w.pair(inPieces(attach.OpenerNative))
	if room := a.TxRoom(); room < 64 {
		t.Fatalf("there is room for %d frames, want 64", room)
	}
	var tx [100]frame.Desc
	for i := range tx {
		tx[i] = frame.Desc{Addr: a.Geometry().SlotAddr(uint32(i % 32)), Len: 9014}
	}
	if n := a.Transmit(tx[:]); n != len(a.tx.entries)/3 {
		t.Errorf("%d frames were taken, want %d", n, len(a.tx.entries)/3)
	}
	if a.TxRoom() != 0 || int(a.tx.next)%3 != 0 {
		t.Errorf("%d descriptors were posted, and there is room for %d frames", a.tx.next, a.TxRoom())
	}
}

func TestNoAllocationInPieces(t *testing.T) {
	w := jumbo(t)
	a, b := w.pair(inPieces(attach.OpenerNative))
	tx := []frame.Desc{{Addr: a.Geometry().SlotAddr(0), Len: 9014}, {Addr: a.Geometry().SlotAddr(1), Len: 60}}
	rx, addrs := make([]frame.Desc, 8), make([]uint64, 8)
	if n := testing.AllocsPerRun(500, func() {
		a.Transmit(tx[:min(len(tx), a.TxRoom())])
		_ = a.Kick()
		a.Completed(addrs)
		b.Recycle(rx[:b.Receive(rx)])
		_ = b.Kick()
	}); n != 0 {
		t.Errorf("%v allocations a batch", n)
	}
}

// A kernel before Linux 6.6 refuses such a socket with EINVAL; the error names the remedy.
func TestPiecesOnAnOldKernel(t *testing.T) {
	before := multiBuffer
	defer func() { multiBuffer = before }()
	multiBuffer = [2]uint32{200, 0}
	r := request{options: inPieces(attach.OpenerNative)}
	err := r.explain("eth0", unix.EINVAL)
	if !errors.Is(err, errors.ErrUnsupported) || !errors.Is(err, unix.EINVAL) ||
		!strings.HasSuffix(err.Error(), "need Linux 6.6: unsupported operation: lower the MTU") {
		t.Error(err)
	}
}

func TestOptionsOfPieces(t *testing.T) {
	for _, c := range []struct {
		pieces, places int
		ok             bool
	}{
		{0, 0, true}, {1, 0, true}, {2, 8, true}, {4, 8, true}, {5, 8, false}, {-1, 0, false}, {3, 0, false},
		{1, 8, true}, {1, -1, false},
	} {
		t.Run(fmt.Sprint(c.pieces, c.places), func(t *testing.T) {
			o := small(attach.OpenerNative)
			o.Geometry.Pieces, o.Geometry.Places = c.pieces, c.places
			if err := o.check(); (err == nil) != c.ok {
				t.Errorf("error %v", err)
			}
		})
	}
}

package xsk

import (
	"math/rand/v2"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
)

// TestCompletions posts slots again before they have completed: every posting
// completes once.
func TestCompletions(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener attach.Opener) {
		w := newWire(t)
		a, b := w.pair(small(opener))
		random := rand.New(rand.NewPCG(1, 2))
		const slots, limit = 5, 3000
		var outstanding [slots]int
		sent, done, received := 0, 0, 0
		tx, rx, addrs := make([]frame.Desc, 8), make([]frame.Desc, 64), make([]uint64, 3)
		until(t, func() bool {
			n := min(random.IntN(len(tx)+1), limit-sent, a.TxRoom())
			for i := range n {
				slot := uint32(random.IntN(slots))
				tx[i] = frame.Desc{Addr: a.Geometry().SlotAddr(slot) + uint64(random.IntN(64)), Len: 60}
				outstanding[slot]++
			}
			sent += a.Transmit(tx[:n])
			if err := a.Kick(); err != nil {
				t.Fatal(err)
			}
			n = a.Completed(addrs[:random.IntN(len(addrs)+1)])
			for _, addr := range addrs[:n] {
				slot := a.Geometry().Slot(addr)
				if outstanding[slot]--; outstanding[slot] < 0 {
					t.Fatalf("slot %d completed more often than it was posted", slot)
				}
			}
			done += n
			n = b.Receive(rx)
			b.Recycle(rx[:n])
			received += n
			return done == limit
		})
		if outstanding != [slots]int{} || sent != limit || received != limit {
			t.Errorf("%d sent, %d received, outstanding by slot %v", sent, received, outstanding)
		}
		if n := a.Completed(addrs); n != 0 {
			t.Errorf("%d completions too many", n)
		}
		expectStats(t, a, frame.Stats{})
	})
}

// TestTxRingFull posts more frames than the ring holds, and one frame longer than its chunk. Kernels before 6.6 do
// not complete the long frame.
func TestTxRingFull(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener attach.Opener) {
		w := newWire(t)
		a, _ := w.pair(small(opener))
		tx := make([]frame.Desc, 65)
		for i := range tx {
			tx[i] = frame.Desc{Addr: a.Geometry().SlotAddr(0), Len: 60}
		}
		tx[3].Len = 4097
		if n := a.TxRoom(); n != 64 {
			t.Errorf("room for %d in a ring of 64", n)
		}
		if n := a.Transmit(tx); n != 64 {
			t.Errorf("took %d frames in a ring of 64", n)
		}
		if a.TxRoom() != 0 || a.Transmit(tx) != 0 {
			t.Error("a full ring took frames")
		}
		done, addrs := 0, make([]uint64, 64)
		until(t, func() bool {
			if err := a.Kick(); err != nil {
				t.Fatal(err)
			}
			done += a.Completed(addrs)
			return done >= 63 && a.TxRoom() == 64
		})
		expectStats(t, a, frame.Stats{TxInvalidDescs: 1})
	})
}

// TestOverrun sends 100 frames to a receiver that does not read: the frames that its rings hold are kept, in order,
// the rest is dropped and counted.
func TestOverrun(t *testing.T) {
	for _, test := range []struct {
		name   string
		chunks int // the RX ring has 64 entries
		kept   uint64
		want   frame.Stats
	}{
		{"no chunk left", 48, 48, frame.Stats{RxDropped: 52, RxFillRingEmpty: 52}},
		{"RX ring full", 128, 64, frame.Stats{RxRingFull: 36}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWire(t)
			o := small(attach.OpenerNative)
			o.Geometry.RX = test.chunks
			a, b := w.pair(o)
			x, y := converse(t, a, b, []int{60}, nil)
			until(t, func() bool {
				x.send(100, 1000)
				x.kick()
				x.work()
				s, err := b.Stats()
				if err != nil {
					t.Fatal(err)
				}
				return s.RxDropped+s.RxRingFull == 100-test.kept
			})
			expectStats(t, b, test.want)
			for range 100 {
				y.work()
			}
			if y.received != test.kept {
				t.Errorf("%d frames kept, want %d", y.received, test.kept)
			}
		})
	}
}

// TestSmallBudget is a kernel that sends no more than 32 frames a system call.
func TestSmallBudget(t *testing.T) {
	w := newWire(t)
	o := small(attach.OpenerNative)
	o.RingSize, o.Geometry.RX = 256, 256
	a, b := w.pair(o)
	if err := unix.SetsockoptInt(a.sender, unix.SOL_XDP, unix.XDP_MAX_TX_SKB_BUDGET, 32); err != nil {
		t.Skipf("needs XDP_MAX_TX_SKB_BUDGET in the kernel: %v", err)
	}
	a.perBatch = 256/32 + 1
	tx := make([]frame.Desc, 200)
	for i := range tx {
		tx[i] = frame.Desc{Addr: a.Geometry().SlotAddr(0), Len: 60}
	}
	if n := a.Transmit(tx); n != len(tx) {
		t.Fatalf("took %d frames", n)
	}
	before := a.Kicks()
	if err := a.Kick(); err != nil {
		t.Fatal(err)
	}
	if calls := a.Kicks() - before; calls != 7 {
		t.Errorf("%d system calls for 200 frames, 32 each", calls)
	}
	if n := a.TxRoom(); n != 256 {
		t.Errorf("%d of 256 entries are free after Kick", n)
	}
	rx, received := make([]frame.Desc, 256), 0
	until(t, func() bool { received += b.Receive(rx); return received == 200 })
}

// TestWakeRX plays a driver that ran out of chunks and sets the flag of the ring.
func TestWakeRX(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener attach.Opener) {
		w := newWire(t)
		a, b := w.pair(small(opener))
		x, y := converse(t, a, b, []int{60}, nil)
		exchange(x, y, 10, 10)
		*b.fill.flags |= unix.XDP_RING_NEED_WAKEUP
		before := b.Kicks()
		y.kick()
		y.kick()
		if calls := b.Kicks() - before; calls != 1 {
			t.Errorf("%d system calls to wake a receiver that has chunks", calls)
		}
		x.send(20, 10)
		x.kick()
		until(t, func() bool { y.work(); return y.received == 20 })
		y.kick()
		if calls := b.Kicks() - before; calls != 2 {
			t.Errorf("%d system calls after more chunks came back, want 2", calls)
		}
	})
}

// TestWaitingDoesNotSend: the kernel sends for whoever polls a sending socket, and wakes its waiters after each
// frame. Workers poll another socket.
func TestWaitingDoesNotSend(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener attach.Opener) {
		w := newWire(t)
		a, b := w.pair(small(opener))
		a.Transmit([]frame.Desc{{Addr: a.Geometry().SlotAddr(0), Len: 60}})
		fds := []unix.PollFd{{Fd: int32(a.FD()), Events: unix.POLLIN | unix.POLLOUT}}
		if n, err := unix.Poll(fds, 0); n != 0 || err != nil {
			t.Errorf("%d sockets have something (%v), want none", n, err)
		}
		if left := a.tx.unread(); left != 1 {
			t.Errorf("%d frames have not left, want the one that was posted", left)
		}
		until(t, func() bool {
			if err := a.Kick(); err != nil {
				t.Fatal(err)
			}
			return b.Receive(make([]frame.Desc, 1)) == 1
		})
	})
}

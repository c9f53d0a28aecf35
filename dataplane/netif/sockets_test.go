package netif

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
	"uelink/dataplane/xsk"
)

// send makes the stack of "far" send a frame of the given length in octets.
func (w *world) send(octets int) {
	w.t.Helper()
	index, err := w.far.Ifindex("far")
	must(w.t, err)
	must(w.t, w.far.Do(func() error {
		fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		f := make([]byte, octets)
		copy(f, []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x12, 0x34})
		return unix.Sendto(fd, f, 0, &unix.SockaddrLinklayer{Ifindex: index, Halen: 6})
	}))
}

// receives demands that frames of these lengths arrive at a socket.
func (w *world) receives(s *xsk.Socket, lengths ...uint32) {
	w.t.Helper()
	var rx [1]frame.Desc
	for _, want := range lengths {
		for end := time.Now().Add(10 * time.Second); s.Receive(rx[:]) == 0; time.Sleep(100 * time.Microsecond) {
			if time.Now().After(end) {
				w.t.Errorf("no frame of %d octets came", want)
				return
			}
		}
		if rx[0].Len != want {
			w.t.Errorf("a frame of %d octets came, not %d", rx[0].Len, want)
		}
		s.Recycle(rx[:])
		must(w.t, s.Kick())
	}
}

// program returns the id of the XDP program on "near".
func (w *world) program() uint32 {
	w.t.Helper()
	l, err := w.near.Link("near")
	must(w.t, err)
	if l.Xdp == nil {
		return 0
	}
	return l.Xdp.ProgId
}

// The sockets are replaced under a program that stays, and the changes of the interface stay.
func TestReopenSockets(t *testing.T) {
	for _, mode := range []attach.Mode{attach.ModeDriver, attach.ModeGeneric} {
		t.Run(mode.String(), func(t *testing.T) {
			w := newWorld(t)
			before := w.state()
			w.do(func() {
				i := w.mustOwn()
				o := everything()
				o.Attach = steer(mode)
				must(t, i.Attach(o))
				program, during := w.program(), w.state()
				w.send(100)
				w.receives(i.Sockets()[0], 100)
				must(t, w.near.SetMTU("near", 3000))
				must(t, w.far.SetMTU("far", 3000))
				o.Sockets.Geometry.ChunkSize = LargeChunk
				must(t, i.ReopenSockets(*o.Sockets))
				w.send(200)
				w.send(3014)
				w.receives(i.Sockets()[0], 200, 3014)
				if now := w.program(); now != program {
					t.Errorf("program %d came in the place of %d", now, program)
				}
				must(t, w.near.SetMTU("near", 1500))
				must(t, w.far.SetMTU("far", 1500))
				w.expect(during, "with other sockets")
				must(t, i.Release())
			})
			w.expect(before, "after Release")
		})
	}
}

// unwilling is a program through which no live frames can leave.
type unwilling struct {
	*bpf.Program
	err error
}

func (u unwilling) Transmit(t *bpf.Transmitter) error {
	if t == nil {
		return nil
	}
	return u.err
}

// Sockets whose live frames the kernel refuses are opened all the same, and Live has the kernel's error.
func TestLiveRefused(t *testing.T) {
	for _, refusal := range []error{unix.EINVAL, unix.EOPNOTSUPP, unix.EPERM, nil} {
		w := newWorld(t)
		w.do(func() {
			i := w.mustOwn()
			o := everything()
			o.Sockets.Live = true
			o.Attach = func(ifindex int) (Program, error) {
				p, err := bpf.Attach(ifindex, bpf.Config{}, attach.ModeAuto)
				return unwilling{p, refusal}, err
			}
			must(t, i.Attach(o))
			if err := i.Live(); !errors.Is(err, refusal) && bpf.KernelSince(5, 18) {
				t.Errorf("%v, want %v", err, refusal)
			}
			w.send(100)
			w.receives(i.Sockets()[0], 100)
			must(t, i.Release())
		})
	}
}

// While no socket is open, frames go where the program sends them, here to the kernel.
func TestFramesWithoutASocketGoToTheKernel(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		i := w.mustOwn()
		must(t, i.Attach(everything()))
		must(t, i.attachment.closeSockets())
		w.send(100)
		c, err := i.Program().(*bpf.Program).Counters()
		must(t, err)
		if c != (bpf.Counters{NoSocket: 1}) {
			t.Errorf("%+v", c)
		}
		must(t, i.Release())
	})
}

func TestReopenSocketsRefused(t *testing.T) {
	w := newWorld(t)
	before := w.state()
	w.do(func() {
		i := w.mustOwn()
		must(t, i.Attach(everything()))
		more := small()
		more.Queues = attach.FirstQueues(2)
		if err := i.ReopenSockets(*more); !errors.Is(err, ErrQueues) || len(i.Sockets()) != 1 {
			t.Errorf("%v, %d sockets", err, len(i.Sockets()))
		}
		w.send(100)
		w.receives(i.Sockets()[0], 100)
		wrong := small()
		wrong.RingSize = 63
		if err := i.ReopenSockets(*wrong); err == nil || len(i.Sockets()) != 0 {
			t.Errorf("%v, %d sockets", err, len(i.Sockets()))
		}
		must(t, i.Release())
	})
	w.expect(before, "after Release")
}

// severalQueues makes "near" an interface with the given number of queues, its peer "beside" it.
func (w *world) severalQueues(queues int) {
	w.t.Helper()
	must(w.t, w.near.DeleteLink("near"))
	attrs := netlink.LinkAttrs{Name: "near", NumTxQueues: queues, NumRxQueues: queues}
	must(w.t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: "beside"}))
}

// One socket is opened for each queue, or for each queue in the settings. The socket that frames leave by is first,
// and has the TX chunks.
func TestSocketsOfSeveralQueues(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		w.severalQueues(4)
		for _, c := range []struct {
			asked  []int
			leaves attach.TxQueue
			want   []int
		}{
			{nil, attach.TxQueue{}, []int{0, 1, 2, 3}},
			{[]int{0, 1}, attach.TxQueue{}, []int{0, 1}},
			{[]int{1, 3}, attach.TxQueue{}, []int{1, 3}},
			{[]int{1, 3}, attach.TxQueue{Given: true, Number: 3}, []int{3, 1}},
			{nil, attach.TxQueue{Given: true, Number: 2}, []int{2, 0, 1, 3}},
		} {
			i := w.mustOwn()
			o := everything()
			o.Sockets.Queues, o.Sockets.TxQueue = attach.QueuesOf(c.asked), c.leaves
			must(t, i.Attach(o))
			w.haveSockets(i, c.want)
			must(t, i.ReopenSockets(*o.Sockets))
			w.haveSockets(i, c.want)
			must(t, i.Release())
		}
	})
}

// haveSockets demands sockets on these queues, of which the first sends.
func (w *world) haveSockets(i *Interface, queues []int) {
	w.t.Helper()
	var have []int
	for at, s := range i.Sockets() {
		have = append(have, s.Info().Queue)
		if chunks := s.Geometry().TX; chunks == 1 != (at > 0) {
			w.t.Errorf("the socket of queue %d has %d TX chunks", s.Info().Queue, chunks)
		}
	}
	if !slices.Equal(have, queues) {
		w.t.Errorf("sockets are on the queues %v, want %v", have, queues)
	}
}

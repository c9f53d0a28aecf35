package traffic

import (
	"errors"
	"fmt"
	"io"
	"math/bits"
	"net"
	"slices"

	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/dataplane/ethtool"
	"uelink/dataplane/frame"
	"uelink/dataplane/xsk"
)

// headroom is what XDP keeps free in front of a received frame.
const headroom = 256

// taken is an interface while a run owns it: its XDP program, its sockets.
type taken struct {
	mtu     int
	devices []frame.Device
	closers []io.Closer // in the order of opening
}

// take opens both ends.
func (c *Config) take() (ends [2]*taken, err error) {
	for i, end := range []End{c.From, c.To} {
		ends[i] = &taken{}
		err := inNamespace(end.NetNS, func() error { return ends[i].open(end.Interface, c.RingSize) })
		if err != nil {
			err = openError(end, err)
			return ends, errors.Join(err, closeAll(ends))
		}
	}
	return ends, nil
}

func closeAll(ends [2]*taken) error {
	var problems []error
	for _, t := range ends {
		if t != nil {
			problems = append(problems, t.Close())
		}
	}
	return errors.Join(problems...)
}

// open takes an interface of the thread's namespace.
func (t *taken) open(ifname string, ring int) error {
	dev, err := net.InterfaceByName(ifname)
	if err != nil {
		return usageError(errors.New("there is no such interface"))
	}
	if dev.Flags&net.FlagUp == 0 {
		return usageError(fmt.Errorf("the interface is down (ip link set %s up)", ifname))
	}
	t.mtu = dev.MTU
	if err := t.hearAll(dev.Index); err != nil {
		return err
	}
	program, err := bpf.Attach(dev.Index, bpf.Config{}, bpf.ModeAuto)
	if err != nil {
		return err
	}
	t.closers = append(t.closers, program)
	queues, err := rxQueues(ifname)
	if err != nil {
		return err
	}
	for q := range queues {
		if err := t.openQueue(dev, q, ring, program); err != nil {
			return err
		}
	}
	return nil
}

// rxQueues is how many RX queues an interface has: one, if the driver has no word
// for it.
func rxQueues(ifname string) (n int, err error) {
	conn, err := ethtool.Open(ifname)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	n, err = conn.RxQueues()
	if errors.Is(err, unix.EOPNOTSUPP) {
		return 1, nil
	}
	return n, err
}

// openQueue opens the socket of one RX queue. Frames leave by the first only.
func (t *taken) openQueue(dev *net.Interface, queue, ring int, program *bpf.Program) error {
	g, err := geometry(dev.MTU, ring)
	if err != nil {
		return err
	}
	if queue > 0 {
		g.TX = 1
	}
	o := xsk.Options{RingSize: ring, Geometry: g}
	if program.Mode() == bpf.ModeGeneric {
		o.Bind = xsk.BindCopy
	}
	socket, err := xsk.Open(dev.Index, queue, o)
	if err != nil {
		return err
	}
	t.devices = append(t.devices, socket)
	t.closers = append(t.closers, socket)
	return program.Register(queue, socket.FD())
}

// geometry is that of a socket whose RX chunks never run out before its ring.
func geometry(mtu, ring int) (frame.Geometry, error) {
	chunk := 1 << bits.Len(uint(mtu+maxHead+headroom-1))
	if chunk > 4096 {
		return frame.Geometry{}, usageError(fmt.Errorf("an MTU of %d is more than an AF_XDP chunk holds: at most %d",
			mtu, 4096-headroom-maxHead))
	}
	return frame.Geometry{ChunkSize: max(chunk, 2048), RX: 2 * ring, TX: ring}, nil
}

// hearAll has the interface take in frames for other addresses, for as long as
// a socket is open: the kernel forgets it even after a crash.
func (t *taken) hearAll(ifindex int) error {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("packet socket: %w", err)
	}
	t.closers = append(t.closers, descriptor(fd))
	all := unix.PacketMreq{Ifindex: int32(ifindex), Type: unix.PACKET_MR_PROMISC}
	if err := unix.SetsockoptPacketMreq(fd, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP, &all); err != nil {
		return fmt.Errorf("switch promiscuous mode on: %w", err)
	}
	return nil
}

// descriptor is a file descriptor to be closed.
type descriptor int

// Close closes it.
func (d descriptor) Close() error { return unix.Close(int(d)) }

// Close gives the interface back.
func (t *taken) Close() error {
	var problems []error
	for _, c := range slices.Backward(t.closers) {
		problems = append(problems, c.Close())
	}
	t.closers = nil
	return errors.Join(problems...)
}

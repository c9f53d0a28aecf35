package traffic

import (
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"slices"

	"uelink/bpf"
	"uelink/dataplane/frame"
	"uelink/dataplane/netif"
	"uelink/dataplane/xsk"
	"uelink/netns"
)

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
		err := end.inNamespace(func() error { return ends[i].open(end.Interface, c.RingSize) })
		if err != nil {
			err = openError(end, err)
			return ends, errors.Join(err, closeAll(ends))
		}
	}
	return ends, nil
}

// inNamespace runs f in the end's network namespace. Sockets that f opens stay there.
func (e End) inNamespace(f func() error) error {
	if e.NetNS == "" {
		return f()
	}
	err := netns.Within(filepath.Join(netns.Dir, e.NetNS), f)
	if errors.Is(err, netns.ErrNone) {
		return usageError(fmt.Errorf("there is no network namespace %s (see ip netns list)", e.NetNS))
	}
	return err
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
	if dev.MTU > netif.Fits(netif.LargeChunk) {
		return usageError(fmt.Errorf("an MTU of %d is more than an AF_XDP chunk holds: at most %d",
			dev.MTU, netif.Fits(netif.LargeChunk)))
	}
	promiscuous, err := netif.OpenPromiscuous(dev.Index)
	if err != nil {
		return fmt.Errorf("promiscuous mode: %w", err)
	}
	t.closers = append(t.closers, promiscuous)
	program, err := bpf.Attach(dev.Index, bpf.Config{}, bpf.ModeAuto)
	if err != nil {
		return err
	}
	t.closers = append(t.closers, program)
	queues, err := netif.RXQueues(ifname)
	if err != nil {
		return err
	}
	// So many RX chunks never run out before the ring.
	g := frame.Geometry{ChunkSize: netif.ChunkFor(dev.MTU), RX: 2 * ring, TX: ring}
	sockets, err := netif.OpenSockets(dev.Index, queues, program, xsk.Options{RingSize: ring, Geometry: g})
	for _, s := range sockets {
		t.devices, t.closers = append(t.devices, s), append(t.closers, s)
	}
	return err
}

// Close gives the interface back.
func (t *taken) Close() error {
	var problems []error
	for _, c := range slices.Backward(t.closers) {
		problems = append(problems, c.Close())
	}
	t.closers = nil
	return errors.Join(problems...)
}

package traffic

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"

	"go.uber.org/zap"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
	"uelink/dataplane/netif"
	"uelink/dataplane/xsk"
	"uelink/internal/netns"
)

// attached is an interface attached by a run.
type attached struct {
	owned   *netif.Interface
	mtu     int
	devices []frame.Device
}

// open attaches an XDP program and opens sockets at the interfaces of both ends. After an error, both are
// restored.
func (c *Config) open() (ends [2]*attached, err error) {
	for i, end := range []End{c.From, c.To} {
		ends[i] = &attached{}
		err := end.inNamespace(func() error { return ends[i].open(end.Interface, c.RingSize) })
		if err != nil {
			err = openError(end, err)
			return ends, errors.Join(err, closeAll(ends))
		}
	}
	return ends, nil
}

// inNamespace runs f in the end's network namespace and returns the error of f. Sockets opened by f stay in that
// namespace.
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

// closeAll closes those ends that are open.
func closeAll(ends [2]*attached) error {
	var problems []error
	for _, t := range ends {
		if t != nil {
			problems = append(problems, t.close())
		}
	}
	return errors.Join(problems...)
}

// open claims an interface of the calling thread's namespace, attaches the XDP program and opens sockets with
// rings of that many entries. No record is written: all changes end with the process.
func (t *attached) open(ifname string, ring int) (err error) {
	log := zap.NewNop()
	t.owned, err = netif.OpenRecords("", log).Own(ifname, log)
	if errors.Is(err, netif.ErrNone) {
		return usageError(netif.ErrNone)
	}
	if err != nil {
		return err
	}
	attrs := t.owned.Link().Attrs()
	if attrs.Flags&net.FlagUp == 0 {
		return usageError(fmt.Errorf("the interface is down (ip link set %s up)", ifname))
	}
	t.mtu = attrs.MTU
	if most := netif.FitsPieces(netif.LargeChunk, xsk.MostPieces); t.mtu > most {
		return usageError(fmt.Errorf("an MTU of %d is more than AF_XDP chunks hold: at most %d", t.mtu, most))
	}
	return t.attach(ring)
}

// attach attaches the XDP program and opens a socket for each RX queue, with rings of that many entries; the
// sockets receive every frame of the interface.
func (t *attached) attach(ring int) error {
	// With 2 * ring RX chunks, the ring is full before the chunks run out.
	chunk := netif.ChunkFor(t.mtu)
	g := frame.Geometry{ChunkSize: chunk, RX: 2 * ring, TX: ring}.InPieces(netif.PiecesFor(t.mtu, chunk))
	err := t.owned.Attach(netif.Options{
		Attach:  func(ifindex int) (netif.Program, error) { return bpf.Attach(ifindex, bpf.Config{}, attach.ModeAuto) },
		Sockets: &netif.Sockets{Options: xsk.Options{RingSize: ring, Geometry: g}},
	})
	for _, s := range t.owned.Sockets() {
		t.devices = append(t.devices, s)
	}
	return err
}

// close closes the sockets and restores the interface.
func (t *attached) close() error {
	if t.owned == nil {
		return nil
	}
	return t.owned.Release()
}

package cable

import (
	"errors"
	"fmt"
	"net"

	"github.com/cilium/ebpf"
	"go.uber.org/zap"

	"uelink/bpf"
	"uelink/dataplane/netif"
)

// end is an interface that a cable is plugged into.
type end struct {
	name    string
	index   int
	mtu     int
	queues  int              // RX queues of the interface, as created
	owned   *netif.Interface // nil before findEnd
	xdpMode bpf.Mode
}

// findEnd claims an interface of this namespace for the cable, and returns an error if it is in use or down: a
// down interface loses all frames sent to it. No record is written: all changes by a cable end with the process.
func findEnd(name string) (end, error) {
	log := zap.NewNop()
	owned, err := netif.OpenRecords("", log).Own(name, log)
	if err != nil {
		return end{}, fmt.Errorf("interface %w", err)
	}
	attrs := owned.Link().Attrs()
	if attrs.Flags&net.FlagUp == 0 {
		err := fmt.Errorf("interface %s is down: set it up first (ip link set dev %s up)", name, name)
		return end{}, errors.Join(err, owned.Release())
	}
	return end{name: name, index: attrs.Index, mtu: attrs.MTU, queues: max(1, attrs.NumRxQueues), owned: owned}, nil
}

// attach attaches an XDP program to the interface and, if sockets is not nil, opens sockets for its frames. load
// returns the loaded program and its map of sockets; the map is nil without sockets.
func (e *end) attach(load func() (*ebpf.Program, *ebpf.Map, error), sockets *netif.Sockets) error {
	err := e.owned.Attach(netif.Options{
		Sockets: sockets,
		Attach: func(ifindex int) (netif.Program, error) {
			program, steered, err := load()
			if err != nil {
				return nil, fmt.Errorf("%s: load the XDP program: %w", e.name, err)
			}
			return bpf.AttachProgram(ifindex, program, steered, bpf.ModeAuto)
		},
	})
	if err == nil {
		e.xdpMode = e.owned.Program().Mode()
	}
	return err
}

// release detaches program and sockets from the interface and restores its settings. Further calls do nothing.
func (e *end) release() error {
	if e.owned == nil {
		return nil
	}
	return e.owned.Release()
}

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
	queues  int              // RX queues that the interface has been made with
	owned   *netif.Interface // nil: not yet
	xdpMode bpf.Mode
}

// findEnd makes an interface the cable's. It has to be up: what is sent to an interface that
// is down is lost. Nothing is written down: what a cable changes ends with the process.
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

// take has the frames of the interface go to a program and, if there are any, to sockets. load
// makes the program and the map of its sockets, which is nil without sockets.
func (e *end) take(load func() (*ebpf.Program, *ebpf.Map, error), sockets *netif.Sockets) error {
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

// release puts the interface back, once.
func (e *end) release() error {
	if e.owned == nil {
		return nil
	}
	return e.owned.Release()
}

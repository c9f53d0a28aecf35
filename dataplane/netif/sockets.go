package netif

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/dataplane/ethtool"
	"uelink/dataplane/xsk"
)

// RXQueues is how many RX queues an interface of the thread's namespace has. One whose
// driver does not tell has 1.
func RXQueues(ifname string) (int, error) {
	c, err := ethtool.Open(ifname)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	n, err := c.RxQueues()
	if errors.Is(err, unix.EOPNOTSUPP) {
		return 1, nil
	}
	return max(n, 1), err
}

// OpenSockets opens a socket for each of the first so many RX queues of an interface, and
// has the program steer their frames there. With an error come the sockets that were
// opened before; they are the caller's to close. Frames leave by the first of them: the
// others have one TX chunk each.
func OpenSockets(ifindex, queues int, program *bpf.Program, o xsk.Options) (sockets []*xsk.Socket, err error) {
	if program.Mode() == bpf.ModeGeneric {
		o.Bind = xsk.BindCopy
	}
	for q := range queues {
		sock, err := xsk.Open(ifindex, q, o)
		if err != nil {
			return sockets, fmt.Errorf("open an AF_XDP socket on queue %d: %w", q, err)
		}
		sockets = append(sockets, sock)
		if err := program.Register(q, sock.FD()); err != nil {
			return sockets, fmt.Errorf("register the AF_XDP socket of queue %d: %w", q, err)
		}
		o.Geometry.TX = 1
	}
	return sockets, nil
}

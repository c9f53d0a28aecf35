package netif

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
	"uelink/dataplane/ethtool"
)

// ErrQueues is the error when an interface lacks a configured queue.
var ErrQueues = errors.New("name other queues, or have the interface use more queues (ethtool -L)")

// QueueNumbers returns the RX queues of the interface that get a socket, first the queue that frames leave by.
// QueueNumbers is called in the interface's network namespace. Errors: ErrQueues.
func (i *Interface) QueueNumbers(s Sockets) ([]int, error) {
	list, err := s.NumbersOn(i.name())
	if err != nil && !errors.Is(err, ErrQueues) {
		return nil, i.failed("count the RX queues", err)
	}
	return list, err
}

// NumbersOn returns the RX queues of a named interface that would get a socket, as QueueNumbers. The interface may
// belong to anybody.
func (s *Sockets) NumbersOn(ifname string) ([]int, error) {
	rx, tx, err := channels(ifname)
	if err != nil {
		return nil, err
	}
	list, err := s.Numbers(rx, tx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", ifname, err, ErrQueues)
	}
	return list, nil
}

// Numbers returns the RX queues that get a socket on an interface with rx RX queues and tx TX queues, first the
// queue that frames leave by. An error names the missing queue. The check is needed: on a queue that can only
// receive, the kernel opens a socket, sends nothing, and reports no error.
func (s *Sockets) Numbers(rx, tx int) ([]int, error) {
	q := s.Queues
	if q.Empty() {
		q = attach.FirstQueues(min(rx, attach.MaxQueues))
	}
	list := q.List()
	leaves := list[0] // the queue that frames leave by
	if s.TxQueue.Given {
		leaves = s.TxQueue.Number
	}
	switch {
	case list[len(list)-1] >= rx:
		return nil, fmt.Errorf("queues: %v, but the interface has %d RX queues, numbered from 0", q, rx)
	case !q.Contains(leaves):
		return nil, fmt.Errorf("tx_queue: %d, but sockets are on the queues %v", leaves, q)
	case leaves >= tx:
		return nil, fmt.Errorf("frames are to leave by queue %d (tx_queue: %v), but the interface has %d TX queues, "+
			"numbered from 0", leaves, s.TxQueue, tx)
	}
	list = slices.DeleteFunc(list, func(n int) bool { return n == leaves })
	return slices.Insert(list, 0, leaves), nil
}

// RxQueues returns the present number of RX queues of the interface. RxQueues is called in the interface's network
// namespace.
func (i *Interface) RxQueues() (int, error) {
	rx, _, err := channels(i.name())
	return rx, err
}

// channels returns the numbers of RX queues and TX queues of an interface of the thread's namespace: 1 and 1 if the
// driver does not say.
func channels(ifname string) (rx, tx int, err error) {
	c, err := ethtool.Open(ifname)
	if err != nil {
		return 0, 0, err
	}
	defer c.Close()
	rx, tx, err = c.Queues()
	if errors.Is(err, unix.EOPNOTSUPP) {
		return 1, 1, nil
	}
	return max(rx, 1), max(tx, 1), err
}

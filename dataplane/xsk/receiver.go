package xsk

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// addReceiver opens a second socket on the queue, which shares the UMEM of the first and has the RX ring.
//
// The kernel wakes the waiters of a socket after every frame that the socket has sent, because they may wait for
// room. Nobody here waits for room, but if a socket is behind an epoll, waiting for frames to arrive, the kernel
// looks every time, which takes some 80 ns. And if a sending socket is polled, the kernel tries to send. So one
// socket sends, and another, which never sends, is polled.
func (b *bound) addReceiver(r request) (err error) {
	opening.Lock() // else the mappings made here would be taken for those of asavie/xdp
	defer opening.Unlock()
	fd, err := unix.Socket(unix.AF_XDP, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("create the receiver: %w", err)
	}
	closeSender := b.close
	b.receiver = fd
	b.close = func() error { return errors.Join(unix.Close(fd), closeSender()) }
	if err = unix.SetsockoptInt(fd, unix.SOL_XDP, unix.XDP_RX_RING, r.sizes.rx); err != nil {
		return fmt.Errorf("RX ring of %d entries: %w", r.sizes.rx, err)
	}
	if b.rings.rx, err = mapRX(fd, r.sizes.rx); err != nil {
		return err
	}
	address := unix.SockaddrXDP{Flags: unix.XDP_SHARED_UMEM, Ifindex: uint32(r.ifindex), QueueID: uint32(r.queue),
		SharedUmemFD: uint32(b.sender)}
	if err = unix.Bind(fd, &address); err != nil {
		return fmt.Errorf("bind the receiver: %w", err)
	}
	return nil
}

// stats returns the kernel's counters of both sockets in one struct: those of TX from the sending socket, all others
// from the receiving socket.
func (b *bound) stats() (unix.XDPStatistics, error) {
	tx, err := statistics(b.sender)
	if err != nil {
		return tx, err
	}
	both, err := statistics(b.receiver)
	both.Tx_invalid_descs, both.Tx_ring_empty_descs = tx.Tx_invalid_descs, tx.Tx_ring_empty_descs
	return both, err
}

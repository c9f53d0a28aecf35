package xsk

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
)

// openNative opens a sending socket by system calls alone: it makes the UMEM, with slots for live frames if wanted,
// maps the rings, and binds the socket. The fill ring is full before bind, so that a zero-copy driver has chunks from
// the start. After an error nothing stays open.
func openNative(r request) (_ *bound, err error) {
	b := &bound{sender: -1}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.rings.unmap(), b.close())
		}
	}()
	b.close = b.closeSender
	if b.sender, err = unix.Socket(unix.AF_XDP, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0); err != nil {
		return nil, fmt.Errorf("create: %w", err)
	}
	g := r.options.Geometry
	if b.area, b.memory, err = mapMemory(g.Size()); err != nil {
		return nil, fmt.Errorf("UMEM of %d octets: %w", g.Size(), err)
	}
	if r.options.Live {
		b.live, b.noLive = openLive(r, b.area)
	}
	if b.live != nil {
		b.freeCovered(g)
	}
	if err = registerUMEM(b.sender, b.area, g.ChunkSize); err != nil {
		return nil, fmt.Errorf("register the UMEM: %w", err)
	}
	if err = r.sizes.set(b.sender); err != nil {
		return nil, err
	}
	if err = b.mapRings(r); err != nil {
		return nil, err
	}
	address := unix.SockaddrXDP{Flags: r.options.flags(), Ifindex: uint32(r.ifindex), QueueID: uint32(r.queue)}
	if err = untilFree(func() error { return unix.Bind(b.sender, &address) }); err != nil {
		return nil, fmt.Errorf("bind: %w", err)
	}
	return b, nil
}

// closeSender closes the sender, its memory, and the Transmitter of live frames.
func (b *bound) closeSender() error {
	var errs []error
	if b.sender >= 0 {
		errs = append(errs, unix.Close(b.sender))
	}
	if b.area != nil {
		errs = append(errs, unix.Munmap(b.area), unix.Close(b.memory))
	}
	if b.live != nil {
		errs = append(errs, b.live.tx.Close())
	}
	return errors.Join(errs...)
}

// closeNative closes the receiver, and then the rest by closeSender.
func (b *bound) closeNative() error { return errors.Join(unix.Close(b.receiver), b.closeSender()) }

// openLive returns the state for sending live XDP frames, as newLive does, if the options allow live frames; else an
// error that names the option which does not.
func openLive(r request, area []byte) (*live, error) {
	switch {
	case r.options.several():
		return nil, errors.New("a frame may take several chunks")
	case r.options.Bind != attach.BindCopy:
		return nil, errors.New("the NIC reads the chunks itself (bind: zerocopy)")
	}
	return newLive(r, area)
}

// set sets the number of entries of the fill, completion and TX rings of a sending socket.
func (n ringSizes) set(fd int) error {
	for _, ring := range []struct {
		option, entries int
		name            string
	}{
		{unix.XDP_UMEM_FILL_RING, n.fill, "fill"},
		{unix.XDP_UMEM_COMPLETION_RING, n.completion, "completion"},
		{unix.XDP_TX_RING, n.tx, "TX"},
	} {
		if err := unix.SetsockoptInt(fd, unix.SOL_XDP, ring.option, ring.entries); err != nil {
			return fmt.Errorf("%s ring of %d entries: %w", ring.name, ring.entries, err)
		}
	}
	return nil
}

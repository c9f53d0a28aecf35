package xsk

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/asavie/xdp"
	"golang.org/x/sys/unix"
)

// openAsavie opens a sending socket by the library asavie/xdp, which creates the socket, registers the UMEM, binds
// and closes. The rings are mapped a second time and driven by this package.
func openAsavie(r request) (b *bound, err error) {
	err = untilFree(func() error {
		b, err = asavieSocket(r)
		return err
	})
	return b, err
}

// asavieSocket opens a socket by the library asavie/xdp, and maps its rings a second time: the library does not show
// them. What the library has mapped and does not unmap itself is found by the difference of the process's mappings,
// so only one socket is opened at a time.
func asavieSocket(r request) (*bound, error) {
	opening.Lock()
	defer opening.Unlock()
	before := socketMappings("self")
	s, err := newAsavie(r)
	theirs := mappedSince(before)
	if err != nil {
		return nil, errors.Join(errnoOf(err), theirs.unmap())
	}
	b := &bound{
		sender: s.FD(),
		area:   s.GetFrame(xdp.Desc{Addr: 0, Len: uint32(r.options.Geometry.Size())}),
		close:  func() error { return errors.Join(s.Close(), theirs.unmap()) },
	}
	if err := b.mapHeld(r); err != nil {
		if errors.Is(err, unix.EBUSY) {
			err = errRemap
		}
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

// errRemap is the error of a kernel that refuses (EBUSY) to map the rings of a bound socket a second time. The queue is
// not busy then.
var errRemap = fmt.Errorf("opener: asavie needs Linux 6.4, where the rings of a bound socket can be mapped: "+
	"set opener: native: %w", errors.ErrUnsupported)

// newAsavie calls the library with its global variable set. The library opens the descriptor without close-on-exec;
// the fork lock hides the descriptor from a child forked meanwhile.
func newAsavie(r request) (*xdp.Socket, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	xdp.DefaultSocketFlags = r.options.flags()
	g := r.options.Geometry
	s, err := xdp.NewSocket(r.ifindex, r.queue, &xdp.SocketOptions{
		NumFrames:              g.Size() / g.ChunkSize,
		FrameSize:              g.ChunkSize,
		FillRingNumDescs:       r.sizes.fill,
		CompletionRingNumDescs: r.sizes.completion,
		TxRingNumDescs:         r.sizes.tx,
	})
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(s.FD())
	return s, nil
}

// errnoOf returns an error of asavie/xdp, which keeps only the text of the errno, with the errno wrapped again.
func errnoOf(err error) error {
	for _, errno := range []unix.Errno{
		unix.EBUSY, unix.EPERM, unix.EACCES, unix.ENOBUFS, unix.ENOMEM, unix.ENODEV, unix.ENXIO, unix.ENETDOWN,
		unix.EINVAL, unix.EAFNOSUPPORT, unix.EOPNOTSUPP, unix.EPROTONOSUPPORT, unix.ENOPROTOOPT, unix.EMFILE,
	} {
		if text, ok := strings.CutSuffix(err.Error(), errno.Error()); ok {
			return fmt.Errorf("%s%w", text, errno)
		}
	}
	return err
}

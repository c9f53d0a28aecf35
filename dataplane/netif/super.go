package netif

import (
	"errors"
	"fmt"
	"net"
	"slices"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"

	"uelink/bpf"
	"uelink/dataplane/ethtool"
	"uelink/dataplane/vnet"
)

// An edge takes super-frames by a packet socket, without an XDP program on the interface. Three things differ then:
//
//   - A filter of tc drops each frame that the packet socket has seen, so that it does not reach the network stack.
//   - The offloads of the interface and of the other end of a veth are on, except those of tunnels, and before Linux
//     6.2 that of UDP: the header of a super-frame cannot describe such frames, and the kernel would drop them.
//   - A listening socket shows other processes that this process has the interface (super_lock.go).

// SuperFrames is the super-frames of an edge: while the edge takes them, a packet socket gets its frames instead of the
// XDP program.
type SuperFrames struct {
	*changes
	attachment *attachment
	offloads   *SwitchedOffloads
	lock       *net.UnixListener // nil: no super-frames
}

// Open opens a packet socket for super-frames on the interface, keeps other processes from the interface, and adds the
// filter that keeps the network stack from the socket's frames. The XDP program still takes all frames. An error says
// why the interface cannot have super-frames.
func (s *SuperFrames) Open() (*vnet.Socket, error) {
	nl, err := netlink.LinkByIndex(s.index)
	if err != nil {
		return nil, err
	}
	socket, err := vnet.Open()
	if err != nil {
		return nil, err
	}
	if socket.Room() < vnet.LeastRoom {
		err = fmt.Errorf("the kernel grants a receive buffer of %d kB, less than %d MB: CAP_NET_ADMIN, or a larger "+
			"net.core.rmem_max, gives more", socket.Room()>>10, vnet.LeastRoom>>20)
		return nil, errors.Join(err, socket.Close())
	}
	if s.lock, err = holdForSuper(s.index); err != nil {
		return nil, errors.Join(err, socket.Close())
	}
	if err := s.shield(nl); err != nil {
		return nil, errors.Join(err, socket.Close(), s.Close())
	}
	if err := socket.Bind(s.index); err != nil {
		return nil, errors.Join(err, socket.Close(), s.Close())
	}
	return socket, nil
}

// shield adds the filter, and records it, unless the interface is the process's end of a Pair, which always has the
// filter.
func (s *SuperFrames) shield(nl netlink.Link) error {
	if IsPair(nl) {
		return nil
	}
	err := shield(nl, s.record.GuardID, func(id bpf.GuardID) error {
		return s.write(func(r *record) { r.Guard, r.GuardID = true, id })
	})
	if err != nil {
		return fmt.Errorf("add the filter that keeps the host's frames from the network stack: %w", err)
	}
	return nil
}

// Close removes the filter of Open, if this process or one before it has added it, and lets other processes have the
// interface. An XDP program is attached again by then.
func (s *SuperFrames) Close() error {
	if s.lock != nil {
		_ = s.lock.Close()
		s.lock = nil
	}
	if !s.record.Guard {
		return nil
	}
	nl, err := netlink.LinkByIndex(s.index)
	if err != nil {
		return nil // the filter went with the interface
	}
	if err := unshield(nl, s.record.GuardID); err != nil {
		return err
	}
	return s.write(func(r *record) { r.Guard, r.GuardID = false, 0 })
}

// putBackGuard removes the filter that drops what reaches the network stack.
func (s *SuperFrames) putBackGuard(nl netlink.Link) {
	if err := unshield(nl, s.record.GuardID); err != nil {
		s.logNotPutBack("filter of tc", err)
		return
	}
	s.logPutBack("filter of tc removed")
	s.record.Guard, s.record.GuardID = false, 0
}

// Guarded reports whether the filter that keeps the network stack from the frames is present; if somebody has removed
// the filter, it is added again. An error says why the daemon does not get the frames, or why the network stack gets
// them, too.
func (s *SuperFrames) Guarded() (present bool, err error) {
	nl, err := netlink.LinkByIndex(s.index)
	if err != nil {
		return true, err
	}
	if x := nl.Attrs().Xdp; x != nil && x.Attached {
		return true, fmt.Errorf("an XDP program that is not the daemon's (%d) is on the interface, and takes the host's "+
			"frames before the daemon: remove it (%s)", x.ProgId, bpf.Removal(s.index))
	}
	if Shielded(nl, s.record.GuardID) {
		return true, nil
	}
	if IsPair(nl) {
		return false, guard(nl)
	}
	return false, s.shield(nl)
}

// Take takes the XDP program off the interface, so that the packet socket of Open gets the frames, and restores the
// offloads of both ends if o says that they were switched off. After an error call ReturnXDP.
func (s *SuperFrames) Take(o Offloads) error {
	p, ok := s.attachment.program.(interface{ TakeOff() error })
	if !ok {
		return errors.New("the XDP program cannot be taken off")
	}
	if err := s.offloads.keepNAPI(); err != nil {
		s.log.Debug("frames on their way through the veth are lost", zap.Error(err))
	}
	if err := p.TakeOff(); err != nil {
		return err
	}
	if o != OffloadsStay {
		s.offloads.lend()
	}
	if _, err := s.offloads.LimitPeer(); err != nil {
		s.log.Debug("the tunnel offloads at the other end of the veth stay on", zap.Error(err))
	}
	return s.segments()
}

// ErrOtherXDP is the error of CheckOtherEnd.
var ErrOtherXDP = errors.New("an XDP program is at the other end of the veth, which takes frames one by one")

// CheckOtherEnd returns ErrOtherXDP if the other end of a veth has an XDP program. The sign is that the offload of TCP
// segmentation cannot be switched on, so the other end may be in a namespace out of reach.
func (s *SuperFrames) CheckOtherEnd() error {
	nl, err := netlink.LinkByIndex(s.index)
	if err != nil {
		return err
	}
	names, err := ethtool.Available(nl.Attrs().Name)
	if err != nil {
		return err
	}
	if !slices.Contains(names, tcpSegmentation) {
		return ErrOtherXDP
	}
	return nil
}

// segments returns an error if super-frames do not leave by the interface whole: the other end of a veth has an XDP
// program, or the offloads are off.
func (s *SuperFrames) segments() error {
	nl, err := netlink.LinkByIndex(s.index)
	if err != nil {
		return err
	}
	active, err := ethtool.Active(nl.Attrs().Name)
	if err != nil {
		return err
	}
	for _, name := range []string{"tx-checksum-ip-generic", tcpSegmentation} {
		if !slices.Contains(active, name) {
			return fmt.Errorf("the offload %s of %s is off: an XDP program is at the other end, or somebody has "+
				"switched the offload off", name, nl.Attrs().Name)
		}
	}
	return nil
}

// ReturnXDP puts the XDP program back on the interface, so that its sockets get the frames, and switches the offloads
// off as o says. The packet socket of Open gets no frames any more. The offloads of the other end go off before the
// program comes, so that the host stops sending super-frames; the offloads of the interface, GRO among them, go off
// after it.
func (s *SuperFrames) ReturnXDP(o Offloads) error {
	if o == OffloadsOffAtBothEnds {
		s.offloads.switchOffAtPeer()
	}
	var err error
	if p, ok := s.attachment.program.(interface {
		IsAttached() (bool, error)
		Reattach() error
	}); ok {
		if attached, _ := p.IsAttached(); !attached {
			err = p.Reattach()
		}
	}
	return errors.Join(err, s.offloads.set(o))
}

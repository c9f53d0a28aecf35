package netif

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"

	"uelink/bpf"
	"uelink/dataplane/ethtool"
	"uelink/dataplane/vnet"
)

// An edge takes super-frames by a packet socket, without an XDP program on the interface. Then three things are done
// otherwise than by the program:
//
//   - A filter of tc drops each frame that the packet socket has seen, so that it does not reach the network stack.
//   - The offloads of the interface and of the other end of a veth are on, but for those of tunnels, and before Linux
//     6.2 that of UDP: the header of a super-frame does not describe these, and the kernel would drop them.
//   - Another process sees by a socket that the interface is held (super_lock.go).

// OpenSuper opens a packet socket for super-frames on the interface, and the filter that keeps the network stack from
// its frames. The XDP program still takes all frames. An error says why the interface cannot have super-frames.
func (i *Interface) OpenSuper() (*vnet.Socket, error) {
	nl, err := netlink.LinkByIndex(i.index)
	if err != nil {
		return nil, err
	}
	s, err := vnet.Open()
	if err != nil {
		return nil, err
	}
	if s.Room() < vnet.LeastRoom {
		err = fmt.Errorf("the kernel grants a receive buffer of %d kB, less than %d MB: CAP_NET_ADMIN, or a larger "+
			"net.core.rmem_max, gives more", s.Room()>>10, vnet.LeastRoom>>20)
		return nil, errors.Join(err, s.Close())
	}
	if i.superLock, err = holdForSuper(i.index); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := i.shield(nl); err != nil {
		return nil, errors.Join(err, s.Close(), i.CloseSuper())
	}
	if err := s.Bind(i.index); err != nil {
		return nil, errors.Join(err, s.Close(), i.CloseSuper())
	}
	return s, nil
}

// shield adds the filter, and records it, unless the interface is the end of a pair, which always has one.
func (i *Interface) shield(nl netlink.Link) error {
	if IsPair(nl) {
		return nil
	}
	err := shield(nl, i.record.GuardID, func(id bpf.GuardID) error {
		return i.write(func(r *record) { r.Guard, r.GuardID = true, id })
	})
	if err != nil {
		return fmt.Errorf("nothing keeps the network stack from the host's frames: %w", err)
	}
	return nil
}

// CloseSuper removes the filter of OpenSuper, if this process or one before it has added it, and lets other processes
// have the interface. An XDP program is attached again by then.
func (i *Interface) CloseSuper() error {
	if i.superLock != nil {
		_ = i.superLock.Close()
		i.superLock = nil
	}
	if !i.record.Guard {
		return nil
	}
	nl, err := netlink.LinkByIndex(i.index)
	if err != nil {
		return nil // the filter went with the interface
	}
	if err := unshield(nl, i.record.GuardID); err != nil {
		return err
	}
	return i.write(func(r *record) { r.Guard, r.GuardID = false, 0 })
}

// Guarded reports whether the filter that keeps the network stack from the frames is present; if somebody has removed
// the filter, it is added again. An error says why the frames do not come, or come to the network stack, too.
func (i *Interface) Guarded() (present bool, err error) {
	nl, err := netlink.LinkByIndex(i.index)
	if err != nil {
		return true, err
	}
	if x := nl.Attrs().Xdp; x != nil && x.Attached {
		return true, fmt.Errorf("an XDP program that is not the daemon's (%d) is on the interface, and takes the host's "+
			"frames before the daemon: remove it (%s)", x.ProgId, bpf.Removal(i.index))
	}
	if Shielded(nl, i.record.GuardID) {
		return true, nil
	}
	if IsPair(nl) {
		return false, guard(nl)
	}
	return false, i.shield(nl)
}

// TakeSuper takes the XDP program off the interface, so that the packet socket of OpenSuper gets the frames, and
// restores the offloads of both ends if o says that they were switched off. After an error ReturnXDP is to be called.
func (i *Interface) TakeSuper(o Offloads) error {
	p, ok := i.program.(interface{ TakeOff() error })
	if !ok {
		return errors.New("the XDP program cannot be taken off")
	}
	if err := i.keepNAPI(); err != nil {
		i.log.Debug("frames on their way through the veth are lost", zap.Error(err))
	}
	if err := p.TakeOff(); err != nil {
		return err
	}
	if o != OffloadsStay {
		i.lendOffloads()
	}
	if _, err := i.LimitPeer(); err != nil {
		i.log.Debug("the other end of the veth keeps the offloads of tunnels")
	}
	return i.segments()
}

// lendOffloads restores the offloads of both ends but for GRO, with which a veth would lose the frames on their way to
// the host each time it is switched.
func (i *Interface) lendOffloads() {
	own, peer := slices.Contains(i.record.Offloads, gro), slices.Contains(i.record.Peer, gro)
	isGRO := func(name string) bool { return name == gro }
	i.record.Offloads = slices.DeleteFunc(i.record.Offloads, isGRO)
	i.record.Peer = slices.DeleteFunc(i.record.Peer, isGRO)
	i.putBackAllOffloads(i.link.Attrs().Name)
	if own {
		i.record.Offloads = append(i.record.Offloads, gro)
	}
	if peer {
		i.record.Peer = append(i.record.Peer, gro)
	}
	_ = i.save(&i.record)
}

// gro is the offload with which a veth keeps its NAPI instances, and the frames in their rings, when the XDP program
// comes or goes. While the program is there, it can be switched without touching them.
const gro = "rx-gro"

// keepNAPI makes the veth keep its NAPI instances, and records if GRO was off before the first change.
func (i *Interface) keepNAPI() error {
	done, refused, err := ethtool.Enable(i.link.Attrs().Name, []string{gro})
	switch {
	case err != nil:
		return err
	case len(refused) > 0:
		return errors.New("the driver has no GRO")
	case len(done) == 0 || slices.Contains(i.record.Offloads, gro):
		return nil
	}
	return i.write(func(r *record) { r.GRO = true })
}

// LimitPeer switches off the offloads of the other end of a veth that super-frames cannot have, and returns those that
// were on.
func (i *Interface) LimitPeer() (off []string, err error) {
	err = atPeer(i.index, func(ifname string) error {
		on, wanted, err := ethtool.Offloads(ifname)
		if err != nil {
			return err
		}
		fits := func(name string) bool { return !strings.HasSuffix(name, "-segmentation") || plainSegmentation(name) }
		off, wanted = slices.DeleteFunc(on, fits), slices.DeleteFunc(wanted, fits)
		if len(off) == 0 {
			return nil
		}
		if err := i.write(func(r *record) { r.Peer = union(r.Peer, wanted) }); err != nil {
			return err
		}
		return ethtool.Disable(ifname, off)
	})
	return off, err
}

// plainSegmentation reports whether an offload makes super-frames of TCP or UDP without a tunnel, which a
// virtio_net_hdr describes: those of UDP from Linux 6.2 on.
func plainSegmentation(name string) bool {
	switch name {
	case tcpSegmentation, "tx-tcp-ecn-segmentation", "tx-tcp-mangleid-segmentation", "tx-tcp6-segmentation",
		"tx-generic-segmentation":
		return true
	case "tx-udp-segmentation":
		_, older, _ := olderThan(6, 2)
		return !older
	}
	return false
}

// tcpSegmentation is the offload without which the kernel cuts super-frames before they leave by an interface.
const tcpSegmentation = "tx-tcp-segmentation"

// ErrOtherXDP is the error of CheckOtherEnd.
var ErrOtherXDP = errors.New("an XDP program is at the other end of the veth, which takes frames one by one")

// CheckOtherEnd returns ErrOtherXDP if the other end of a veth has an XDP program: a veth has no segmentation
// meanwhile, not even one that is switched off. The other end may be in a namespace out of reach.
func (i *Interface) CheckOtherEnd() error {
	nl, err := netlink.LinkByIndex(i.index)
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
func (i *Interface) segments() error {
	nl, err := netlink.LinkByIndex(i.index)
	if err != nil {
		return err
	}
	active, err := ethtool.Active(nl.Attrs().Name)
	if err != nil {
		return err
	}
	for _, name := range []string{"tx-checksum-ip-generic", tcpSegmentation} {
		if !slices.Contains(active, name) {
			return fmt.Errorf("%s has no %s: an XDP program is at the other end, or somebody has switched it off",
				nl.Attrs().Name, name)
		}
	}
	return nil
}

// ReturnXDP puts the XDP program back on the interface, so that its sockets get the frames, and switches the offloads
// off as o says. The packet socket of OpenSuper gets no frames any more. The host stops sending super-frames before the
// program comes, and GRO ends behind it.
func (i *Interface) ReturnXDP(o Offloads) error {
	if o == OffloadsOffAtBothEnds {
		i.switchOffloadsAtPeer()
	}
	var err error
	if p, ok := i.program.(interface {
		IsAttached() (bool, error)
		Reattach() error
	}); ok {
		if attached, _ := p.IsAttached(); !attached {
			err = p.Reattach()
		}
	}
	return errors.Join(err, i.switchOffloads(o))
}

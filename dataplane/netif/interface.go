package netif

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/vishvananda/netlink"

	"uelink/bpf"
	"uelink/dataplane/xsk"
)

// Interface is a network interface that this process owns, until Release. An Interface belongs to one goroutine at
// a time. SetMTU, Attach and ReopenSockets are called in the network namespace of the interface, and so is Release
// if an MTU or offloads were changed.
type Interface struct {
	*changes
	link        netlink.Link
	attachment  *attachment
	promiscuous *membership // nil: off
	groups      *membership // nil: none joined
	offloads    *SwitchedOffloads
	host        *HostEnd
	push        *PushBack
	super       *SuperFrames
}

// newInterface returns the interface link, whose changes are c, with nothing attached.
func newInterface(c *changes, link netlink.Link) *Interface {
	veth, a := link.Type() == "veth", &attachment{changes: c}
	host, offloads := &HostEnd{changes: c, veth: veth}, &SwitchedOffloads{changes: c, veth: veth}
	return &Interface{
		changes: c, link: link, attachment: a, offloads: offloads, host: host,
		push:  &PushBack{host: host, attachment: a},
		super: &SuperFrames{changes: c, attachment: a, offloads: offloads},
	}
}

// Link returns the interface as it was when Own was called: index, name, address, MTU, flags.
func (i *Interface) Link() netlink.Link { return i.link }

// Renamed records that the kernel has another name for the interface now.
func (i *Interface) Renamed(name string) { i.link.Attrs().Name, i.record.Interface.Name = name, name }

// Offloads returns the offloads that this process has switched at the interface and at the other end of a veth.
func (i *Interface) Offloads() *SwitchedOffloads { return i.offloads }

// IsVeth reports whether the interface is a veth, so that it has a HostEnd.
func (i *Interface) IsVeth() bool { return i.host.veth }

// HostEnd returns the other end of the veth, which the host uses.
func (i *Interface) HostEnd() *HostEnd { return i.host }

// PushBack returns the push back of the veth, whether it was started or not.
func (i *Interface) PushBack() *PushBack { return i.push }

// SuperFrames returns the super-frames of the interface, whether it takes them or not.
func (i *Interface) SuperFrames() *SuperFrames { return i.super }

// Record writes the record of the interface's changes if it could not be written before. The error says why that fails.
func (i *Interface) Record() error { return i.saveUnsaved() }

// SetMTU sets the MTU, in octets. A driver may refuse while an XDP program is attached.
func (i *Interface) SetMTU(to int) error {
	nl, err := netlink.LinkByIndex(i.index)
	if err != nil {
		return err
	}
	now, old := nl.Attrs().MTU, i.record.MTU
	if err := i.write(func(r *record) { r.MTU = old.changed(now, to) }); err != nil {
		return err
	}
	if err := netlink.LinkSetMTU(nl, to); err != nil {
		_ = i.write(func(r *record) { r.MTU = old }) // a record of a change that was not made does no harm
		return i.failed(fmt.Sprintf("set the MTU from %d to %d", now, to), err)
	}
	i.logChanged(fmt.Sprintf("MTU %d to %d", now, to))
	return nil
}

// ReturnMTU sets the MTU that the interface had before SetMTU, unless somebody has set another one since.
func (i *Interface) ReturnMTU() error {
	if i.record.MTU == nil {
		return nil
	}
	nl, err := netlink.LinkByIndex(i.index)
	if err != nil {
		return err
	}
	i.putBackMTU(nl)
	return i.save(&i.record)
}

// SetsMTU reports whether mtu, the interface's present MTU, is the one that SetMTU has set.
func (i *Interface) SetsMTU(mtu int) bool { return i.record.MTU != nil && i.record.MTU.Set == mtu }

// DownUp sets the interface down and up again. The kernel removes IPv6 addresses and routes of a downed interface.
func (i *Interface) DownUp() error {
	nl, err := netlink.LinkByIndex(i.index)
	if err != nil {
		return err
	}
	if err := errors.Join(netlink.LinkSetDown(nl), netlink.LinkSetUp(nl)); err != nil {
		return i.failed("set the interface down and up", err)
	}
	i.logChanged("down and up")
	return nil
}

// advise adds the remedy to an error about a missing privilege, unless a wrapped error already has the remedy.
func advise(err error) error {
	explained := errors.As(err, new(*bpf.PrivilegeError)) || errors.As(err, new(*xsk.PrivilegeError))
	if errors.Is(err, fs.ErrPermission) && !explained {
		return fmt.Errorf("%w: run as root, or grant CAP_NET_ADMIN, CAP_NET_RAW, CAP_BPF and CAP_IPC_LOCK", err)
	}
	return err
}

// Release gives the interface back: first detaches, then restores the changes that nobody has changed since. A
// change that cannot be restored stays recorded for the next process. A second call does nothing.
func (i *Interface) Release() error {
	err := i.Detach()
	i.putBack()
	i.release()
	return err
}

package netif

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"

	"uelink/bpf"
	"uelink/dataplane/xsk"
)

// Interface is a network interface that this process owns, until Release. An Interface belongs to one goroutine at
// a time. SetMTU, Attach and ReopenSockets are called in the network namespace of the interface, and so is Release
// if an MTU or offloads were changed.
type Interface struct {
	records *Records
	path    string // of the record file; "": there is none
	file    *os.File
	unsaved error // why the file lacks changes; nil: it has all
	index   int
	link    netlink.Link
	record  record
	log     *zap.Logger

	program     Program // nil: not attached
	sockets     []*xsk.Socket
	pumps       []*Pump // none: the interface does not push back
	cutAt       int     // length from which the discipline at the host's end cuts packets of TCP, octets
	changedAt   int     // with cutAt: ID of the network namespace in which the host's end was changed
	shut        bool    // the discipline at the host's end hands on no frame
	drops       qdiscDrops
	choice      Choice            // how the sockets were opened
	peerKept    error             // why the offloads of a veth's other end stay on; nil: they do not
	noLive      error             // why no live frames can leave although wanted; nil: they can
	superLock   *net.UnixListener // nil: no super-frames
	promiscuous *membership       // nil: off
	groups      *membership       // nil: none joined
}

// Link returns the interface as it was when Own was called: index, name, address, MTU, flags.
func (i *Interface) Link() netlink.Link { return i.link }

// Renamed records that the kernel has another name for the interface now.
func (i *Interface) Renamed(name string) { i.link.Attrs().Name, i.record.Interface.Name = name, name }

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
		_ = i.write(func(r *record) { r.MTU = old }) // a record without a change does no harm
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
		return i.failed("set it down and up", err)
	}
	i.logChanged("down and up")
	return nil
}

// logChanged logs a change that this process has made on the interface.
func (i *Interface) logChanged(change string) {
	i.log.Info("changed on the interface", zap.String("what", change))
}

// failed wraps the error of a step of attaching or restoring, with the step and the name of the interface.
func (i *Interface) failed(step string, err error) error {
	return fmt.Errorf("%s: %s: %w", i.record.Interface.Name, step, advise(err))
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
	if i.file == nil {
		return err
	}
	if i.record.empty() {
		if err := os.Remove(i.path); err != nil {
			i.records.warnUnusable(err)
		}
	} else {
		_ = i.save(&i.record) // the lock is ours
	}
	_ = i.file.Close()
	i.file = nil
	return err
}

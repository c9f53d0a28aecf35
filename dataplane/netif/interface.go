package netif

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"

	"uelink/bpf"
	"uelink/dataplane/xsk"
)

// Interface is a network interface that is this process's, until Release. It belongs to one
// goroutine at a time. SetMTU, Take and ReopenSockets are called in its network namespace,
// and so is Release if an MTU or offloads were changed.
type Interface struct {
	records *Records
	path    string // of the file; "" = there is none
	file    *os.File
	index   int
	link    netlink.Link
	record  record
	log     *zap.Logger

	program     Program // nil: none yet
	sockets     []*xsk.Socket
	choice      Choice      // how they were opened
	promiscuous *membership // nil: it is off
	groups      *membership // nil: none was joined
}

// Link is the interface as it was when it had become ours: index, name, address, MTU, flags.
func (i *Interface) Link() netlink.Link { return i.link }

// SetMTU sets the MTU, in octets. A driver may refuse to while there is an XDP program.
func (i *Interface) SetMTU(to int) error {
	nl, err := netlink.LinkByIndex(i.index)
	if err != nil {
		return err
	}
	now, was := nl.Attrs().MTU, i.record.MTU
	if err := i.write(func(r *record) { r.MTU = was.changed(now, to) }); err != nil {
		return err
	}
	if err := netlink.LinkSetMTU(nl, to); err != nil {
		_ = i.write(func(r *record) { r.MTU = was }) // a note too many does no harm
		return i.failed(fmt.Sprintf("set the MTU from %d to %d", now, to), err)
	}
	i.changed(fmt.Sprintf("MTU %d to %d", now, to))
	return nil
}

// DownUp sets the interface down and up again. The kernel takes IPv6 addresses and routes off one that is down.
func (i *Interface) DownUp() error {
	nl, err := netlink.LinkByIndex(i.index)
	if err != nil {
		return err
	}
	if err := errors.Join(netlink.LinkSetDown(nl), netlink.LinkSetUp(nl)); err != nil {
		return i.failed("set it down and up", err)
	}
	i.changed("down and up")
	return nil
}

// changed names a change in the log.
func (i *Interface) changed(what string) {
	i.log.Info("changed on the interface", zap.String("what", what))
}

// failed is the error of a step, with its name and the interface's.
func (i *Interface) failed(step string, err error) error {
	return fmt.Errorf("%s: %s: %w", i.record.Interface.Name, step, advise(err))
}

// advise says what to do where a privilege is missing: once, however deep that was found.
func advise(err error) error {
	said := errors.As(err, new(*bpf.PrivilegeError)) || errors.As(err, new(*xsk.PrivilegeError))
	if errors.Is(err, fs.ErrPermission) && !said {
		return fmt.Errorf("%w: run as root, or grant CAP_NET_ADMIN, CAP_NET_RAW, CAP_BPF and CAP_IPC_LOCK", err)
	}
	return err
}

// Release gives the interface back: first the frames, then what was changed and still is as
// it was set. What cannot be put back stays written down for the next process. The second
// time it does nothing.
func (i *Interface) Release() error {
	err := i.LetGo()
	i.putBack()
	if i.file == nil {
		return err
	}
	if i.record.empty() {
		if err := os.Remove(i.path); err != nil {
			i.records.unusable(err)
		}
	} else {
		_ = i.save(&i.record) // the lock is ours
	}
	_ = i.file.Close()
	i.file = nil
	return err
}

package netif

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"

	"uelink/dataplane/ethtool"
)

// Interface is a network interface that this process may change, until Release.
type Interface struct {
	records *Records
	path    string // of the file; "" = there is none
	file    *os.File
	index   int
	record  record
	log     *zap.Logger
}

// SetMTU sets the MTU, in octets.
func (i *Interface) SetMTU(to int) error {
	nl, err := netlink.LinkByIndex(i.index)
	if err != nil {
		return err
	}
	was := i.record.MTU
	if err := i.write(func(r *record) { r.MTU = was.changed(nl.Attrs().MTU, to) }); err != nil {
		return err
	}
	if err := netlink.LinkSetMTU(nl, to); err != nil {
		_ = i.write(func(r *record) { r.MTU = was }) // a note too many does no harm
		return err
	}
	return nil
}

// DisableOffloads switches off the offloads and returns those that were on, by the names
// of `ethtool -k`.
func (i *Interface) DisableOffloads() (off []string, err error) {
	nl, err := netlink.LinkByIndex(i.index)
	if err != nil {
		return nil, err
	}
	return i.disable(nl.Attrs().Name, func(r *record, wanted []string) { r.Offloads = union(r.Offloads, wanted) })
}

// DisablePeerOffloads does the same at the other end of a veth, in this network
// namespace or in a named one.
func (i *Interface) DisablePeerOffloads() (off []string, err error) {
	err = atPeer(i.index, func(ifname string) (err error) {
		off, err = i.disable(ifname, func(r *record, wanted []string) { r.Peer = union(r.Peer, wanted) })
		return err
	})
	return off, err
}

// disable switches off the offloads of an interface of the thread's namespace. Those
// that somebody asked for are noted.
func (i *Interface) disable(ifname string, note func(r *record, wanted []string)) (off []string, err error) {
	off, wanted, err := ethtool.Offloads(ifname)
	if err != nil || len(off) == 0 {
		return nil, err
	}
	if err := i.write(func(r *record) { note(r, wanted) }); err != nil {
		return nil, err
	}
	return off, ethtool.Disable(ifname, off)
}

// union is the names that are in one of two lists.
func union(a, b []string) []string {
	both := slices.Clone(a)
	for _, name := range b {
		if !slices.Contains(both, name) {
			both = append(both, name)
		}
	}
	return both
}

// write notes a change, in the file before it is made.
func (i *Interface) write(note func(*record)) error {
	next := i.record
	note(&next)
	if err := i.save(&next); err != nil {
		return err
	}
	i.record = next
	return nil
}

// save makes a record the file. That it cannot be written is only told.
func (i *Interface) save(r *record) error {
	if i.path == "" {
		return nil
	}
	text, err := r.text()
	if err == nil {
		err = os.MkdirAll(i.records.dir, 0o700)
	}
	if err != nil {
		i.records.unusable(err)
		return nil
	}
	f, err := put(i.path, text, i.file)
	switch {
	case errors.Is(err, ErrHeld): // since Own looked
		return i.held()
	case err != nil:
		i.records.unusable(err)
	default:
		i.file = f
	}
	return nil
}

// held is the error that another process changes the interface.
func (i *Interface) held() error {
	who := "unknown"
	if f, err := os.Open(i.path); err == nil {
		defer f.Close()
		if r, err := read(f); err == nil {
			who = fmt.Sprint(r.Process)
		}
	}
	return fmt.Errorf("%w (process %s): stop it, or take the interface out of one of the two configurations", ErrHeld, who)
}

// Release puts back what was changed and still is as it was set. What cannot be put back
// stays written down for the next process.
func (i *Interface) Release() {
	i.putBack()
	if i.file == nil {
		return
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
}

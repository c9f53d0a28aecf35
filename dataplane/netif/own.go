package netif

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"
)

// ErrNone is the error when no interface has the name.
var ErrNone = errors.New("there is no such interface in this network namespace (see ip link)")

// ErrNoEthernet is the error when an interface carries no Ethernet frames, such as a tun or an IP tunnel.
var ErrNoEthernet = errors.New("it carries no Ethernet frames: take an interface that does (link/ether in ip link)")

// Own makes the named interface of the calling thread's network namespace owned by this process, and first restores
// the changes of an ended process. An interface in use by others is left unchanged. Errors: ErrNone; ErrNoEthernet;
// ErrHeld, another live process has changed the interface; *bpf.OccupiedError, another XDP program is attached.
// Messages go to log.
func (r *Records) Own(ifname string, log *zap.Logger) (*Interface, error) {
	i, err := r.lookUp(ifname, log)
	if err != nil {
		return nil, err
	}
	if i.file != nil {
		i.inherit()
	}
	if i.link, err = netlink.LinkByIndex(i.index); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: look up the interface: %w", ifname, err), i.Release())
	}
	return i, nil
}

// Check returns the error that Own would return now, and changes nothing.
func (r *Records) Check(ifname string) error {
	i, err := r.lookUp(ifname, r.log)
	if err == nil && i.file != nil {
		_ = i.file.Close() // only locked
	}
	return err
}

// lookUp returns the interface with a name, and opens and locks the file that records its changes. Errors as of
// Own.
func (r *Records) lookUp(ifname string, log *zap.Logger) (*Interface, error) {
	nl, err := find(ifname)
	if err != nil {
		return nil, err
	}
	i := &Interface{records: r, index: nl.Attrs().Index, log: log}
	i.record = record{Version: recordVersion, Process: os.Getpid(), Interface: r.place.identify(nl.Attrs())}
	if err := i.claim(); err != nil {
		return nil, fmt.Errorf("%s: %w", ifname, err)
	}
	if err := checkFree(i.index); err != nil {
		_ = i.file.Close() // may be nil; the record is left to the next process
		return nil, fmt.Errorf("%s: %w", ifname, err)
	}
	return i, nil
}

// find returns the interface with a name in the namespace of the calling thread. Errors: ErrNone, ErrNoEthernet.
func find(ifname string) (netlink.Link, error) {
	nl, err := netlink.LinkByName(ifname)
	if errors.As(err, new(netlink.LinkNotFoundError)) {
		return nil, fmt.Errorf("%s: %w", ifname, ErrNone)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: look up the interface: %w", ifname, err)
	}
	if !Ethernet(nl.Attrs()) {
		return nil, fmt.Errorf("%s: %w", ifname, ErrNoEthernet)
	}
	return nl, nil
}

// Ethernet reports whether an interface carries frames with an Ethernet header.
func Ethernet(a *netlink.LinkAttrs) bool { return a.EncapType == "ether" || a.EncapType == "loopback" }

// claim opens and locks the file that records the changes of the interface, if there is one.
func (i *Interface) claim() (err error) {
	if i.records.dir == "" {
		return nil
	}
	i.path = i.recordPath()
	i.file, err = claim(i.path)
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, ErrHeld):
		return i.heldError()
	case errors.Is(err, errForeign):
		i.records.warnIgnored(i.path, err)
	}
	i.records.warnUnusable(err) // nor can a record be written there
	i.path = ""
	return nil
}

// recordPath returns the path of the interface's record file.
func (i *Interface) recordPath() string {
	return filepath.Join(i.records.dir, i.record.Interface.file())
}

// inherit restores the changes that the record file names. A damaged file, which PutBack has reported, is replaced.
func (i *Interface) inherit() {
	old, err := read(i.file)
	if err != nil {
		i.log.Info("a damaged record is replaced", zap.String("file", i.path), zap.Error(err))
		return
	}
	if mine := i.record.Interface; old.Interface.Boot == mine.Boot && old.Interface.MAC == mine.MAC {
		i.record.inherit(old)
		i.putBack()
	}
}

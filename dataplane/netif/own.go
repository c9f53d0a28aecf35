package netif

import (
	"errors"
	"fmt"
	"os"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"
)

// ErrNone is the error when no interface has the name.
var ErrNone = errors.New("there is no such interface in this network namespace (see ip link)")

// ErrNoEthernet is the error when an interface carries no Ethernet frames, such as a tun or an IP tunnel.
var ErrNoEthernet = errors.New("the interface carries no Ethernet frames: take one that does (link/ether in ip link)")

// Own makes this process the owner of the named interface of the calling thread's network namespace. First it restores
// the changes that an ended process has left on the interface. An interface in use by others is left unchanged. Errors:
// ErrNone; ErrNoEthernet; ErrHeld, another live process has changed the interface; *bpf.OccupiedError, another XDP
// program is attached. Messages go to log.
func (r *Records) Own(ifname string, log *zap.Logger) (*Interface, error) {
	i, err := r.lookUp(ifname, log)
	if err != nil {
		return nil, err
	}
	if i.file != nil && i.inherit() {
		i.putBack()
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
	c := r.changesOf(nl, log)
	if err := c.claim(); err != nil {
		return nil, fmt.Errorf("%s: %w", ifname, err)
	}
	if err := checkFree(c.index); err != nil {
		_ = c.file.Close() // may be nil; the record is left to the next process
		return nil, fmt.Errorf("%s: %w", ifname, err)
	}
	return newInterface(c, nl), nil
}

// changesOf returns the changes of an interface, of which this process has made none yet.
func (r *Records) changesOf(nl netlink.Link, log *zap.Logger) *changes {
	fresh := record{Version: recordVersion, Process: os.Getpid(), Interface: r.place.identify(nl.Attrs())}
	return &changes{records: r, index: nl.Attrs().Index, record: fresh, log: log}
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

package netif

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"

	"uelink/bpf"
)

// ErrNone says that there is no interface of a name.
var ErrNone = errors.New("there is no such interface in this network namespace")

// Own makes an interface of the calling thread's network namespace this process's, by its
// name. What a process that has ended had changed on it is put back first. One that is somebody
// else's is left as it is. Errors: ErrNone; *bpf.OccupiedError, another XDP program is on it;
// ErrHeld, another process, which lives, has changed it. Messages go to log.
func (r *Records) Own(ifname string, log *zap.Logger) (*Interface, error) {
	nl, err := find(ifname)
	if err != nil {
		return nil, err
	}
	if err := bpf.Free(nl.Attrs().Index); err != nil {
		return nil, fmt.Errorf("%s: %w", ifname, err)
	}
	i, err := r.claim(nl.Attrs(), log)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ifname, err)
	}
	if i.link, err = netlink.LinkByIndex(i.index); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: look up the interface: %w", ifname, err), i.Release())
	}
	return i, nil
}

// find looks an interface up in the namespace of the calling thread.
func find(ifname string) (netlink.Link, error) {
	nl, err := netlink.LinkByName(ifname)
	if errors.As(err, new(netlink.LinkNotFoundError)) {
		return nil, fmt.Errorf("%s: %w", ifname, ErrNone)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: look up the interface: %w", ifname, err)
	}
	return nl, nil
}

// claim takes the file of an interface, and does what it says.
func (r *Records) claim(a *netlink.LinkAttrs, log *zap.Logger) (*Interface, error) {
	i := &Interface{records: r, index: a.Index, log: log}
	i.record = record{Version: recordVersion, Process: os.Getpid(), Interface: r.place.identify(a)}
	if r.dir == "" {
		return i, nil
	}
	i.path = filepath.Join(r.dir, i.record.Interface.file())
	f, err := claim(i.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return i, nil
	case errors.Is(err, ErrHeld):
		return nil, i.held()
	case err != nil: // nor can a file be written there
		if errors.Is(err, errForeign) {
			r.ignore(i.path, err)
		}
		r.unusable(err)
		i.path = ""
		return i, nil
	}
	i.file = f
	i.inherit()
	return i, nil
}

// inherit puts back what is in the file. One that is damaged, which PutBack has told, is
// replaced.
func (i *Interface) inherit() {
	old, err := read(i.file)
	if err != nil {
		i.log.Info("a damaged record is replaced", zap.String("file", i.path), zap.Error(err))
		return
	}
	if mine := i.record.Interface; old.Interface.Boot == mine.Boot && old.Interface.MAC == mine.MAC {
		i.record.MTU, i.record.Offloads, i.record.Peer = old.MTU, old.Offloads, old.Peer
		i.putBack()
	}
}

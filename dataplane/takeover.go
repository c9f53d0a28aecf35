package dataplane

import (
	"errors"
	"fmt"
	"os"

	"go.uber.org/zap"

	"uelink/bpf"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/pcap"
	"uelink/dataplane/place"
	"uelink/internal/snapshot"
)

// TakeOver returns a data plane with the interfaces h of another process, and with that process's settings s. The other
// process may still move frames. Next come Restore and Resume. After an error everything still belongs to the other
// process, and this process must end without Close.
func TakeOver(
	s Settings, home Home, shelf place.Shelf, h *Handover, log *zap.Logger,
) (d *Dataplane, err error) {
	var ports handedPorts
	if err := snapshot.Restore("ports", h.Ports, &ports); err != nil {
		return nil, err
	}
	d = newDataplane(home, shelf, log)
	d.origin = ports.Origin // before startWorkers: deadlines in the state are times of the other process's clock
	if d.inherited, err = inherit(d.records, shelf, &ports, h.FDs, log); err != nil {
		return nil, err
	}
	d.await(s) // before apply: an absent interface is no error
	if err := d.startWorkers(s, true); err != nil {
		return nil, err
	}
	if err := d.apply(s); err != nil { // after inherit: a port adopts what it has inherited instead of attaching it
		return nil, err
	}
	d.mu.Lock() // until Resume
	if len(d.inherited) > 0 {
		return nil, fmt.Errorf("the settings lack %d of the ports that were handed over", len(d.inherited))
	}
	d.inherited = nil
	return d, nil
}

// inheritance is an interface that another process has handed over, until its port is attached.
type inheritance struct {
	handedPort
	owned   *netif.Interface
	capture *os.File // nil: no capture
}

// inheritances is, by port, the interfaces that another process has handed over and no port has yet.
type inheritances map[string]*inheritance

// inherit takes over the interfaces, capture files and bookmark files that another process hands over. ports describes
// them, in the order of their file descriptors fds. The bookmark files go to the shelf.
func inherit(
	records *netif.Records, shelf place.Shelf, ports *handedPorts, fds []int, log *zap.Logger,
) (inheritances, error) {
	all := inheritances{}
	for _, p := range ports.Ports {
		own, total := p.Interface.FDs(), p.FDs() // the descriptors of the interface, and those with a capture's file
		if total > len(fds) {
			return nil, fmt.Errorf("port %s: %d file descriptors were handed over, %d are needed", p.Port, len(fds), total)
		}
		owned, err := records.Adopt(p.Interface, fds[:own], log.With(zap.String("port", p.Port)))
		if err != nil {
			return nil, fmt.Errorf("port %s: %w", p.Port, err)
		}
		i := &inheritance{handedPort: p, owned: owned}
		if p.Captured {
			i.capture = os.NewFile(uintptr(fds[own]), "capture")
		}
		all[p.Port], fds = i, fds[total:]
	}
	if len(fds) != len(ports.Places) {
		return nil, fmt.Errorf("%d file descriptors were handed over for the bookmarks of %d links",
			len(fds), len(ports.Places))
	}
	if k, ok := shelf.(keeper); ok {
		for i, name := range ports.Places {
			k.Adopt(name, os.NewFile(uintptr(fds[i]), name))
		}
	}
	return all, nil
}

// adopt returns the host (interface with program, sockets and capture) of a port that another process has handed
// over; for such a port it takes the place of openHost.
func (i *inheritance) adopt(s model.PortSettings, log *zap.Logger) (*host, error) {
	h := &host{
		settings: s, log: log.With(zap.String("port", s.Name), zap.String("interface", s.Interface)), owned: i.owned,
		ifindex: i.Interface.Index, mtu: i.MTU, speed: i.Speed, chunk: i.Chunk, pieces: i.Pieces, generic: i.Generic,
	}
	copy(h.mac[:], i.Interface.MAC)
	if i.Interface.Interface != s.Interface {
		return nil, fmt.Errorf("port %s: its interface is %s, but %s was handed over", s.Name, s.Interface,
			i.Interface.Interface)
	}
	h.settings.Interface = h.owned.Link().Attrs().Name
	if err := h.checkUse(); err != nil {
		return nil, err
	}
	h.notices = nil // the other process has published them
	h.program, h.sockets = h.owned.Program().(*bpf.Program), h.owned.Sockets()
	h.oneChunk = multiBuffer(h.ifindex, h.program.Mode())
	if i.Uncaptured != "" {
		h.recording.uncaptured = errors.New(i.Uncaptured)
	}
	if i.capture != nil {
		h.recording.capture = pcap.Continue(i.capture, s.Capture, s.CaptureLimit, i.Interfaces)
	}
	h.tap()
	return h, nil
}

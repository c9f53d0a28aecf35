package dataplane

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/pcap"
	"uelink/dataplane/place"
	"uelink/dataplane/xsk"
	"uelink/internal/snapshot"
	"uelink/wire"
)

// A data plane is handed over to another process while frames arrive:
//
//	this process                             the other process
//	HandOver   describes the interfaces  ──► TakeOver  maps memory and rings, has ports and workers, moves no frame
//	Stop       stops between two batches ──► Restore   has the state of the frame path
//	                                         Resume    begins
//
// Only from Stop on do frames wait. Until the other process begins, this process can go on by Resume: no other of these
// calls changes anything that the kernel or a partner sees, except that Stop tells partners to wait.

// Handover describes the interfaces of a data plane, with the descriptors that belong to them.
type Handover struct {
	Ports []byte // by package snapshot
	FDs   []int  // of this process
}

// handedPort is an attached interface of a port.
type handedPort struct {
	Port      string
	Interface netif.Handed
	MTU       int // octets
	Speed     int // Mb/s
	Chunk     int // octets
	Pieces    int
	Generic   string

	Captured   bool   // a capture's file follows the descriptors of the interface
	Interfaces uint32 // in this file
	Uncaptured string // why a configured capture does not exist
}

// FDs returns how many file descriptors the port hands over to another process: those of its interface, and one for a
// capture file.
func (p *handedPort) FDs() int {
	n := p.Interface.FDs()
	if p.Captured {
		n++
	}
	return n
}

// handedPorts is the interfaces of a data plane, and the origin of its clock.
type handedPorts struct {
	Origin int64 // of the clock of the workers, on CLOCK_MONOTONIC in nanoseconds
	Ports  []handedPort
	Places []string // files of bookmarks that a keeper has, whose descriptors are the last ones
}

// keeper is a place.Shelf with open files, of which another process cannot open the same again.
type keeper interface {
	// Files returns the open files by name.
	Files() map[string]*os.File
	// Adopt adds an open file of another process.
	Adopt(name string, f *os.File)
}

// PassState saves the descriptions of handed-over interfaces to a snapshot, or restores them from it.
func (h *handedPorts) PassState(s *snapshot.State) { s.Struct("plane", h) }

// ErrBusy is the error of Stop while frames lie outside the present sockets, just after a socket was reopened or an
// interface has gone: soon it is over.
var ErrBusy = errors.New("frames of closed sockets still wait: try again in a few seconds")

// HandOver describes the interfaces of the data plane for another process. Frames go on. Until Resume, or the end of
// the process, no method but Stop may be called. After an error the data plane is as before.
func (d *Dataplane) HandOver() (h *Handover, err error) {
	d.mu.Lock()
	defer func() {
		if err != nil {
			d.mu.Unlock()
		}
	}()
	if d.left {
		return nil, errors.New("the daemon is about to end")
	}
	for _, g := range d.groups {
		for _, a := range g.members {
			if err := a.canHandOver(); err != nil {
				return nil, fmt.Errorf("port %s: %w", a.settings.Name, err)
			}
		}
	}
	h = &Handover{}
	ports := handedPorts{Origin: d.origin}
	for _, g := range d.groups {
		for _, a := range g.members {
			if err := a.handOver(&ports, h); err != nil {
				return nil, err
			}
		}
	}
	if k, ok := d.shelf.(keeper); ok {
		files := k.Files()
		for _, name := range slices.Sorted(maps.Keys(files)) {
			ports.Places, h.FDs = append(ports.Places, name), append(h.FDs, int(files[name].Fd()))
		}
	}
	h.Ports = snapshot.Save("ports", &ports)
	return h, nil
}

// Stop stops the rounds of all workers between two batches, after HandOver, and returns the state of the frame path
// for the other process. Link partners are told to wait. Until Resume, or the end of the process, no frame moves. Also
// after an error, Resume must be called.
func (d *Dataplane) Stop() (state []byte, err error) {
	d.stopped = true
	for _, g := range d.groups {
		for _, a := range g.members {
			g.pausePush(a)
			a.pushWaits = a.host != nil
			g.hold(a)
		}
	}
	for _, w := range d.workers {
		w.Do(func(wire.Time) {}) // a round has told the partners to wait
	}
	if !d.pause() {
		return nil, ErrBusy
	}
	for _, g := range d.groups {
		for _, a := range g.members {
			if err := a.stop(); err != nil {
				return nil, fmt.Errorf("port %s: %w", a.settings.Name, err)
			}
		}
	}
	return snapshot.Save("dataplane", d), nil
}

// Resume starts the rounds of the workers of a data plane made by TakeOver, or of one that goes on after HandOver or
// Stop.
func (d *Dataplane) Resume() {
	if d.stopped {
		d.stopped = false
		d.resume()
	}
	d.mu.Unlock()
}

// resume starts the rounds of all workers again after a handover, resumes captures, and lets link partners send
// again. When it returns, each worker has completed a round.
func (d *Dataplane) resume() {
	for _, g := range d.groups {
		for _, a := range g.members {
			if a.host != nil && a.host.capture != nil {
				a.host.capture.Resume()
			}
		}
	}
	for _, g := range d.groups {
		for _, a := range g.members {
			g.endHold(a)
		}
	}
	for _, w := range d.workers {
		w.Do(func(wire.Time) { w.Resume() })
	}
	for _, w := range d.workers {
		w.Do(func(wire.Time) {})
	}
	for _, g := range d.groups {
		for _, a := range g.members {
			if a.pushWaits {
				a.pushWaits = false
				g.startPush(a)
			}
		}
	}
}

// pause stops the rounds of all workers after handing all posted frames to the kernel. It returns false if some
// frames lie in memory outside the present sockets, and so cannot be handed over.
func (d *Dataplane) pause() bool {
	settled := true
	for _, w := range d.workers {
		w.Do(func(wire.Time) {
			w.Pause()
			for _, g := range d.groups {
				if g.worker == w && !g.domain.Settle() {
					settled = false
				}
			}
		})
	}
	return settled
}

// canHandOver returns nil if a port can be handed over to another process, else an error with the reason.
func (a *attachment) canHandOver() error {
	if a.host == nil {
		return nil
	}
	return a.host.owned.CanHandOver()
}

// handOver adds an attached port to ports and h: its description, and the file descriptors of its interface and
// capture file.
func (a *attachment) handOver(ports *handedPorts, h *Handover) error {
	if a.host == nil {
		return nil
	}
	of, fds, err := a.host.owned.HandOver()
	if err != nil {
		return err
	}
	p := handedPort{
		Port: a.settings.Name, Interface: of, MTU: a.host.mtu, Speed: a.host.speed, Chunk: a.host.chunk,
		Pieces: a.host.pieces, Generic: a.host.generic,
	}
	if a.host.uncaptured != nil {
		p.Uncaptured = a.host.uncaptured.Error()
	}
	if a.host.capture != nil {
		var f *os.File
		f, p.Interfaces = a.host.capture.File()
		p.Captured, fds = true, append(fds, int(f.Fd()))
	}
	ports.Ports = append(ports.Ports, p)
	h.FDs = append(h.FDs, fds...)
	return nil
}

// stop records where the sockets and the capture of a stopped port are, for the other process.
func (a *attachment) stop() (err error) {
	if a.host == nil {
		return nil
	}
	for _, s := range a.host.sockets {
		s.Leave()
	}
	if a.host.capture != nil {
		a.host.progress, err = a.host.capture.Suspend(suspendTimeout)
	}
	return err
}

// suspendTimeout is the longest wait for the file of a capture.
const suspendTimeout = 100 * time.Millisecond

// Untouched reports whether no other process has moved a frame since Stop: the rings of all sockets are at the
// positions at which Stop left them.
func (d *Dataplane) Untouched() bool {
	for _, g := range d.groups {
		for _, a := range g.members {
			if a.host != nil && !a.host.untouched() {
				return false
			}
		}
	}
	return true
}

// untouched reports whether no other process has moved a frame through the sockets of an interface since Stop.
func (h *host) untouched() bool {
	return !slices.ContainsFunc(h.sockets, func(s *xsk.Socket) bool { return !s.Untouched() })
}

// TakeOver returns a data plane with the interfaces h of another process, and with that process's settings s. The other
// process may still move frames. Next come Restore and Resume. After an error everything still belongs to the other
// process, and this process must end without Close.
func TakeOver(
	s Settings, records string, shelf place.Shelf, h *Handover, log *zap.Logger,
) (d *Dataplane, err error) {
	var ports handedPorts
	if err := snapshot.Restore("ports", h.Ports, &ports); err != nil {
		return nil, err
	}
	d = newDataplane(records, shelf, log)
	d.origin = ports.Origin
	if err := d.inherit(&ports, h.FDs, log); err != nil {
		return nil, err
	}
	d.await(s)
	if err := d.startWorkers(s, true); err != nil {
		return nil, err
	}
	if err := d.apply(s); err != nil {
		return nil, err
	}
	d.mu.Lock() // until Resume
	if len(d.inherited) > 0 {
		return nil, fmt.Errorf("the settings lack %d of the ports that were handed over", len(d.inherited))
	}
	d.inherited = nil
	return d, nil
}

// Restore sets the state of a data plane made by TakeOver to the state that Stop has returned in the other process.
// Resume starts the rounds. After an error this process must end without Close.
func (d *Dataplane) Restore(state []byte) error {
	d.stopped = true
	return snapshot.Restore("dataplane", state, d)
}

// inheritance is an interface that another process has handed over, until its port is attached.
type inheritance struct {
	handedPort
	owned   *netif.Interface
	capture *os.File // nil: no capture
}

// inherit takes over the interfaces, capture files and bookmark files that another process hands over by the file
// descriptors fds.
func (d *Dataplane) inherit(ports *handedPorts, fds []int, log *zap.Logger) error {
	d.inherited = map[string]*inheritance{}
	for _, p := range ports.Ports {
		n, all := p.Interface.FDs(), p.FDs()
		if all > len(fds) {
			return fmt.Errorf("port %s: there are %d descriptors, %d are wanted", p.Port, len(fds), all)
		}
		owned, err := d.records.Adopt(p.Interface, fds[:n], log.With(zap.String("port", p.Port)))
		if err != nil {
			return fmt.Errorf("port %s: %w", p.Port, err)
		}
		i := &inheritance{handedPort: p, owned: owned}
		if p.Captured {
			i.capture = os.NewFile(uintptr(fds[n]), "capture")
		}
		d.inherited[p.Port], fds = i, fds[all:]
	}
	if len(fds) != len(ports.Places) {
		return fmt.Errorf("%d descriptors are left for the bookmarks of %d links", len(fds), len(ports.Places))
	}
	if k, ok := d.shelf.(keeper); ok {
		for i, name := range ports.Places {
			k.Adopt(name, os.NewFile(uintptr(fds[i]), name))
		}
	}
	return nil
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
		return nil, fmt.Errorf("port %s: its interface is %s, %s was handed over", s.Name, s.Interface, i.Interface.Interface)
	}
	if err := h.checkUse(); err != nil {
		return nil, err
	}
	h.notices = nil // the other process has told them
	h.program, h.sockets = h.owned.Program().(*bpf.Program), h.owned.Sockets()
	h.oneChunk = multiBuffer(h.ifindex, h.program.Mode())
	if i.Uncaptured != "" {
		h.uncaptured = errors.New(i.Uncaptured)
	}
	if i.capture != nil {
		h.capture = pcap.Continue(i.capture, s.Capture, s.CaptureLimit, i.Interfaces)
	}
	h.tap()
	return h, nil
}

// monotonic returns CLOCK_MONOTONIC in nanoseconds. All processes of a machine have the same.
func monotonic() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // never fails for this clock
	return t.Nano()
}

// Publish publishes an event of the daemon itself to the subscribers; port may be "".
func (d *Dataplane) Publish(port, kind, text string) { d.hub.Publish(port, kind, text) }

package dataplane

import (
	"os"
	"time"

	"uelink/dataplane/netif"
	"uelink/internal/snapshot"
)

// handedPort is an attached interface of a port.
type handedPort struct {
	Port      string
	Interface netif.Handed
	MTU       int    // octets
	Speed     int    // Mb/s
	Chunk     int    // octets
	Pieces    int    // most chunks of a frame
	Generic   string // why the XDP program is in generic mode; "": it is in driver mode

	Captured   bool   // the descriptor of a capture's file follows those of the interface
	Interfaces uint32 // number of interfaces that the capture's file describes
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
	Places []string // names of the bookmark files that a keeper has; their descriptors are the last ones
}

// PassState saves the descriptions of handed-over interfaces to a snapshot, or restores them from it.
func (h *handedPorts) PassState(s *snapshot.State) { s.Struct("plane", h) }

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
	handed, fds, err := a.host.owned.HandOver()
	if err != nil {
		return err
	}
	handed.Interface = a.settings.Interface // the successor has the same configuration
	p := handedPort{
		Port: a.settings.Name, Interface: handed, MTU: a.host.mtu, Speed: a.host.speed, Chunk: a.host.chunk,
		Pieces: a.host.pieces, Generic: a.host.generic,
	}
	if a.host.recording.uncaptured != nil {
		p.Uncaptured = a.host.recording.uncaptured.Error()
	}
	if a.host.recording.capture != nil {
		var f *os.File
		f, p.Interfaces = a.host.recording.capture.File()
		p.Captured, fds = true, append(fds, int(f.Fd()))
	}
	ports.Ports = append(ports.Ports, p)
	h.FDs = append(h.FDs, fds...)
	return nil
}

// stop records, for the other process, the positions in the rings of a stopped port's sockets, suspends the port's
// capture, and records how many frames the capture has written.
func (a *attachment) stop() (err error) {
	if a.host == nil {
		return nil
	}
	for _, s := range a.host.sockets {
		s.Leave()
	}
	if a.host.recording.capture != nil {
		a.host.recording.progress, err = a.host.recording.capture.Suspend(suspendTimeout)
	}
	return err
}

// suspendTimeout is the longest wait until a capture that is suspended has written its frames to the file.
const suspendTimeout = 100 * time.Millisecond

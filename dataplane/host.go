package dataplane

import (
	"errors"
	"slices"
	"strings"

	"go.uber.org/zap"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/vnet"
	"uelink/dataplane/xsk"
	"uelink/wire"
)

// host is an attached interface: the XDP program, a socket for each RX queue, and the changes made on the interface.
type host struct {
	settings  model.PortSettings
	ifindex   int
	mac       wire.MAC
	mtu       int
	speed     int              // Mb/s; 0: the driver does not say
	chunk     int              // octets of a chunk
	pieces    int              // most chunks of a frame
	heldMTU   int              // while sockets are reopened: MTU of the longest frame held by LLR, octets
	oneChunk  error            // why a frame may have no more than one chunk; nil: more are allowed
	owned     *netif.Interface // nil: not attached yet
	use       attach.Use       // the host's own use of the interface
	program   *bpf.Program
	sockets   []*xsk.Socket
	past      frame.Stats // kernel counts of the interface's earlier sockets
	recording recording
	generic   string         // why xdp: auto is generic mode, in words; empty: driver mode
	devices   []frame.Device // the sockets, tapped where a capture runs
	// A reset may stop the NIC for good (quirks.StopsOnReset).
	stopsOnReset bool
	network      string       // name of the NIC's network, such as EC2, if that carries only IP; else ""
	tagging      tagging      // of an edge
	notLive      string       // why frames must not leave as live frames, in words; empty: they may
	super        *vnet.Device // on the first socket; nil: no super-frames
	notices      []string     // notices to report once the interface is attached
	managed      managed      // what a client of SAI has set, as far as it was carried out
	log          *zap.Logger
}

// reasons returns in words why the XDP program is in generic mode, and why the sockets were opened in their mode;
// empty if neither has a reason.
func (h *host) reasons() string {
	both := []string{h.generic, h.owned.Choice().Why}
	return strings.Join(slices.DeleteFunc(both, func(s string) bool { return s == "" }), "; ")
}

// denied converts an error of attaching an interface to an Error: exit code 2 for absent queues, 3 for missing
// privileges or kernel features.
func (h *host) denied(err error) error {
	if errors.Is(err, netif.ErrQueues) {
		return configError("port %s: %w", h.settings.Name, err)
	}
	return privilegeError("port %s: %w", h.settings.Name, err)
}

// close closes the sockets, the program and the capture, and puts the interface back to its state before the daemon.
func (h *host) close() {
	if h.owned != nil {
		if err := h.owned.Release(); err != nil {
			h.log.Warn("the interface could not be restored to its state before the daemon", zap.Error(err))
		}
	}
	h.closeDevices()
	h.tagging.close()
	h.recording.close(h.recording.capture, h.log)
}

// detach takes the program and the sockets off the interface. close does the rest.
func (h *host) detach() {
	if err := h.owned.Detach(); err != nil {
		h.log.Warn("the XDP program and the sockets could not be taken off the interface", zap.Error(err))
	}
}

package dataplane

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/dataplane/frame"
	"uelink/dataplane/netif"
	"uelink/dataplane/pcap"
	"uelink/dataplane/xsk"
	"uelink/wire"
)

// host is what the daemon holds of one interface while it owns it: the XDP
// program, a socket for each RX queue, and what was changed on it.
type host struct {
	settings    PortSettings
	ifindex     int
	mac         wire.MAC
	mtu         int
	chunk       int // octets of a chunk
	veth        bool
	owned       *netif.Interface // nil: not yet
	promiscuous *netif.Promiscuous
	program     *bpf.Program
	sockets     []*xsk.Socket
	capture     *pcap.Capture  // nil: none
	devices     []frame.Device // the sockets, tapped where there is a capture
	log         *zap.Logger
}

// openHost takes an interface into possession. needMTU is what a link port must
// carry, 0 on an edge port; geometry is that of the first queue.
func openHost(s PortSettings, needMTU int, g frame.Geometry, records *netif.Records, log *zap.Logger) (*host, error) {
	h := &host{settings: s, log: log.With(zap.String("port", s.Name), zap.String("interface", s.Interface))}
	steps := []func() error{
		func() error { return h.own(records) },
		func() error { return h.chooseChunk(needMTU) },
		func() error { return h.fitMTU(needMTU) },
		h.switchPromiscuousOn,
		h.switchOffloads,
		h.attachProgram,
		func() error { return h.openSockets(g) },
		h.tap,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			h.close()
			return nil, err
		}
	}
	return h, nil
}

// own makes the interface ours, as it was before a daemon that was killed changed it.
func (h *host) own(records *netif.Records) error {
	nl, err := findInterface(h.settings)
	if err != nil {
		return err
	}
	if h.owned, err = records.Own(nl, h.log); err != nil {
		return privilegeError("port %s: take over %s: %w", h.settings.Name, h.settings.Interface, err)
	}
	if nl, err = findInterface(h.settings); err != nil {
		return err
	}
	h.ifindex, h.mtu = nl.Attrs().Index, nl.Attrs().MTU
	h.veth = nl.Type() == "veth"
	copy(h.mac[:], nl.Attrs().HardwareAddr)
	return nil
}

func findInterface(s PortSettings) (netlink.Link, error) {
	nl, err := netlink.LinkByName(s.Interface)
	if errors.As(err, new(netlink.LinkNotFoundError)) {
		return nil, configError("port %s: there is no interface %s in this network namespace: create it, or correct the interface of the port", s.Name, s.Interface)
	}
	if err != nil {
		return nil, fmt.Errorf("port %s: look up interface %s: %w", s.Name, s.Interface, err)
	}
	return nl, nil
}

// changed names a change in the log.
func (h *host) changed(what string) {
	h.log.Info("changed on the interface", zap.String("what", what))
}

// chooseChunk makes the chunks as large as the MTU needs, or the settings say.
func (h *host) chooseChunk(need int) error {
	mtu := max(need, h.mtu)
	if h.chunk = h.settings.ChunkSize; h.chunk == 0 {
		h.chunk = netif.ChunkFor(mtu)
	}
	if mtu > netif.Fits(h.chunk) {
		return configError("port %s: an MTU of %d on %s does not fit a chunk_size of %d, which carries up to %d: lower the MTU",
			h.settings.Name, mtu, h.settings.Interface, h.chunk, netif.Fits(h.chunk))
	}
	return nil
}

// outgrown tells whether an MTU needs larger chunks, and there are such that hold it.
func (h *host) outgrown(mtu int) bool {
	return h.settings.ChunkSize == 0 && mtu > netif.Fits(h.chunk) && mtu <= netif.Fits(netif.LargeChunk)
}

// fitMTU makes sure that a link port carries frames with their shim.
func (h *host) fitMTU(need int) error {
	if need > netif.Fits(h.chunk) && !h.outgrown(need) {
		return configError("port %s: the %d octets of MTU that the edge port needs on %s do not fit a chunk_size of %d, which carries up to %d: lower the MTU of the edge port",
			h.settings.Name, need, h.settings.Interface, h.chunk, netif.Fits(h.chunk))
	}
	if h.mtu >= need {
		return nil
	}
	if h.settings.MTU == MTUCheck {
		return configError("port %s: the MTU of %s is %d, and %d are needed: %d of the edge port and %d of the shim; raise it, or set mtu: auto",
			h.settings.Name, h.settings.Interface, h.mtu, need, need-wire.Overhead, wire.Overhead)
	}
	err := h.owned.SetMTU(need)
	if errors.Is(err, unix.EPERM) {
		return h.denied(fmt.Sprintf("raise the MTU from %d to %d", h.mtu, need), err)
	}
	if err != nil {
		return configError("port %s: raise the MTU of %s from %d to %d (%d of the edge port and %d of the shim): %w: lower the MTU of the edge port",
			h.settings.Name, h.settings.Interface, h.mtu, need, need-wire.Overhead, wire.Overhead, err)
	}
	h.changed(fmt.Sprintf("MTU %d to %d", h.mtu, need))
	h.mtu = need
	return nil
}

// switchPromiscuousOn has the interface take in frames for other addresses too.
func (h *host) switchPromiscuousOn() (err error) {
	if h.promiscuous, err = netif.OpenPromiscuous(h.ifindex); err != nil {
		return h.denied("promiscuous mode", err)
	}
	h.changed("promiscuous mode on")
	return nil
}

// switchOffloads sees to it that frames come in as they were on the wire, with
// their checksums done: on the interface, and on the host's end of a veth.
func (h *host) switchOffloads() error {
	if h.settings.Offloads == OffloadsLeave {
		return nil
	}
	off, err := h.owned.DisableOffloads()
	if err != nil {
		return h.denied("switching off offloads", err)
	}
	if len(off) > 0 {
		h.changed(fmt.Sprintf("offloads off: %v", off))
	}
	if !h.veth || h.settings.Role != RoleEdge {
		return nil
	}
	off, err = h.owned.DisablePeerOffloads()
	if err != nil {
		h.log.Warn("the other end of the veth keeps its offloads: switch them off there (ethtool -K IF tx off), or TCP through this port fails", zap.Error(err))
		return nil
	}
	if len(off) > 0 {
		h.changed(fmt.Sprintf("offloads of the other end of the veth off: %v", off))
	}
	return nil
}

func (h *host) attachProgram() (err error) {
	var c bpf.Config
	if h.settings.Role == RoleLink {
		c = bpf.Config{
			Link: true, EtherTypeData: h.settings.EtherTypeData, EtherTypeControl: h.settings.EtherTypeControl,
			Native: h.settings.Native,
		}
	}
	h.program, err = bpf.Attach(h.ifindex, c, h.settings.XDP)
	if err != nil {
		return h.denied("attach the XDP program", err)
	}
	if why := h.program.Fallback(); why != nil {
		h.log.Warn("XDP program attached in generic mode, which is slower: the driver refused it", zap.Error(why))
	} else {
		h.log.Info("XDP program attached", zap.Stringer("mode", h.program.Mode()))
	}
	return nil
}

func (h *host) openSockets(g frame.Geometry) error {
	have, err := netif.RXQueues(h.settings.Interface)
	if err != nil {
		return fmt.Errorf("port %s: %w", h.settings.Name, err)
	}
	queues := h.settings.Queues
	if queues == 0 {
		queues = have
	}
	if queues > have {
		return configError("port %s: queues: %d, but %s has %d", h.settings.Name, queues, h.settings.Interface, have)
	}
	g.ChunkSize = h.chunk
	h.sockets, err = netif.OpenSockets(h.ifindex, queues, h.program,
		xsk.Options{Opener: h.settings.Opener, RingSize: h.settings.RingSize, Geometry: g, Bind: h.settings.Bind})
	if err != nil {
		return h.denied("take the frames", err)
	}
	return nil
}

// denied makes the error of a step that needs privileges or kernel features; what
// to do is said once.
func (h *host) denied(step string, err error) error {
	said := errors.As(err, new(*bpf.PrivilegeError)) || errors.As(err, new(*xsk.PrivilegeError))
	if errors.Is(err, fs.ErrPermission) && !said {
		err = fmt.Errorf("%w: run as root, or grant CAP_NET_ADMIN, CAP_NET_RAW, CAP_BPF and CAP_IPC_LOCK", err)
	}
	return privilegeError("port %s: %s on %s: %w", h.settings.Name, step, h.settings.Interface, err)
}

// decorate is what a test build puts between a socket and the worker.
var decorate = func(_ Role, d frame.Device) frame.Device { return d }

// tap puts a capture between the sockets and the worker, where one is asked for.
func (h *host) tap() (err error) {
	if h.settings.Capture != "" {
		if h.capture, err = pcap.Create(h.settings.Capture, h.settings.CaptureLimit); err != nil {
			return configError("port %s: capture: %w", h.settings.Name, err)
		}
	}
	for q, s := range h.sockets {
		var d frame.Device = s
		if h.capture != nil {
			d = h.capture.Tap(s, fmt.Sprintf("%s queue %d", h.settings.Interface, q))
		}
		h.devices = append(h.devices, decorate(h.settings.Role, d))
	}
	return nil
}

// close frees the sockets and the program and puts the interface back.
func (h *host) close() {
	if h.program != nil {
		if err := h.program.Close(); err != nil {
			h.log.Warn("detach the XDP program", zap.Error(err))
		}
	}
	for _, d := range h.devices {
		if err := d.Close(); err != nil {
			h.log.Warn("close the AF_XDP socket", zap.Error(err))
		}
	}
	for _, s := range h.sockets[len(h.devices):] { // opening ended before they were devices
		_ = s.Close()
	}
	if h.capture != nil {
		if err := h.capture.Close(); err != nil {
			h.log.Warn("capture", zap.Error(err))
		}
	}
	if h.promiscuous != nil {
		_ = h.promiscuous.Close()
	}
	if h.owned != nil {
		h.owned.Release()
	}
}

// stats is what the kernel counted on the sockets, summed.
func (h *host) stats() (sum frame.Stats) {
	for _, s := range h.sockets {
		st, err := s.Stats()
		if err != nil {
			continue // the interface is going; its counters are gone
		}
		sum.Add(st)
	}
	return sum
}

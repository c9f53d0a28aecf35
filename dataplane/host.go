package dataplane

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.uber.org/zap"

	"uelink/bpf"
	"uelink/dataplane/ethtool"
	"uelink/dataplane/frame"
	"uelink/dataplane/netif"
	"uelink/dataplane/pcap"
	"uelink/dataplane/quirks"
	"uelink/dataplane/xsk"
	"uelink/wire"
)

// host is what the daemon holds of one interface while it owns it: the XDP
// program, a socket for each RX queue, and what was changed on it.
type host struct {
	settings   PortSettings
	ifindex    int
	mac        wire.MAC
	mtu        int
	speed      int              // Mb/s; 0: the driver does not say
	chunk      int              // octets of a chunk
	pieces     int              // chunks that a frame may take
	heldMTU    int              // while its sockets are opened anew: an MTU with the frames that LLR holds, octets
	oneChunk   error            // why it may take no more than one; nil: it may
	owned      *netif.Interface // nil: not yet
	use        netif.Use        // link: what the host does with the interface
	program    *bpf.Program
	sockets    []*xsk.Socket
	past       frame.Stats    // what the kernel counted on sockets that were open before
	capture    *pcap.Capture  // nil: none
	generic    string         // why xdp: auto is generic mode, in words; empty: it is not
	uncaptured error          // why there is no capture although one is asked for
	taps       []*pcap.Device // of the capture, on the sockets
	devices    []frame.Device // the sockets, tapped where there is a capture
	// The driver may not start the NIC anew when that was reset.
	stopsOnReset bool
	notices      []string // what is to be told of it, when it has been taken
	log          *zap.Logger
}

// openHost takes an interface into possession. needMTU is what a link port must
// carry, 0 on an edge port; geometry is that of the first queue.
func openHost(s PortSettings, needMTU int, g frame.Geometry, records *netif.Records, log *zap.Logger) (*host, error) {
	h := &host{settings: s, log: log.With(zap.String("port", s.Name), zap.String("interface", s.Interface))}
	if err := h.open(needMTU, g, records); err != nil {
		return nil, err
	}
	return h, nil
}

// open is openHost for a host with its settings; it may have a capture already. After an error all is closed.
func (h *host) open(needMTU int, g frame.Geometry, records *netif.Records) error {
	steps := []func() error{
		func() error { return h.own(records) },
		h.checkUse,
		func() error { return h.chooseChunk(needMTU) },
		func() error { return h.fitMTU(needMTU) },
		func() error { return h.take(g) },
		h.checkPieces,
		h.startCapture,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			h.close()
			return err
		}
	}
	h.tap()
	return nil
}

// own makes the interface ours, as it was before a daemon that was killed changed it.
func (h *host) own(records *netif.Records) (err error) {
	h.owned, err = records.Own(h.settings.Interface, h.log)
	if err != nil {
		return h.settings.notOwned(err)
	}
	attrs := h.owned.Link().Attrs()
	h.ifindex, h.mtu = attrs.Index, attrs.MTU
	copy(h.mac[:], attrs.HardwareAddr)
	h.speed = ethtool.Speed(h.settings.Interface)
	return nil
}

// take has the frames of the interface come to the daemon.
func (h *host) take(g frame.Geometry) error {
	mode, why := abilitiesOf(h.settings.Interface, h.ifindex).XDP(h.settings.XDP)
	err := h.owned.Attach(netif.Options{
		Offloads: h.offloads(),
		Attach: func(ifindex int) (netif.Program, error) {
			return bpf.Attach(ifindex, h.settings.steering(), mode)
		},
		Sockets:        h.socketsOf(g),
		Groups:         h.settings.groups(),
		NotPromiscuous: h.settings.notPromiscuous(),
	})
	if err != nil {
		return h.denied(err)
	}
	h.program, h.sockets = h.owned.Program().(*bpf.Program), h.owned.Sockets()
	h.oneChunk = multiBuffer(h.ifindex, h.program.Mode())
	h.noteMode(why)
	h.noteChoice()
	return nil
}

// abilitiesOf is what a test puts another driver in the place of.
var abilitiesOf = netif.AbilitiesOf

// noteMode tells in which mode the program is attached. avoided is why the driver was not tried; empty: it was, or the
// settings leave no choice.
func (h *host) noteMode(avoided string) {
	refused := h.program.Fallback()
	if h.generic = avoided; refused != nil {
		h.generic = fmt.Sprintf("the driver refused the XDP program: %v", refused)
	}
	if h.generic == "" {
		h.log.Info("XDP program attached", zap.Stringer("mode", h.program.Mode()))
		return
	}
	h.log.Warn("XDP program attached in generic mode, which is slower", zap.String("why", h.generic))
	if avoided != "" {
		h.notices = append(h.notices, "xdp: auto is generic mode here: "+h.generic)
	}
	if h.settings.Bind == xsk.BindZeroCopy {
		h.notices = append(h.notices, "bind: zerocopy is not possible, for there is no zero copy in generic mode: "+
			"frames are copied (bind: copy)")
	}
}

// reasons is why the program is in generic mode and why the sockets were opened as they are, in words.
func (h *host) reasons() string {
	both := []string{h.generic, h.owned.Choice().Why}
	return strings.Join(slices.DeleteFunc(both, func(s string) bool { return s == "" }), "; ")
}

// noteChoice tells how the sockets were opened: what was tried in vain, and what one must not do now.
func (h *host) noteChoice() {
	c := h.owned.Choice()
	h.log.Info("AF_XDP sockets opened", zap.Stringer("queues", h.queues()), zap.Int("tx_queue", h.txQueue()),
		zap.Stringer("opener", c.Opener), zap.Stringer("bind", c.Bind), zap.String("why", c.Why))
	if c.Failed != nil {
		h.notices = append(h.notices, fmt.Sprintf("%s: the sockets were opened by opener: %v with bind: %v",
			c.Why, c.Opener, c.Bind))
	}
	driver := abilitiesOf(h.settings.Interface, h.ifindex).Driver
	_, h.stopsOnReset = quirks.Find(driver, quirks.StopsOnReset)
	for _, q := range quirks.Of(driver) {
		if c.Bind == xsk.BindZeroCopy && (q.Kind == quirks.KernelOops || q.Kind == quirks.AvoidZeroCopy) {
			h.notices = append(h.notices, fmt.Sprintf("%s: %s: %s", q.Driver, q.What, q.Advice))
		}
	}
}

// offloads sees to it that frames come in as they were on the wire, with their checksums
// done: on the interface, and on the host's end of a veth.
func (h *host) offloads() netif.Offloads {
	switch {
	case h.settings.Offloads == OffloadsLeave:
		return netif.OffloadsStay
	case h.settings.Role == RoleEdge:
		return netif.OffloadsOffAtBothEnds
	}
	return netif.OffloadsOff
}

// steering is what the XDP program of a port is told.
func (s *PortSettings) steering() bpf.Config {
	if s.Role != RoleLink {
		return bpf.Config{}
	}
	return bpf.Config{
		Link: true, EtherTypeData: s.EtherTypeData, EtherTypeControl: s.EtherTypeControl, Native: s.Native,
	}
}

// socketsOf is how the sockets are opened, with chunks of the size that was chosen.
func (h *host) socketsOf(g frame.Geometry) *netif.Sockets {
	g.ChunkSize = h.chunk
	return &netif.Sockets{
		Options: xsk.Options{
			Opener: h.settings.Opener, RingSize: h.settings.RingSize, RxRing: h.settings.rxRing(), Bind: h.settings.Bind,
			Geometry: h.settings.inPieces(g, h.pieces),
		},
		Queues: h.settings.Queues, TxQueue: h.settings.TxQueue,
	}
}

// reprogram has frames steered as other settings of the port say, in which what is auto has been decided: their
// EtherTypes, and what becomes of native frames. Another program takes the place of the one on the interface, and
// no frame finds none. After an error the one of before goes on.
func (h *host) reprogram(s PortSettings) error {
	if err := h.program.Reconfigure(s.steering()); err != nil {
		return h.denied(err)
	}
	h.settings.EtherTypeData, h.settings.EtherTypeControl = s.EtherTypeData, s.EtherTypeControl
	h.settings.Native = s.Native
	return nil
}

// queues is the RX queues with a socket; there are some.
func (h *host) queues() (q netif.Queues) {
	for _, s := range h.sockets {
		n := s.Info().Queue
		q.Add(n, n)
	}
	return q
}

// txQueue is the queue that frames leave by.
func (h *host) txQueue() int { return h.sockets[0].Info().Queue }

// denied makes the error of a step that needs privileges or kernel features, or that asks
// for queues that are not there.
func (h *host) denied(err error) error {
	if errors.Is(err, netif.ErrQueues) {
		return configError("port %s: %w", h.settings.Name, err)
	}
	return privilegeError("port %s: %w", h.settings.Name, err)
}

// decorate is what a test build puts between a socket and the worker.
var decorate = func(_ Role, d frame.Device) frame.Device { return d }

// close frees the sockets and the program and puts the interface back.
func (h *host) close() {
	if h.owned != nil {
		if err := h.owned.Release(); err != nil {
			h.log.Warn("give the interface back", zap.Error(err))
		}
	}
	h.closeDevices()
	h.endCapture(h.capture)
}

// letGo takes the program and the sockets off the interface. close does the rest.
func (h *host) letGo() {
	if err := h.owned.Detach(); err != nil {
		h.log.Warn("take the program and the sockets off the interface", zap.Error(err))
	}
}

// kicks is how many system calls the worker has made on the sockets; only the worker asks.
func (h *host) kicks() (sum uint64) {
	for _, s := range h.sockets {
		sum += s.Kicks()
	}
	return sum
}

// keepStats keeps what the kernel counted on the sockets: they are going to be closed, and others opened.
func (h *host) keepStats() { h.past, h.sockets = h.stats(), nil }

// stats is what the kernel counted on the sockets, also on those that were open before, summed.
func (h *host) stats() frame.Stats {
	sum := h.past
	for _, s := range h.sockets {
		st, err := s.Stats()
		if err != nil {
			continue // the interface is going; its counters are gone
		}
		sum.Add(st)
	}
	return sum
}

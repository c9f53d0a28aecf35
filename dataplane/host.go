package dataplane

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.uber.org/zap"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/dataplane/ethtool"
	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/pcap"
	"uelink/dataplane/quirks"
	"uelink/dataplane/vnet"
	"uelink/dataplane/xsk"
	"uelink/wire"
)

// host is an attached interface: the XDP program, a socket for each RX queue, and the changes made on the interface.
type host struct {
	settings   model.PortSettings
	ifindex    int
	mac        wire.MAC
	mtu        int
	speed      int              // Mb/s; 0: the driver does not say
	chunk      int              // octets of a chunk
	pieces     int              // most chunks of a frame
	heldMTU    int              // while its sockets are reopened: an MTU with the frames held by LLR, octets
	oneChunk   error            // why a frame may have no more than one chunk; nil: more are allowed
	owned      *netif.Interface // nil: not attached yet
	use        attach.Use       // link: the host's use of the interface
	program    *bpf.Program
	sockets    []*xsk.Socket
	past       frame.Stats    // kernel counts of sockets open before
	capture    *pcap.Capture  // nil: no capture
	progress   pcap.Handed    // of the capture, when it was suspended for another process
	generic    string         // why xdp: auto is generic mode, in words; empty: driver mode
	uncaptured error          // why a configured capture does not exist
	taps       []*pcap.Device // of the capture, on the sockets
	devices    []frame.Device // the sockets, tapped where a capture runs
	// The driver may not restart the NIC after a reset.
	stopsOnReset bool
	network      string       // name of the network of the NIC, if it carries only IP
	tagging      tagging      // of an edge
	notLive      string       // why frames shall not leave live, in words; empty: they shall
	super        *vnet.Device // on the first socket; nil: no super-frames
	notices      []string     // notices to report once the interface is attached
	managed      managed      // what a client of SAI has set, as far as it was carried out
	log          *zap.Logger
}

// openHost attaches the interface of a port with settings s, and returns the attached interface: program, sockets
// and capture. needMTU is the MTU that a link port must have, 0 on an edge port; g is the memory layout of the
// first queue's socket.
func openHost(
	s model.PortSettings, needMTU int, g frame.Geometry, records *netif.Records, log *zap.Logger,
) (*host, error) {
	h := &host{settings: s, log: log.With(zap.String("port", s.Name), zap.String("interface", s.Interface))}
	if err := h.open(needMTU, g, records); err != nil {
		return nil, err
	}
	return h, nil
}

// open attaches the interface of h, whose settings are set: it chooses chunks and MTU, attaches program and
// sockets, and starts the capture. Arguments are as in openHost. After an error everything is closed.
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

// own takes possession of the interface, and undoes the changes of a killed daemon. It does not attach anything.
func (h *host) own(records *netif.Records) (err error) {
	h.owned, err = records.Own(h.settings.Interface, h.log)
	if err != nil {
		return notOwned(&h.settings, err)
	}
	attrs := h.owned.Link().Attrs()
	h.settings.Interface, h.ifindex, h.mtu = attrs.Name, attrs.Index, attrs.MTU // the configuration's may be an altname
	copy(h.mac[:], attrs.HardwareAddr)
	h.speed = ethtool.Speed(h.settings.Interface)
	return nil
}

// take attaches the XDP program and the sockets to the interface, so that the daemon gets the interface's frames.
func (h *host) take(g frame.Geometry) error {
	mode, why := abilitiesOf(h.settings.Interface, h.ifindex).XDP(h.settings.XDP)
	err := h.owned.Attach(netif.Options{
		Offloads: h.offloads(),
		Attach: func(ifindex int) (netif.Program, error) {
			return bpf.Attach(ifindex, steering(&h.settings), mode)
		},
		Sockets:        h.socketsOf(g),
		Groups:         h.settings.MulticastGroups(),
		NotPromiscuous: h.settings.NotPromiscuous(),
	})
	if err != nil {
		return h.denied(err)
	}
	h.program, h.sockets = h.owned.Program().(*bpf.Program), h.owned.Sockets()
	h.oneChunk = multiBuffer(h.ifindex, h.program.Mode())
	h.noteMode(why)
	h.noteChoice()
	h.notePeer()
	return nil
}

// notePeer notices a veth in generic mode whose other end keeps its offloads: the host then sends frames of several
// segments. In driver mode the kernel cuts them. After the start the daemon may not enter other network namespaces,
// unless an edge needed that then.
func (h *host) notePeer() {
	if err := h.owned.PeerKept(); err != nil && h.program.Mode() == attach.ModeGeneric {
		h.notices = append(h.notices, fmt.Sprintf("the other end of the veth %s keeps its offloads (%v), and in generic "+
			"mode the host sends frames of several segments, which are dropped: ethtool -K IF tso off gso off there, or set "+
			"xdp: driver", h.settings.Interface, err))
	}
}

// abilitiesOf is a variable so that a test can replace the driver.
var abilitiesOf = netif.AbilitiesOf

// noteMode logs the mode of the attached program. avoided is the reason why driver mode was not tried; empty: driver
// mode was tried, or the settings leave no choice.
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
	if h.settings.Bind == attach.BindZeroCopy {
		h.notices = append(h.notices, "bind: zerocopy is not possible, for there is no zero copy in generic mode: "+
			"frames are copied (bind: copy)")
	}
}

// reasons returns in words why the XDP program is in generic mode, and why the sockets were opened in their mode;
// empty if neither has a reason.
func (h *host) reasons() string {
	both := []string{h.generic, h.owned.Choice().Why}
	return strings.Join(slices.DeleteFunc(both, func(s string) bool { return s == "" }), "; ")
}

// noteChoice logs how the sockets were opened: failed attempts, and the advice that follows.
func (h *host) noteChoice() {
	c := h.owned.Choice()
	h.log.Info("AF_XDP sockets opened", zap.Stringer("queues", h.queues()), zap.Int("tx_queue", h.txQueue()),
		zap.Stringer("opener", c.Opener), zap.Stringer("bind", c.Bind), zap.String("why", c.Why))
	if c.Failed != nil {
		h.notices = append(h.notices, fmt.Sprintf("%s: the sockets were opened by opener: %v with bind: %v",
			c.Why, c.Opener, c.Bind))
	}
	driver := abilitiesOf(h.settings.Interface, h.ifindex).Driver
	h.network = quirks.Network(driver)
	_, h.stopsOnReset = quirks.Find(driver, quirks.StopsOnReset)
	for _, q := range quirks.FindAll(driver) {
		if c.Bind == attach.BindZeroCopy && (q.Kind == quirks.KernelOops || q.Kind == quirks.AvoidZeroCopy) {
			h.notices = append(h.notices, fmt.Sprintf("%s: %s: %s", q.Driver, q.What, q.Advice))
		}
	}
}

// offloads returns where offloads are switched off: on a link's interface, on an edge's interface and the other end of
// its veth, or nowhere. Without offloads frames arrive as they were on the wire, with their checksums computed.
func (h *host) offloads() netif.Offloads {
	switch {
	case h.settings.Offloads == model.OffloadsLeave:
		return netif.OffloadsStay
	case h.settings.Role == model.RoleEdge:
		return netif.OffloadsOffAtBothEnds
	}
	return netif.OffloadsOff
}

// socketsOf returns the options of the sockets to open, with memory laid out as in g but with chunks of the chosen
// size.
func (h *host) socketsOf(g frame.Geometry) *netif.Sockets {
	g.ChunkSize = h.chunk
	g = h.settings.InPieces(g, h.pieces)
	if is, _ := h.wantsSuper(); is == model.SuperOn {
		g.Places = g.Spare + frame.UnderWay
	}
	live := h.wantsLive()
	if live {
		g.RX += g.RX & 1 // the slots begin at a page
	}
	return &netif.Sockets{
		Options: xsk.Options{
			Opener: h.settings.Opener, RingSize: h.settings.RingSize, RxRing: h.settings.RxRing(), Bind: h.settings.Bind,
			Geometry: g, Live: live,
			BoundQueue: h.settings.Role == model.RoleEdge && h.settings.Assured() == 0,
		},
		Queues: h.settings.Queues, TxQueue: h.settings.TxQueue,
	}
}

// reprogram replaces the XDP program by one that steers frames by other settings of the port (their EtherTypes, and the
// action for native frames), in which every auto has been decided. No frame finds the interface without a program.
// After an error the previous program goes on.
func (h *host) reprogram(s model.PortSettings) error {
	if err := h.program.Reconfigure(steering(&s)); err != nil {
		return h.denied(err)
	}
	h.settings.EtherTypeData, h.settings.EtherTypeControl = s.EtherTypeData, s.EtherTypeControl
	h.settings.Native = s.Native
	return nil
}

// queues returns the set of the RX queues that have a socket; at least one.
func (h *host) queues() (q attach.Queues) {
	for _, s := range h.sockets {
		n := s.Info().Queue
		q.Add(n, n)
	}
	return q
}

// txQueue returns the number of the queue by which frames leave.
func (h *host) txQueue() int { return h.sockets[0].Info().Queue }

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
			h.log.Warn("give the interface back", zap.Error(err))
		}
	}
	h.closeDevices()
	h.tagging.close()
	h.endCapture(h.capture)
}

// detach takes the program and the sockets off the interface. close does the rest.
func (h *host) detach() {
	if err := h.owned.Detach(); err != nil {
		h.log.Warn("take the program and the sockets off the interface", zap.Error(err))
	}
}

// kicks returns the number of system calls that the worker has made to send and receive on the port's sockets;
// only the worker may call kicks.
func (h *host) kicks() (sum uint64) {
	for _, s := range h.sockets {
		sum += s.Kicks()
	}
	return sum
}

// keepStats adds the kernel's counts of the present sockets, which are about to be closed and replaced, to those
// of earlier sockets.
func (h *host) keepStats() { h.past, h.sockets = h.stats(), nil }

// stats returns the sum of the kernel's counts on the port's present and earlier sockets.
func (h *host) stats() frame.Stats {
	sum := h.past
	for _, s := range h.sockets {
		st, err := s.Stats()
		if err != nil {
			continue // the interface is going, and its counters with it
		}
		sum.Add(st)
	}
	if h.super != nil {
		sum.SuperCounts.Add(h.super.Counts())
	}
	return sum
}

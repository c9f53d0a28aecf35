package dataplane

import (
	"fmt"

	"go.uber.org/zap"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/dataplane/ethtool"
	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/quirks"
)

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
		func() error { return h.recording.start(&h.settings) },
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

// own takes possession of the interface, and undoes the changes of a killed daemon. It does not attach anything. It
// sets the fields of h that describe the interface: name, index, addresses, MTU and speed.
func (h *host) own(records *netif.Records) (err error) {
	h.owned, err = records.Own(h.settings.Interface, h.log)
	if err != nil {
		return notOwned(&h.settings, err)
	}
	attrs := h.owned.Link().Attrs()
	h.settings.Interface, h.ifindex, h.mtu = attrs.Name, attrs.Index, attrs.MTU // the configuration may have an altname
	copy(h.mac[:], attrs.HardwareAddr)
	h.speed = ethtool.Speed(h.settings.Interface)
	return nil
}

// take attaches the XDP program, in the mode that settings and driver allow, and the sockets, with memory laid out as
// in g, so that the daemon gets the interface's frames. It sets the fields of h about them, and adds notices.
func (h *host) take(g frame.Geometry) error {
	mode, reason := abilitiesOf(h.settings.Interface, h.ifindex).XDP(h.settings.XDP)
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
	h.noteMode(reason)
	h.noteChoice()
	h.notePeer()
	return nil
}

// notePeer adds a notice for a veth in generic mode whose other end keeps its offloads: the host then sends frames of
// several segments. In driver mode the kernel cuts them. One cause: the daemon may enter the other end's network
// namespace only if some edge needed such rights when the daemon started.
func (h *host) notePeer() {
	if err := h.owned.Offloads().PeerKept(); err != nil && h.program.Mode() == attach.ModeGeneric {
		h.notices = append(h.notices, fmt.Sprintf("the other end of the veth %s keeps its offloads (%v), and in generic "+
			"mode the host sends frames of several segments, which are dropped: ethtool -K IF tso off gso off there, or set "+
			"xdp: driver", h.settings.Interface, err))
	}
}

// abilitiesOf is a variable so that a test can replace the driver.
var abilitiesOf = netif.AbilitiesOf

// noteMode logs the mode of the attached program, sets h.generic to the reason for generic mode, and adds notices of
// what generic mode changes. avoided is the reason why driver mode was not tried; empty: driver mode was tried, or the
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
	if h.settings.Bind == attach.BindZeroCopy {
		h.notices = append(h.notices, "bind: zerocopy is not possible, for there is no zero copy in generic mode: "+
			"frames are copied (bind: copy)")
	}
}

// noteChoice logs how the sockets were opened, and adds notices of failed attempts and of the driver's quirks with zero
// copy. By the driver's name it also sets h.network and h.stopsOnReset.
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

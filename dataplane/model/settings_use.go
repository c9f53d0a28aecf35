package model

import (
	"fmt"

	"uelink/dataplane/attach"
	"uelink/wire"
)

// AdaptTo returns the settings of a port on an interface that the host uses as u says, with auto decided where the use
// decides it: the bind mode, and on a link native frames, offloads and promiscuous mode. An edge receives all frames in
// any case, but does without zero copy where the host may be reachable by this interface alone.
func (s PortSettings) AdaptTo(u attach.Use) PortSettings {
	if s.Role != RoleLink {
		if s.Bind == attach.BindAuto && u.Management() {
			s.Bind = attach.BindCopy
		}
		return s
	}
	if s.Native == attach.NativeAuto {
		s.Native = attach.NativeSocket
		if u.Any() {
			s.Native = attach.NativePass
		}
	}
	if !u.Any() {
		return s
	}
	if s.Offloads == OffloadsAuto {
		s.Offloads = OffloadsLeave
	}
	if s.Promiscuous == PromiscuousAuto {
		s.Promiscuous = PromiscuousOff
	}
	if s.Bind == attach.BindAuto {
		s.Bind = attach.BindCopy
	}
	return s
}

// NoLive returns in words why the frames of a port on an interface with the given driver and number of queues shall not
// be sent as live XDP frames; empty: frames shall be sent live, where the kernel can. A live frame that the other end
// has no room for is lost without an error: LLR repairs that on a link, and nothing on an edge. The driver of a NIC may
// hold live frames for long, and the kernel's memory with them. A veth with several queues puts live frames into the
// queue of the CPU: frames by AF_XDP would overtake them.
func (s *PortSettings) NoLive(driver string, queues int) string {
	auto := s.TxPath == attach.PathAuto
	switch {
	case s.TxPath == attach.PathAFXDP:
		return "tx_path: af_xdp"
	case auto && s.Role != RoleLink:
		return "tx_path: auto means live on links only: nothing repairs the loss of a live frame on an edge"
	case s.Opener == attach.OpenerAsavie:
		return "opener: asavie"
	case auto && driver != "veth":
		return "tx_path: auto means live on veths only"
	case queues > 1:
		return "the interface has several queues: frames could overtake each other"
	}
	return ""
}

// WantsPushBack returns whether an edge shall leave frames with the host, as far as its settings say: PushOn where the
// kernel can, or PushOff or PushLossy with the reason in words. pieces is the most chunks of a frame.
func (s *PortSettings) WantsPushBack(pieces int) (state PushState, reason string) {
	// least is room in the RX ring for the frames of two requests to the kernel.
	switch least := 2 * attach.MostAsked * max(pieces, 1); {
	case s.PushBack == PushBackOff:
		return PushOff, "push_back: off"
	case s.PushBack == PushBackAuto && s.Offload == OffloadOn:
		return PushOff, "push_back: auto is off with offload: on"
	case s.PushBack == PushBackAuto && s.Host == nil:
		return PushOff, "push_back: auto is off, because auto changes only veths that the daemon " +
			"makes (create: true): set push_back: on for a veth made by somebody else"
	case s.RxRing() < least:
		return s.CannotPushBack(fmt.Sprintf("rx_ring_size is less than %d: raise it", least))
	}
	return PushOn, ""
}

// CannotPushBack returns the state of an edge that shall leave frames with the host, but cannot, for the given reason:
// with push_back: on PushLossy, a problem; with auto PushOff. shown is the reason for people.
func (s *PortSettings) CannotPushBack(reason string) (state PushState, shown string) {
	if s.PushBack == PushBackOn {
		return PushLossy, reason
	}
	return PushOff, "push_back: auto is off here: " + reason
}

// WantsSuper returns whether an edge shall take super-frames, as far as its settings and its interface say: SuperOn
// where the kernel can; SuperOff, or SuperFailed with offload: on, with the reason in words. driver is that of the
// interface, pieces the most chunks of a frame, and pushes whether a veth of this kernel can push back.
func (s *PortSettings) WantsSuper(driver string, pieces int, pushes bool) (state SuperState, reason string) {
	push, _ := s.WantsPushBack(pieces)
	switch {
	case s.Role != RoleEdge:
		return "", ""
	case s.Offload == OffloadOff:
		return SuperOff, ""
	case push == PushOn && pushes:
		reason = "the edge pushes back, and frames of a packet socket cannot wait with the host"
	case driver != "veth":
		reason = "the interface is no veth"
	case s.TxPath == attach.PathLive:
		reason = "tx_path: live sends frame by frame"
	case s.XDP == attach.ModeGeneric:
		reason = "xdp: generic"
	case pieces > 1:
		reason = "a frame of this MTU takes several chunks: lower the MTU, or raise chunk_size"
	default:
		return SuperOn, ""
	}
	return s.SuperWithout(), reason
}

// SuperWithout returns the state of an edge that takes no super-frames though its settings ask for them: with offload:
// on SuperFailed, a problem; with auto SuperOff.
func (s *PortSettings) SuperWithout() SuperState {
	if s.Offload == OffloadAuto {
		return SuperOff
	}
	return SuperFailed
}

// LeavesMTU reports whether the data plane must not set the MTU of an interface in use by the host.
func (s *PortSettings) LeavesMTU(u attach.Use) bool {
	return s.MTU == MTUAuto && s.Role == RoleLink && u.Any()
}

// Addressed reports whether the link's frames have the addresses of the two link ports as outer MAC addresses instead
// of those of the hosts: if the key encapsulation is "addressed", or the link speaks HIPPI-6400-PH.
func (s *PortSettings) Addressed() bool {
	return s.Encapsulation == Addressed || s.Protocol == HIPPI6400
}

// MulticastGroups returns the group addresses that a port accepts besides its own address. An empty list means that the
// port accepts every address.
func (s *PortSettings) MulticastGroups() []wire.MAC {
	if !s.Addressed() || s.Promiscuous == PromiscuousOn {
		return nil
	}
	return []wire.MAC{wire.DiscoveryDA, wire.ControlDA}
}

// NotPromiscuous reports whether the port's interface is attached without promiscuous mode.
func (s *PortSettings) NotPromiscuous() bool {
	return s.Promiscuous == PromiscuousOff || s.Addressed() && s.Promiscuous == PromiscuousAuto
}

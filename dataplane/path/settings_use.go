package path

import (
	"uelink/bpf"
	"uelink/dataplane/netif"
	"uelink/dataplane/xsk"
)

// Beside returns the settings of a port on an interface in use by the host, with each auto decided. An edge receives
// all frames in any case, but does without zero copy where the interface connects the host.
func (s PortSettings) Beside(u netif.Use) PortSettings {
	if s.Role != RoleLink {
		if s.Bind == xsk.BindAuto && u.Management() {
			s.Bind = xsk.BindCopy
		}
		return s
	}
	if s.Native == bpf.NativeAuto {
		s.Native = bpf.NativeSocket
		if u.Any() {
			s.Native = bpf.NativePass
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
	if s.Bind == xsk.BindAuto {
		s.Bind = xsk.BindCopy
	}
	return s
}

// LeavesMTU reports whether the data plane must not set the MTU of an interface in use by the host.
func (s *PortSettings) LeavesMTU(u netif.Use) bool {
	return s.MTU == MTUAuto && s.Role == RoleLink && u.Any()
}

package trouble

import (
	"fmt"
	"strings"

	"uelink/dataplane/attach"
	"uelink/dataplane/model"
)

// Use is how the host uses an interface that the daemon has.
type Use struct {
	Settings *model.PortSettings // with the kernel's name of the interface
	Attached attach.Use          // use when the daemon attached the interface: a loss known at that time is intended
	Now      attach.Use          // use at present
	Bind     attach.Bind         // of the sockets
}

// CheckUse begins a trouble while the host loses frames or safety of its own network on an interface, and ends it.
func (m *Monitor) CheckUse(u Use) {
	if text := lossText(u); text != "" {
		m.Begin(HostNetwork, text)
		return
	}
	m.End(HostNetwork, "this machine gets the frames that arrive for it at the interface again")
}

// lossText returns in words what the host loses of its own network on an interface because the daemon has it, and the
// cure; "" if nothing.
func lossText(u Use) string {
	var all []string
	if frames := lostFramesText(u); frames != "" {
		all = append(all, frames)
	}
	if u.Bind == attach.BindZeroCopy && u.Now.Management() && !u.Settings.AllowZeroCopy {
		all = append(all, fmt.Sprintf("%s, which uelinkd uses with zero copy, has %v now: the driver may restart the NIC "+
			"when uelinkd ends, and the host cannot be reached after that. Set bind: copy at a time when a restart of the "+
			"NIC does no harm, or allow_zerocopy: true if the host can be reached by another interface",
			u.Settings.Interface, u.Now))
	}
	return strings.Join(all, "; ")
}

// lostFramesText returns in words why the host gets no frames of an interface that it uses; empty: the host gets
// them.
func lostFramesText(u Use) string {
	s := u.Settings
	switch {
	case !u.Now.Any():
	case s.Role == model.RoleEdge:
		return fmt.Sprintf("the host uses %s itself (%v), but an edge takes all frames that arrive, and the host gets "+
			"none: give the port another interface, or remove from this one what the host has on it", s.Interface, u.Now)
	case s.Native != attach.NativePass && !u.Attached.Any():
		return fmt.Sprintf("the host uses %s itself since uelinkd took it (%v), but native: %v takes all frames that "+
			"arrive, and the host gets none: set native: pass and reload, or native: auto and restart uelinkd, or remove "+
			"from the interface what the host has on it", s.Interface, u.Now, s.Native)
	}
	return ""
}

package doctor

import (
	"fmt"
	"strings"

	"uelink/dataplane/attach"
	"uelink/dataplane/model"
)

// users adds findings about others that need the frames of the interface: packet sockets, the host itself.
func (j *judge) users() {
	if len(j.f.Sockets) > 0 {
		j.find(Note, "use uelink watch frames, or set the key capture of the port",
			"packet sockets do not see frames that XDP takes: %s",
			strings.Join(j.f.Sockets, ", "))
	}
	j.hostUse()
	j.promiscuous()
}

// hostUse adds a finding for an interface that the host itself uses: it blocks a port that would take the host's
// frames. Zero copy demanded on the interface by which this host is reached blocks, too, unless allow_zerocopy is true.
func (j *judge) hostUse() {
	s, use := &j.p.Port, j.f.Use
	switch {
	case !use.Any():
	case s.Role != model.RoleLink:
		j.find(Blocks, "take another interface",
			"this machine itself uses the interface (%v): an edge would take all arriving frames, and leave "+
				"none to the machine", use)
	case s.Native != attach.NativePass:
		j.find(Blocks, "set native: auto, or take another interface",
			"this machine itself uses the interface (%v): a link with native: %v would take this machine's frames",
			use, s.Native)
	default:
		j.find(Note, "", "this machine itself uses the interface (%v), and keeps its frames: a link takes only its own", use)
	}
	if j.asked == attach.BindZeroCopy && use.Management() && !s.AllowZeroCopy {
		j.find(Blocks, "set bind: auto, or allow_zerocopy: true if there is another way to this host",
			"bind: zerocopy is refused on the interface by which this host is reached (%v)", use)
	}
}

// promiscuous adds to the report that promiscuous mode is switched on, or a finding if frames for hosts behind
// this end would not arrive.
func (j *judge) promiscuous() {
	s := &j.p.Port
	switch {
	case s.Encapsulation == model.Addressed && s.Promiscuous != model.PromiscuousOn:
		j.change("frames to two group addresses received, besides those to the interface's own address")
		return
	case s.Role != model.RoleLink, s.Promiscuous != model.PromiscuousOff:
		j.change("promiscuous mode on")
		return
	}
	if j.f.Kind != "veth" && !j.f.Promiscuous {
		j.find(Costs, fmt.Sprintf("set promiscuous: true, or ip link set dev %s promisc on", j.f.Interface),
			"the interface is not in promiscuous mode, and is left so: frames for hosts behind this end do not arrive")
	}
}

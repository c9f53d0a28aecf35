package dataplane

import (
	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/wire"
)

// catching collects the frames of a port while its sockets are reopened, by a packet socket.
type catching struct {
	socket *netif.Catch // nil: no packet socket
	frames [][]byte     // those that arrived, the oldest first
}

// beginCatch makes the kernel deliver the frames of an interface to a packet socket, while the port's AF_XDP
// sockets, which get no more frames, are reopened.
func (h *host) beginCatch() (c *catching, err error) {
	c = &catching{}
	if c.socket, err = netif.OpenCatch(h.ifindex); err != nil {
		return c, err
	}
	return c, h.owned.Divert()
}

// end reads the frames that the packet socket has caught, once no frame is in transit to it any more, and closes
// it. It returns the number of caught frames that the port's program would pass to its sockets, and the number
// missed for want of room.
func (c *catching) end(s *model.PortSettings) (n, missed uint64) {
	if c.socket == nil {
		return 0, 0
	}
	netif.WaitGracePeriod()
	came, missed := c.socket.Counts()
	for range came {
		f, ok := c.socket.Next()
		if !ok {
			break
		}
		if steersToSocket(s, f) {
			c.frames = append(c.frames, f)
			n++
		}
	}
	_ = c.socket.Close() // all frames have been read
	return n, missed
}

// steering returns the configuration of a port's XDP program.
func steering(s *model.PortSettings) bpf.Config {
	if s.Role != model.RoleLink {
		return bpf.Config{}
	}
	return bpf.Config{
		Link: true, EtherTypeData: s.EtherTypeData, EtherTypeControl: s.EtherTypeControl, Native: s.Native,
	}
}

// steersToSocket reports whether the XDP program of a port hands a frame to the port's sockets (bpf/steer.c).
func steersToSocket(s *model.PortSettings, f []byte) bool {
	c := steering(s)
	switch wire.EtherType(f) {
	case wire.EtherTypeLLDP:
		return false
	case c.EtherTypeData, c.EtherTypeControl:
		return true
	}
	return !c.Link || c.Native == attach.NativeSocket
}

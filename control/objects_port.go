package control

import (
	"fmt"
	"net"
	"slices"
	"strings"

	"uelink/dataplane"
	"uelink/dataplane/frame"
)

// Port is a port of the data plane. A counter that is added to one of the structs that count is
// in the API, in the tool and in the metrics by itself: all three show the fields of these structs.
type Port struct {
	Name          string                   `json:"name"`
	Interface     string                   `json:"interface"`
	HostInterface string                   `json:"host_interface"` // edge: the kernel's end of the veth that was made for it; empty: none was
	Address       string                   `json:"address"`        // its addresses, as configured, divided by blanks
	Role          string                   `json:"role"`           // "link", "edge" or "host", whose frames are the kernel's
	OperStatus    string                   `json:"oper_status"`    // OperUp, "down" or "absent"
	MTU           int                      `json:"mtu"`            // of the interface, octets
	Speed         int                      `json:"speed"`          // of the interface, Mb/s; 0: not known
	MAC           string                   `json:"mac"`
	XDPMode       string                   `json:"xdp_mode"`  // "driver" or "generic"; empty: the interface is absent
	BindMode      string                   `json:"bind_mode"` // "copy" or "zerocopy", from XDP_OPTIONS
	Opener        string                   `json:"opener"`
	BindReason    string                   `json:"bind_reason"`         // why in generic mode, and opened so, in words; empty: the settings leave no choice
	Queues        int                      `json:"queues"`              // how many RX queues have a socket
	RxQueues      Numbers                  `json:"rx_queues"`           // their numbers
	TxQueue       int                      `json:"tx_queue"`            // that frames leave by; 0 also while there are no sockets
	NoSocket      Numbers                  `json:"rx_queues_no_socket"` // RX queues by which frames come that find no socket (rx_no_socket)
	RingSize      int                      `json:"ring_size"`           // entries of the TX ring
	RxRingSize    int                      `json:"rx_ring_size"`        // entries of the RX ring of each queue
	ChunkSize     int                      `json:"chunk_size"`          // 0: the MTU decides, and the interface is absent
	Worker        int                      `json:"worker"`
	XConnect      string                   `json:"xconnect,omitempty"` // the port at the other side
	Bridge        string                   `json:"bridge,omitempty"`   // that the port belongs to
	QueuedFrames  int                      `json:"queued_frames"`      // that wait to leave by it
	Dropping      bool                     `json:"dropping"`           // frames are dropped for want of room, within the last second
	StandsStill   bool                     `json:"stands_still"`       // edge: it has had no room for frames for a while
	ErrorStatus   []string                 `json:"error_status"`       // SAI_PORT_ERROR_STATUS since it was cleared
	ErrorText     string                   `json:"error_text"`         // what happened, in words; empty if nothing did
	Fault         string                   `json:"fault"`              // what is wrong with the interface now, in words; empty if nothing is
	Notice        string                   `json:"notice"`             // what was noticed last on the interface and done about it, after the time of day
	RxDropped     uint64                   `json:"rx_dropped"`         // frames that came to the port and went no further, for whatever reason
	TxDropped     uint64                   `json:"tx_dropped"`         // frames that were to leave by it and did not
	Counters      dataplane.PortCounters   `json:"counters"`
	Device        dataplane.DeviceCounters `json:"device"`      // the kernel's, outside of the sockets
	Socket        frame.Stats              `json:"socket"`      // the kernel's, summed over the RX queues
	QueueStats    []Queue                  `json:"queue_stats"` // of the queues that have counted something, hold frames, or have a bound
	LLR           *LLR                     `json:"llr,omitempty"`
	PFC           *PFC                     `json:"pfc,omitempty"`
	CBFC          *CBFC                    `json:"cbfc,omitempty"`
}

// Queue is a queue of what leaves by a port.
type Queue struct {
	Queue        int `json:"queue"`            // virtual channel of a link, 0 to 31; queue of an edge, 0 to 7
	QueuedFrames int `json:"queued_frames"`    // that wait now
	Occupancy    int `json:"occupancy_octets"` // of these frames
	Watermark    int `json:"watermark_octets"` // the most that they have been
	QueueOctets  int `json:"queue_octets"`     // the most that may wait; 0: no bound but the room of the ingresses
	dataplane.QueueCounters
}

// OperUp is the oper_status of an interface that carries frames.
const OperUp = string(dataplane.OperUp)

// NewPort is the object of a port.
func NewPort(s dataplane.PortState) Port {
	p := Port{
		Name: s.Name, Interface: s.Interface, Role: s.Role.String(), OperStatus: string(s.OperStatus),
		MTU: s.MTU, Speed: s.Speed, MAC: net.HardwareAddr(s.MAC[:]).String(), Queues: s.Queues, RingSize: s.RingSize,
		RxRingSize: s.RxRingSize, ChunkSize: s.ChunkSize,
		Worker: s.Worker, XConnect: s.XConnect, Bridge: s.Bridge, QueuedFrames: s.QueuedFrames, StandsStill: s.StandsStill,
		Dropping:    s.Dropping,
		ErrorStatus: []string{}, ErrorText: s.ErrorText, Fault: s.Fault, Notice: s.Notice, Counters: s.Counters, Device: s.Device,
		RxQueues: Numbers{}, NoSocket: Numbers{}, QueueStats: []Queue{}, LLR: newLLR(s.LLR), PFC: newPortPFC(s.PFC),
		CBFC: newCBFC(s.CBFC, s.Credits),
	}
	p.RxDropped, p.TxDropped = s.Dropped()
	if s.Host != nil {
		p.HostInterface = s.Host.Name
		p.Address = strings.Trim(fmt.Sprint(s.Host.Addresses), "[]")
	}
	for _, e := range s.ErrorStatus {
		p.ErrorStatus = append(p.ErrorStatus, string(e))
	}
	for _, q := range s.QueueStats {
		p.QueueStats = append(p.QueueStats, Queue{q.Queue, q.QueuedFrames, q.Occupancy, q.Watermark, q.Bound, q.Counters})
	}
	if s.Sockets != nil {
		p.setSockets(s.Sockets)
	}
	return p
}

// setSockets tells of the XDP program and the AF_XDP sockets.
func (p *Port) setSockets(s *dataplane.SocketState) {
	p.XDPMode, p.BindMode, p.Opener = s.XDPMode.String(), s.BindMode.String(), s.Opener.String()
	p.BindReason, p.Socket = s.Reason, s.Stats
	p.RxQueues, p.TxQueue = append(p.RxQueues, s.RxQueues...), s.TxQueue
	p.NoSocket = append(p.NoSocket, s.NoSocket...)
}

// newPorts are the objects of ports, by name.
func newPorts(states []dataplane.PortState) []Port {
	ports := []Port{}
	for _, s := range states {
		ports = append(ports, NewPort(s))
	}
	return byName(ports)
}

// byName sorts ports by their names.
func byName(ports []Port) []Port {
	slices.SortFunc(ports, func(a, b Port) int { return strings.Compare(a.Name, b.Name) })
	return ports
}

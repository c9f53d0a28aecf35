package api

import (
	"fmt"
	"net"
	"slices"
	"strings"

	"uelink/dataplane/frame"
	"uelink/dataplane/model"
)

// Port is a port. API, tool and metrics show all fields of its counters, so a counter that is added to one of these
// structs is in all three.
type Port struct {
	Name      string `json:"name"`      // name of the port
	Interface string `json:"interface"` // network interface of the port
	// edge: the kernel's end of the veth made for the port; empty: no veth was made
	HostInterface string `json:"host_interface"`
	// addresses configured for host_interface, divided by blanks
	Address string `json:"address"`
	// "link", "edge", or "host" for a port whose frames stay the kernel's
	Role string `json:"role"`
	// link: protocol that the two ends speak, "llr" or "hippi6400"; empty: no link
	Protocol   string `json:"protocol"`
	OperStatus string `json:"oper_status"` // state of the interface: "up", "down" or "absent"
	// administrative state of the interface (ip link set up), whatever its carrier: "up" or "down"; empty: not known
	AdminStatus string `json:"admin_status"`
	MTU         int    `json:"mtu" unit:"octets"` // MTU of the interface, octets
	// link: largest MTU of an edge whose frames the interface carries with their shim; 0: absent
	CarriedMTU int    `json:"carried_mtu" unit:"octets"`
	Speed      int    `json:"speed" unit:"Mb/s"` // speed of the interface, Mb/s; 0: not known
	MAC        string `json:"mac"`               // address of the interface
	// mode of the XDP program: "driver" or "generic"; empty: the interface is absent
	XDPMode string `json:"xdp_mode"`
	// mode of the AF_XDP sockets: "copy" or "zerocopy", from XDP_OPTIONS
	BindMode string `json:"bind_mode"`
	Opener   string `json:"opener"` // library that opened the sockets
	// reason for generic mode and for this opener, in words; empty: the settings leave no choice
	BindReason string  `json:"bind_reason"`
	Queues     int     `json:"queues"`    // RX queues with a socket
	RxQueues   Numbers `json:"rx_queues"` // numbers of the RX queues with a socket
	// number of the TX queue that frames leave by; 0 also while there are no sockets
	TxQueue int    `json:"tx_queue"`
	TxPath  string `json:"tx_path"` // way by which large batches of frames leave: "af_xdp" or "live"
	// reason why no frames leave live, in words; empty: they do
	TxPathReason string `json:"tx_path_reason"`
	// edge: whether frames wait with the host until there is room for them: "on", "off", or "lossy" where that does not
	// work and the kernel drops frames without room; empty: a link, or an absent interface
	PushBack string `json:"push_back"`
	// reason for "off" or "lossy", in words
	PushBackReason string `json:"push_back_reason"`
	// edge: whether the edge exchanges super-frames with its host: "on", "off", or "failed" where that is configured and
	// does not work; empty: a link, or an absent interface
	Offload string `json:"offload"`
	// reason for "failed", or for an "off" that differs from the configuration, in words
	OffloadReason string `json:"offload_reason"`
	// edge that pushes back: frames that wait in the queueing discipline of the host's end of the veth
	HostQueued int `json:"host_queued"`
	// numbers of the RX queues without a socket by which frames come (rx_no_socket)
	NoSocket   Numbers `json:"rx_queues_no_socket"`
	RingSize   int     `json:"ring_size"`    // entries of the TX ring
	RxRingSize int     `json:"rx_ring_size"` // entries of the RX ring of each queue
	// octets of a chunk of memory; 0: the MTU decides, and the interface is absent
	ChunkSize    int    `json:"chunk_size" unit:"octets"`
	Worker       int    `json:"worker"`             // number of the worker that serves the port
	XConnect     string `json:"xconnect,omitempty"` // port at the other side of the xconnect
	Bridge       string `json:"bridge,omitempty"`   // bridge of the port
	QueuedFrames int    `json:"queued_frames"`      // frames that wait to leave by the port
	// frames were dropped for want of room within the last second
	Dropping bool `json:"dropping"`
	// edge: the port has had no room for frames for a while
	StandsStill bool `json:"stands_still"`
	// edge: the host sent frames with unfinished checksums within the last 10 s, which the daemon finished
	Finishes bool `json:"finishes_checksums"`
	// edge: IPv4 addresses for which its own host asks by ARP, and nobody answers; none if host_interface is in another
	// network namespace
	Unanswered []string `json:"unanswered"`
	// SAI_PORT_ERROR_STATUS since the counters were cleared
	ErrorStatus []string `json:"error_status"`
	ErrorText   string   `json:"error_text"` // the error in words; empty: no error
	Fault       string   `json:"fault"`      // problems of the port now, in words; empty: none
	// problems of fault as words for programs, such as "link_loss"
	FaultReasons []string `json:"fault_reasons"`
	// reason for which the configured capture has ended at its limit, in words; empty: the capture has not ended
	CaptureEnded string `json:"capture_ended"`
	// last notice about the interface and the action taken, with the time of day in front
	Notice string `json:"notice"`
	// frames received by the port and dropped, for any reason
	RxDropped uint64 `json:"rx_dropped"`
	// frames that were to leave by the port and were dropped, for any reason
	TxDropped uint64             `json:"tx_dropped"`
	Counters  model.PortCounters `json:"counters"`
	// frames dropped by the kernel outside of the sockets
	Device model.DeviceCounters `json:"device"`
	// counts of the kernel, summed over the sockets of all RX queues
	Socket frame.Stats `json:"socket"`
	// egress queues that have counted something, hold frames, or have a bound
	QueueStats []Queue `json:"queue_stats"`
	// link: the problem between the two ends (partner_problem) as a word for programs; empty: none
	PartnerProblemReason string `json:"partner_problem_reason"`
	// link: command to type at this end against the problem; empty: the other end acts, or the cause is not known
	PartnerProblemCommand string `json:"partner_problem_command"`
	// labels of the port; absent: the port has no labels
	Labels *model.Labels `json:"labels,omitempty"`
	LLR    *LLR          `json:"llr,omitempty"`
	HIPPI  *HIPPI        `json:"hippi,omitempty"`
	PFC    *PFC          `json:"pfc,omitempty"`
	CBFC   *CBFC         `json:"cbfc,omitempty"`
}

// Queue is an egress queue of a port.
type Queue = model.QueueState

// Worker is a worker: a thread that moves the frames of ports.
type Worker = model.WorkerState

// OperUp is the oper_status of an interface that carries frames.
const OperUp = string(model.OperUp)

// NewPort returns the JSON object of a port.
func NewPort(s model.PortState) Port {
	p := Port{
		Name: s.Name, Interface: s.Interface, Role: s.Role.String(), OperStatus: string(s.OperStatus), AdminStatus: string(s.Admin),
		MTU: s.MTU, CarriedMTU: s.CarriedMTU, Speed: s.Speed, MAC: net.HardwareAddr(s.MAC[:]).String(), Queues: s.Queues, RingSize: s.RingSize,
		RxRingSize: s.RxRingSize, ChunkSize: s.ChunkSize,
		Worker: s.Worker, XConnect: s.XConnect, Bridge: s.Bridge, QueuedFrames: s.QueuedFrames, StandsStill: s.StandsStill,
		Dropping: s.Dropping, Finishes: s.Finishes, Unanswered: append([]string{}, s.Unanswered...),
		ErrorStatus: []string{}, ErrorText: s.ErrorText, Fault: s.Fault, Notice: s.Notice, Counters: s.Counters,
		CaptureEnded: s.CaptureEnded,
		FaultReasons: append([]string{}, s.FaultReasons...),
		Device:       s.Device, RxQueues: Numbers{}, NoSocket: Numbers{}, QueueStats: append([]Queue{}, s.QueueStats...),
		PartnerProblemReason: s.PartnerProblemReason, PartnerProblemCommand: s.PartnerProblemCommand, LLR: s.LLR, HIPPI: s.HIPPI, PFC: newPortPFC(s.PFC), CBFC: newCBFC(s.CBFC, s.Credits),
	}
	if s.Role == model.RoleLink {
		p.Protocol = s.Protocol.String()
	}
	p.RxDropped, p.TxDropped = s.Dropped()
	if s.Host != nil {
		p.HostInterface = s.Host.Name
		p.Address = strings.Trim(fmt.Sprint(s.Host.Addresses), "[]")
	}
	for _, e := range s.ErrorStatus {
		p.ErrorStatus = append(p.ErrorStatus, string(e))
	}
	if s.Sockets != nil {
		p.setSockets(s.Sockets)
	}
	return p
}

// setSockets copies the state of the XDP program and the AF_XDP sockets into the JSON object of a port.
func (p *Port) setSockets(s *model.SocketState) {
	p.XDPMode, p.BindMode, p.Opener = s.XDPMode.String(), s.BindMode.String(), s.Opener.String()
	p.BindReason, p.Socket = s.Reason, s.Stats
	p.RxQueues, p.TxQueue = append(p.RxQueues, s.RxQueues...), s.TxQueue
	p.TxPath, p.TxPathReason = s.TxPath.String(), s.TxWhy
	p.PushBack, p.PushBackReason, p.HostQueued = string(s.Push), s.PushWhy, s.HostWait
	p.Offload, p.OffloadReason = string(s.Super), s.SuperWhy
	p.NoSocket = append(p.NoSocket, s.NoSocket...)
}

// NewPorts returns the JSON objects of ports, sorted by name.
func NewPorts(states []model.PortState) []Port {
	ports := []Port{}
	for _, s := range states {
		ports = append(ports, NewPort(s))
	}
	return byName(ports)
}

// byName sorts ports in place by their names, and returns the list.
func byName(ports []Port) []Port {
	slices.SortFunc(ports, func(a, b Port) int { return strings.Compare(a.Name, b.Name) })
	return ports
}

package api

import (
	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/dataplane/trim"
)

// QoS has the maps and the scheduler of a port that are in force.
type QoS struct {
	Port     string `json:"port"`
	Role     string `json:"role"`
	Trust    string `json:"trust"`                     // field of a frame that decides: "none", "dot1p", "dscp" or "uet"
	Dot1pDEI []int  `json:"dot1p_dei_to_tc,omitempty"` // traffic class by PCP << 1 | DEI
	DSCP     []int  `json:"dscp_to_tc,omitempty"`      // traffic class by DSCP
	UET      *UET   `json:"uet,omitempty"`             // maps of UET packets, with trust "uet"
	VC       []int  `json:"tc_to_vc,omitempty"`        // link: virtual channel by traffic class
	Queue    []int  `json:"tc_to_queue,omitempty"`     // edge: queue by traffic class

	Schedulers []QueueScheduler `json:"schedulers"`
	Rate       uint64           `json:"rate"`  // rate limit of the port, bits in a second; 0: none
	Burst      uint32           `json:"burst"` // burst of the rate limit, octets
}

// UET maps kinds of UET packets to traffic classes.
type UET struct {
	TC         []UETClass `json:"uet_to_tc"`     // traffic class by kind of packet; other kinds go by their DSCP
	UDPPort    uint16     `json:"udp_port"`      // number of the UDP port of UET
	IPProtocol uint8      `json:"ip_protocol"`   // number of the IP protocol of UET without UDP
	Trimmed    []int      `json:"trimmed_dscps"` // DSCPs of trimmed packets
}

// UETClass is the traffic class of a kind of UET packet.
type UETClass struct {
	Kind string `json:"kind"` // kind of packet: "request", "acknowledgement", "control" or "trimmed"
	TC   int    `json:"tc"`   // traffic class, 0 to 7
}

// newUET returns the JSON object of the UET part of a QoS map: the traffic class of each kind of packet.
func newUET(m *qos.Map) *UET {
	u := &UET{TC: []UETClass{}, UDPPort: m.Classifier.Port, IPProtocol: m.Classifier.Protocol,
		Trimmed: trim.DSCPs(m.Classifier.Trimmed).List()}
	for kind, class := range m.UET {
		if class != qos.ByDSCP {
			u.TC = append(u.TC, UETClass{qos.UETKind(kind).String(), int(class)})
		}
	}
	return u
}

// QueueScheduler is the scheduler of a queue.
type QueueScheduler struct {
	Queue  int `json:"queue"`  // virtual channel of a link, queue of an edge
	Group  int `json:"group"`  // priority group; a group is served when higher groups have nothing to send
	Weight int `json:"weight"` // weight within the group
}

// NewQoS returns the JSON object of the QoS maps of a port.
func NewQoS(s model.PortState) QoS {
	m := &s.QoS
	q := QoS{
		Port: s.Name, Role: s.Role.String(), Trust: m.Trust.String(), Schedulers: []QueueScheduler{},
		Rate: s.Scheduler.Rate, Burst: s.Scheduler.Burst,
	}
	q.setClassMaps(m)
	queues := qos.EdgeQueues
	if s.Role == model.RoleLink {
		q.VC, queues = integers(m.Queue[:]), s.VCs
	} else {
		q.Queue = integers(m.Queue[:])
	}
	for i, queue := range s.Scheduler.Queues[:queues] {
		q.Schedulers = append(q.Schedulers, QueueScheduler{i, int(queue.Group), max(1, int(queue.Weight))})
	}
	return q
}

// setClassMaps copies the maps to traffic classes that the port's trust mode uses into the JSON object.
func (q *QoS) setClassMaps(m *qos.Map) {
	if m.Trust != qos.TrustNone {
		q.Dot1pDEI = integers(m.Dot1pDEI[:])
	}
	if m.Trust >= qos.TrustDSCP {
		q.DSCP = integers(m.DSCP[:])
	}
	if m.Trust >= qos.TrustUET {
		q.UET = newUET(m)
	}
}

func integers(octets []uint8) []int {
	list := make([]int, len(octets))
	for i, n := range octets {
		list[i] = int(n)
	}
	return list
}

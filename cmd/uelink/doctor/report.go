package doctor

// Report is the result for one interface.
type Report struct {
	Facts    *Facts    `json:"facts,omitempty"` // nil: the interface could not be read
	Name     string    `json:"interface"`
	Port     string    `json:"port,omitempty"` // name in the configuration
	Role     string    `json:"role"`
	Get      Get       `json:"get"`
	Changes  []string  `json:"changes"`  // made by uelink at its start, and undone at its end
	Findings []Finding `json:"findings"` // the worst first
}

// newReport returns a report without changes and findings.
func newReport(p Plan) Report {
	return Report{
		Name: p.Port.Interface, Port: p.Port.Name, Role: p.Port.Role.String(),
		Changes: []string{}, Findings: []Finding{},
	}
}

// Get is the XDP mode, sockets, queues and memory that uelink would get on the interface.
type Get struct {
	XDPMode string `json:"xdp_mode"`
	Bind    string `json:"bind_mode"`
	Why     string `json:"bind_reason"`
	TxPath  string `json:"tx_path"`        // way by which large batches of frames leave: "af_xdp" or "live"
	TxWhy   string `json:"tx_path_reason"` // empty where TxPath is "live"
	// edge: whether frames wait with the host until there is room for them: "on", "off" or "lossy"
	PushBack    string `json:"push_back,omitempty"`
	PushBackWhy string `json:"push_back_reason,omitempty"` // empty where PushBack is "on"

	Queues   int   `json:"queues"`     // number of queues with a socket
	RxQueues []int `json:"rx_queues"`  // their numbers
	TxQueue  int   `json:"tx_queue"`   // queue for sent frames
	MTU      int   `json:"mtu"`        // octets
	MaxMTU   int   `json:"mtu_max"`    // largest MTU whose frames the chunks hold, octets
	Chunk    int   `json:"chunk_size"` // octets
	Pieces   int   `json:"chunks"`     // number of chunks for the longest frame
	Memory   int   `json:"memory"`     // memory that the sockets lock, octets, about
}

// Level is the severity of a finding.
type Level uint8

// The levels of findings, the worst first.
const (
	Blocks Level = iota // uelinkd would not start, or somebody loses his network
	Costs               // it works, at a cost
	Note                // good to know
)

// String returns the level's name: blocks (uelink cannot use the interface), costs or note; "?" for any other value.
func (l Level) String() string { return [...]string{"blocks", "costs", "note", "?"}[min(l, Note+1)] }

// MarshalText returns the level's name (blocks, costs, note) as octets. The error is always nil.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// Finding is one problem or note, with its cure.
type Finding struct {
	Level Level  `json:"level"`
	What  string `json:"what"`
	Do    string `json:"do,omitempty"` // a command to type, or a key to set
}

// Blocked reports whether the report has a finding that keeps uelink from using the interface (level Blocks).
func (r *Report) Blocked() bool {
	for _, f := range r.Findings {
		if f.Level == Blocks {
			return true
		}
	}
	return false
}

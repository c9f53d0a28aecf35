package doctor

// Report is what is said of one interface.
type Report struct {
	Facts    *Facts    `json:"facts,omitempty"` // nil: it could not be looked at
	Name     string    `json:"interface"`
	Port     string    `json:"port,omitempty"` // of the configuration
	Role     string    `json:"role"`
	Get      Get       `json:"get"`
	Changes  []string  `json:"changes"`  // that uelink would make, and put back
	Findings []Finding `json:"findings"` // the worst first
}

// newReport is a report that says nothing yet.
func newReport(p Plan) Report {
	return Report{
		Name: p.Port.Interface, Port: p.Port.Name, Role: p.Port.Role.String(), Changes: []string{}, Findings: []Finding{},
	}
}

// Get is what uelink would get on the interface.
type Get struct {
	XDPMode  string `json:"xdp_mode"`
	Bind     string `json:"bind_mode"`
	Why      string `json:"bind_reason"`
	Queues   int    `json:"queues"`     // how many have a socket
	RxQueues []int  `json:"rx_queues"`  // their numbers
	TxQueue  int    `json:"tx_queue"`   // that frames leave by
	MTU      int    `json:"mtu"`        // octets
	MaxMTU   int    `json:"mtu_max"`    // that the chunks hold, octets
	Chunk    int    `json:"chunk_size"` // octets
	Pieces   int    `json:"chunks"`     // of them that a frame may take
	Memory   int    `json:"memory"`     // that would be locked, octets, about
}

// Level is how bad a finding is.
type Level uint8

// The levels.
const (
	Blocks Level = iota // it stands in the way: uelinkd would not start, or somebody loses his network
	Costs               // it works, and costs something
	Note                // good to know
)

// String is the level's word.
func (l Level) String() string { return [...]string{"blocks", "costs", "note", "?"}[min(l, Note+1)] }

// MarshalText is String.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// Finding is one thing that was found.
type Finding struct {
	Level Level  `json:"level"`
	What  string `json:"what"`
	Do    string `json:"do,omitempty"` // what to type, or to set
}

// Blocked tells whether something stands in the way.
func (r *Report) Blocked() bool {
	for _, f := range r.Findings {
		if f.Level == Blocks {
			return true
		}
	}
	return false
}

package guest

import "fmt"

// Task is the host's first line to a guest, after the guest's Ready.
type Task struct {
	Script  string   // key of scripts
	Modules []string // names of the kernel modules to load, in this order
	Driver  string   // name of the NICs' kernel module
	MACs    []string // MAC addresses of the NICs, that of NIC a first
	Link    string   // further keys of the link ports, "key: value, key: value"
	Profile string   // keys of the LLR profile
	Faults  []string // names of faults to apply; nil = all
	// Patience, 1 or more, multiplies the time that frames may need to flow again: a shared machine is slow.
	Patience int
}

// Message is a line from the guest to the host: one of its fields is set.
type Message struct {
	Ready  bool    `json:"ready,omitempty"` // the guest waits for its task; the serial line is raw from now on
	Ask    *Ask    `json:"ask,omitempty"`
	Doctor *Doctor `json:"doctor,omitempty"`
	Bed    *Bed    `json:"bed,omitempty"`
	Cell   *Cell   `json:"cell,omitempty"`
	Done   bool    `json:"done,omitempty"`
	Error  string  `json:"error,omitempty"` // with Done: why the script ended early
	Took   float64 `json:"took,omitempty"`  // with Done: seconds since the start of the kernel
}

// Doctor is the output of `uelink doctor` for an unused NIC.
type Doctor struct {
	Driver string `json:"driver"` // as in ethtool -i
	Text   string `json:"text"`
	JSON   string `json:"json"`
}

// Ask is a guest's request for an action from outside. The host answers with a Reply.
type Ask struct {
	Verb string `json:"verb"` // one of the Ask constants
	NIC  string `json:"nic"`  // a or b
}

// Verbs of Ask.
const (
	AskCableOut = "cable out"
	AskCableIn  = "cable in"
	AskUnplug   = "unplug"
	AskPlug     = "plug"
	AskBadWire  = "bad wire" // replace the clean wire by a lossy one
)

// Reply is the host's answer; empty is success.
type Reply struct {
	Error string `json:"error"`
}

// Bed is the settings of the link, as reported by the daemon in A. Without uelink only Kernel is set.
type Bed struct {
	Kernel   string `json:"kernel"`
	XDPMode  string `json:"xdp_mode"`
	BindMode string `json:"bind_mode"`
	Opener   string `json:"opener"`
	Queues   int    `json:"queues"`
}

// String returns "LLR is up" with the settings, or that datagrams flow without uelink.
func (b Bed) String() string {
	if b.XDPMode == "" {
		return "datagrams flow, without uelink"
	}
	return fmt.Sprintf("LLR is up: %s, %s, %d queues, opener %s", b.XDPMode, b.BindMode, b.Queues, b.Opener)
}

// Outcomes of a fault.
const (
	Clean   = "clean"   // every frame arrived once, in order
	Exempt  = "exempt"  // at most the frames under way were lost, for the reason in Why, and frames flowed again in time
	Refused = "refused" // the driver refused the setting, and every frame came
	Absent  = "absent"  // the device does not have the feature
	Driver  = "driver"  // the driver fails without uelink, too; set by the host
	Failed  = "failed"  // more frames were lost, or one came twice, late or changed, or an action failed
	Hung    = "hung"    // the kernel never returned from the action
	Died    = "died"    // the kernel stopped the machine, or is silent; set by the host
)

// Echo is the result of the hosts' own connections during a step.
type Echo struct {
	Answers uint64  `json:"answers,omitempty"` // requests or datagrams answered
	Lost    uint64  `json:"lost,omitempty"`    // datagrams not answered
	Octets  uint64  `json:"octets,omitempty"`  // octets of a stream, each way
	Stall   float64 `json:"stall"`             // longest wait for an answer, seconds
	Resent
}

// Resent is the number of segments retransmitted by an end of a TCP connection, or by both.
type Resent struct {
	Again    uint64 `json:"again"`    // all retransmitted segments
	Needless uint64 `json:"needless"` // segments that the other end had already (DSACK): late, not lost
}

// Cell is the result of a fault.
type Cell struct {
	Fault      string   `json:"fault"`
	Outcome    string   `json:"outcome"`
	Why        string   `json:"why,omitempty"` // set for every outcome but Clean
	Sent       uint64   `json:"sent"`          // frames sent, both ways together, as are all counts below
	Lost       uint64   `json:"lost"`
	Duplicated uint64   `json:"duplicated"`
	Reordered  uint64   `json:"reordered"`
	Corrupted  uint64   `json:"corrupted"`
	Pause      float64  `json:"pause"`            // longest time without arrivals in a direction, seconds
	Notice     string   `json:"notice,omitempty"` // notice of the daemon in A
	Echo       *Echo    `json:"echo,omitempty"`   // result of the hosts' own connections; nil: there were none
	Log        []string `json:"log,omitempty"`    // last lines of both daemons, after a failure
}

// Bad reports whether the result is a failure: frames did not flow as demanded (Failed), the kernel hung (Hung), or
// the machine died (Died).
func (c *Cell) Bad() bool { return c.Outcome == Failed || c.Outcome == Hung || c.Outcome == Died }

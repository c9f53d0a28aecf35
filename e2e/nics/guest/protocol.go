package guest

import "fmt"

// Task is what the host has a guest do: the first line to it, when it has said that it is ready.
type Task struct {
	Script  string   // of scripts
	Modules []string // to be loaded, in this order
	Driver  string   // module of the NICs
	MACs    []string // of the NICs, a first
	Link    string   // further keys of the link ports, "key: value, key: value"
	Profile string   // keys of the LLR profile
	Faults  []string // names of faults to do; nil = all
	// Patience is how many times as long as on a machine of its own a guest may take to go on; 1 or more.
	Patience int
}

// Message is a line from the guest to the host: one of its fields is set.
type Message struct {
	Ready  bool    `json:"ready,omitempty"` // the line carries octets as they are
	Ask    *Ask    `json:"ask,omitempty"`
	Doctor *Doctor `json:"doctor,omitempty"`
	Bed    *Bed    `json:"bed,omitempty"`
	Cell   *Cell   `json:"cell,omitempty"`
	Done   bool    `json:"done,omitempty"`
	Error  string  `json:"error,omitempty"` // with Done: why the script ended early
	Took   float64 `json:"took,omitempty"`  // with Done: seconds since the kernel was started
}

// Doctor is what `uelink doctor` says of a NIC that nobody uses.
type Doctor struct {
	Driver string `json:"driver"` // as in ethtool -i
	Text   string `json:"text"`
	JSON   string `json:"json"`
}

// Ask is what a guest wants done from outside. The host answers with a Reply.
type Ask struct {
	Verb string `json:"verb"` // of the Ask constants
	NIC  string `json:"nic"`  // a or b
}

// What a guest may ask for.
const (
	AskCableOut = "cable out"
	AskCableIn  = "cable in"
	AskUnplug   = "unplug"
	AskPlug     = "plug"
	AskBadWire  = "bad wire" // in the place of the clean one
)

// Reply is the host's answer; empty is success.
type Reply struct {
	Error string `json:"error"`
}

// Bed is what the link runs with, as the daemon in A tells it. Without uelink only the kernel is told.
type Bed struct {
	Kernel   string `json:"kernel"`
	XDPMode  string `json:"xdp_mode"`
	BindMode string `json:"bind_mode"`
	Opener   string `json:"opener"`
	Queues   int    `json:"queues"`
}

// String says that the frames flow, and how.
func (b Bed) String() string {
	if b.XDPMode == "" {
		return "datagrams flow, without uelink"
	}
	return fmt.Sprintf("LLR is up: %s, %s, %d queues, opener %s", b.XDPMode, b.BindMode, b.Queues, b.Opener)
}

// Outcomes of a fault.
const (
	Clean   = "clean"   // every frame once, in order
	Exempt  = "exempt"  // lost at most what was under way, for a reason that is told; went on in time
	Refused = "refused" // the driver refuses what was to be done, and every frame came
	Absent  = "absent"  // the device has no such thing
	Driver  = "driver"  // the driver does not survive it without uelink either; the host finds that out
	Failed  = "failed"
	Hung    = "hung" // the kernel never comes back from what was done
	Died    = "died" // the kernel has stopped the machine, or says nothing any more; the host finds that out
)

// Echo is what became of the hosts' own connections during a step.
type Echo struct {
	Answers uint64  `json:"answers,omitempty"` // requests or datagrams that were answered
	Lost    uint64  `json:"lost,omitempty"`    // datagrams that were not
	Octets  uint64  `json:"octets,omitempty"`  // of a stream, each way
	Stall   float64 `json:"stall"`             // seconds of the longest wait for an answer
	Resent
}

// Resent is how many segments an end of a TCP connection, or both, have sent again.
type Resent struct {
	Again    uint64 `json:"again"`    // all
	Needless uint64 `json:"needless"` // those that the other end says it had already (DSACK): late, and not lost
}

// Cell is what became of the frames while a fault was done.
type Cell struct {
	Fault      string   `json:"fault"`
	Outcome    string   `json:"outcome"`
	Why        string   `json:"why,omitempty"` // of every outcome but Clean
	Sent       uint64   `json:"sent"`          // both ways, as all that follows
	Lost       uint64   `json:"lost"`
	Duplicated uint64   `json:"duplicated"`
	Reordered  uint64   `json:"reordered"`
	Corrupted  uint64   `json:"corrupted"`
	Pause      float64  `json:"pause"`            // seconds of the longest time in which a direction delivered nothing
	Notice     string   `json:"notice,omitempty"` // what the daemon in A says that it noticed
	Echo       *Echo    `json:"echo,omitempty"`   // of cases in which the hosts have connections
	Log        []string `json:"log,omitempty"`    // last lines of both daemons, of a failure
}

// Bad tells whether something is wrong with the frames or with the machine.
func (c *Cell) Bad() bool { return c.Outcome == Failed || c.Outcome == Hung || c.Outcome == Died }

package api

// Unmet is a feature or setting that the configuration or a command wants, and that is not in force.
type Unmet struct {
	Port string `json:"port"` // port of the feature; empty: the daemon itself
	// the feature, as a word for programs: "llr", "replay", "cbfc", "pfc", "pg", "dcbx", "dcbnl", "push_back", "offload",
	// "offloads", "capture" or "bookmark" of a port, "configuration", "upgrade", "events", "addresses", "records",
	// "starts", "ports" or "restart" of the daemon
	What    string `json:"what"`
	Problem string `json:"problem"` // the feature and the reason, in words
	Command string `json:"type"`    // command that mends the problem, or shows more; empty: none
	At      string `json:"at"`      // place where to type the command, in words; empty is this host
}

// Words of Unmet.What, each for a thing that a port may want, and then those that the daemon itself may want.
const (
	WantedLLR      = "llr"       // LLR in mode dynamic, which LLDP agrees on
	WantedReplay   = "replay"    // selective replay
	WantedCBFC     = "cbfc"      // CBFC in mode dynamic, which LLDP agrees on
	WantedPFC      = "pfc"       // PFC, which DCBX agrees on
	WantedPG       = "pg"        // priority groups, which DCBX agrees on
	WantedDCBX     = "dcbx"      // DCBX with a neighbour that speaks another version of it
	WantedDCBNL    = "dcbnl"     // the outcome of DCBX in the NIC
	WantedPushBack = "push_back" // frames wait with the host of an edge
	WantedOffload  = "offload"   // an edge takes super-frames
	WantedOffloads = "offloads"  // offloads of the interface are off
	WantedCapture  = "capture"   // the capture of all frames goes on
	WantedBookmark = "bookmark"  // the next process finds the state of a link's receiver

	WantedConfiguration = "configuration" // the configuration file is in force
	WantedUpgrade       = "upgrade"       // another program takes over
	WantedEvents        = "events"        // events are kept on disk
	WantedAddresses     = "addresses"     // addresses of hosts' ends of veths are kept on disk
	WantedRecords       = "records"       // changes of interfaces are recorded, to be undone after a kill
	WantedStarts        = "starts"        // starts in a row are counted
	WantedPorts         = "ports"         // ports that the API adds are kept on disk
	WantedRestart       = "restart"       // keys that wait for the next start take effect
)

// WantedOfPort returns the words of Unmet.What for ports.
func WantedOfPort() []string {
	return []string{WantedLLR, WantedReplay, WantedCBFC, WantedPFC, WantedPG, WantedDCBX, WantedDCBNL, WantedPushBack,
		WantedOffload, WantedOffloads, WantedCapture, WantedBookmark}
}

// WantedOfDaemon returns the words of Unmet.What for the daemon itself.
func WantedOfDaemon() []string {
	return []string{WantedConfiguration, WantedUpgrade, WantedEvents, WantedAddresses, WantedRecords, WantedStarts,
		WantedPorts, WantedRestart}
}

package lldp

import "encoding/json"

// Counters are the statistics of an agent, named as in the YANG module of 802.1AB with underscores
// for hyphens. Counters that the module lacks come last.
type Counters struct {
	Tx     TxCounters     `json:"tx_statistics"`
	Rx     RxCounters     `json:"rx_statistics"`
	Remote RemoteCounters `json:"remote_statistics"`
}

// TxCounters count frames sent.
type TxCounters struct {
	TotalFrames       uint64 `json:"total_frames"`        // LLDPDUs sent, shutdown LLDPDUs included
	TotalLengthErrors uint64 `json:"total_length_errors"` // LLDPDUs sent from which TLVs were left out because they did not fit

	Shutdowns uint64 `json:"shutdown_frames"` // shutdown LLDPDUs sent
}

// RxCounters count frames received while the agent received.
type RxCounters struct {
	TotalAgeouts         uint64 `json:"total_ageouts"`          // neighbours removed because their TTL ran out
	TotalDiscardedFrames uint64 `json:"total_discarded_frames"` // LLDPDUs discarded, for any reason
	ErrorFrames          uint64 `json:"error_frames"`           // LLDPDUs received with at least one error
	TotalFrames          uint64 `json:"total_frames"`           // LLDPDUs received, discarded LLDPDUs included
	TotalDiscardedTLVs   uint64 `json:"total_discarded_tlvs"`   // optional TLVs discarded because of an error
	// TLVs of a reserved type, or organizationally specific and known to no provider
	TotalUnrecognizedTLVs uint64 `json:"total_unrecognized_tlvs"`

	Looped   uint64   `json:"looped_frames"` // LLDPDUs received with the chassis id and port id of this agent
	Discards Discards `json:"discards"`      // LLDPDUs discarded, by fault
}

// RemoteCounters count neighbours. An ageout is a deletion too.
type RemoteCounters struct {
	Inserts uint64 `json:"remote_inserts"` // neighbours added
	Deletes uint64 `json:"remote_deletes"` // neighbours removed, for any reason
	Drops   uint64 `json:"remote_drops"`   // LLDPDUs of new neighbours dropped because the table was full
	Ageouts uint64 `json:"remote_ageouts"` // neighbours removed because their TTL ran out
}

// Discards counts discarded LLDPDUs by fault.
type Discards [NumFaults]uint64

// discardNames has the names of the faults in the API.
var discardNames = [NumFaults]string{
	FaultHeader:    "header",
	FaultOrder:     "order",
	FaultRepeated:  "repeated",
	FaultOverrun:   "overrun",
	FaultNoEnd:     "no_end",
	FaultEndLength: "end_length",
	FaultChassisID: "chassis_id",
	FaultPortID:    "port_id",
	FaultTTL:       "ttl",
	FaultOrg:       "org",
}

// ByReason returns the counts of discarded frames by the faults' names, zeros too.
func (d Discards) ByReason() map[string]uint64 {
	m := make(map[string]uint64, NumFaults-1)
	for f := NoFault + 1; f < NumFaults; f++ {
		m[discardNames[f]] = d[f]
	}
	return m
}

// MarshalJSON returns a JSON object with the count of discarded frames for every fault.
func (d Discards) MarshalJSON() ([]byte, error) { return json.Marshal(d.ByReason()) }

// UnmarshalJSON reads the object of MarshalJSON and ignores unknown names.
func (d *Discards) UnmarshalJSON(b []byte) error {
	var m map[string]uint64
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	for f := NoFault + 1; f < NumFaults; f++ {
		d[f] = m[discardNames[f]]
	}
	return nil
}

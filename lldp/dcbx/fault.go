package dcbx

import "fmt"

// Fault is the reason why a received DCBX TLV is unusable as a whole. The TLV is discarded: nothing
// is acknowledged and every machine keeps its state.
type Fault uint8

// The faults.
const (
	FaultTruncated      Fault = iota + 1 // a sub-TLV is longer than the rest of the TLV
	FaultShort                           // a sub-TLV is shorter than its format
	FaultTooLong                         // the payload does not fit into an LLDP TLV
	FaultControlMissing                  // the TLV has no control sub-TLV
	FaultSeveral                         // one LLDPDU holds several DCBX TLVs
)

// Error returns the fault of a DCBX TLV in words.
func (f Fault) Error() string {
	switch f {
	case FaultTruncated:
		return "sub-TLV is longer than what is left of the DCBX TLV"
	case FaultShort:
		return "sub-TLV is shorter than its format"
	case FaultTooLong:
		return "DCBX TLV is longer than an LLDP TLV can be"
	case FaultControlMissing:
		return "DCBX TLV has no control sub-TLV"
	case FaultSeveral:
		return "several DCBX TLVs in one LLDPDU"
	}
	return fmt.Sprintf("fault %d", uint8(f))
}

// DecodeError is a Fault with its position. errors.Is finds the Fault in a DecodeError.
type DecodeError struct {
	Fault  Fault
	Type   uint8 // type of the sub-TLV, 0 for a fault of the whole TLV
	Offset int   // offset of the sub-TLV in the payload
}

// decodePrefix is the prefix of a DecodeError's text.
const decodePrefix = "decode DCBX TLV: "

// Error returns the fault and its position in the payload in words.
func (e *DecodeError) Error() string {
	if e.Type == 0 {
		return fmt.Sprintf("%soffset %d: %s", decodePrefix, e.Offset, e.Fault.Error())
	}
	return fmt.Sprintf("%soffset %d, sub-TLV type %d: %s", decodePrefix, e.Offset, e.Type, e.Fault.Error())
}

// Unwrap returns the Fault that decoding has found, for errors.Is and errors.As.
func (e *DecodeError) Unwrap() error { return e.Fault }

// Counters count a port's received TLVs and sent changes since NewPort.
type Counters struct {
	RxTLVs uint64 `json:"rx_tlvs"` // usable DCBX TLVs
	// TLVs discarded because a sub-TLV is longer than the rest of the TLV
	RxTruncated      uint64 `json:"rx_truncated"`
	RxShort          uint64 `json:"rx_short"`           // TLVs discarded because a sub-TLV is shorter than its format
	RxTooLong        uint64 `json:"rx_too_long"`        // TLVs discarded because they do not fit into an LLDP TLV
	RxControlMissing uint64 `json:"rx_control_missing"` // TLVs discarded because they have no control sub-TLV
	// LLDPDUs whose DCBX TLVs were discarded because there was more than one
	RxSeveral          uint64 `json:"rx_several"`
	RxDuplicateControl uint64 `json:"rx_duplicate_control"` // TLVs with more than one control sub-TLV
	// features present more than once in a TLV, counted once per TLV
	RxDuplicateFeature uint64 `json:"rx_duplicate_feature"`
	RxUnknownSubTLVs   uint64 `json:"rx_unknown_sub_tlvs"` // skipped sub-TLVs
	// changes of this port's TLV that were sent (somethingChangedLocal)
	TxChanges uint64 `json:"tx_changes"`
}

// discard counts an unusable DCBX TLV by its fault.
func (c *Counters) discard(f Fault) {
	switch f {
	case FaultTruncated:
		c.RxTruncated++
	case FaultShort:
		c.RxShort++
	case FaultTooLong:
		c.RxTooLong++
	case FaultControlMissing:
		c.RxControlMissing++
	case FaultSeveral:
		c.RxSeveral++
	}
}

// accept counts a usable DCBX TLV, its duplicates and its unknown sub-TLVs.
func (c *Counters) accept(m *Message) {
	c.RxTLVs++
	c.RxUnknownSubTLVs += uint64(len(m.Unknown))
	if m.ControlDuplicate {
		c.RxDuplicateControl++
	}
	for _, duplicate := range []bool{m.PG.Duplicate, m.PFC.Duplicate, m.App.Duplicate} {
		if duplicate {
			c.RxDuplicateFeature++
		}
	}
}

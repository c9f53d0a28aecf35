package ieee

import (
	"encoding/binary"
	"slices"
)

// appEntryLen is the number of octets of an entry in the Application Priority TLV.
const appEntryLen = 3

// MaxAppEntries is the number of entries that fit into an Application Priority TLV.
const MaxAppEntries = (511 - 4 - 1) / appEntryLen

// Selectors of the protocol of an AppEntry. Numbers 0, 6 and 7 are reserved.
const (
	SelectorEtherType = 1
	SelectorTCP       = 2 // a port of TCP or SCTP
	SelectorUDP       = 3 // a port of UDP or DCCP
	SelectorPort      = 4 // a port of TCP, SCTP, UDP or DCCP
	SelectorDSCP      = 5
)

// AppEntry maps one protocol to a priority.
type AppEntry struct {
	Priority uint8  `json:"priority"` // number of the priority, 0 to 7
	Selector uint8  `json:"selector"` // 1 EtherType, 2 TCP or SCTP, 3 UDP or DCCP, 4 port of any of these, 5 DSCP
	Protocol uint16 `json:"protocol"` // EtherType, port number or DSCP
}

// same reports whether two entries are about the same protocol.
func (e AppEntry) same(other AppEntry) bool {
	return e.Selector == other.Selector && e.Protocol == other.Protocol
}

// DefaultProtocol is the protocol of an entry with SelectorEtherType that stands for all frames without another entry.
const DefaultProtocol = 0

// Classification is the part of an Application Priority table that classifies the frames of a port.
type Classification struct {
	Listed   uint64    // DSCPs with an entry: bit n is DSCP n
	Priority [64]uint8 // priority of each listed DSCP
	Default  uint8     // priority of all other frames; 0 without an entry
	Any      bool      // a DSCP or the default has an entry
}

// Classify returns the part of a table that classifies frames: its entries for DSCPs, and the default priority. Of
// several entries for a protocol the first counts.
// Clauses: 802.1Qaz/app.2.
func Classify(entries []AppEntry) (c Classification) {
	for _, e := range slices.Backward(entries) {
		switch {
		case e.Selector == SelectorDSCP && e.Protocol < uint16(len(c.Priority)):
			c.Listed |= 1 << e.Protocol
			c.Priority[e.Protocol] = e.Priority
		case e.Selector == SelectorEtherType && e.Protocol == DefaultProtocol:
			c.Default = e.Priority
		default:
			continue
		}
		c.Any = true
	}
	return c
}

// appendApp appends the payload of an Application Priority TLV.
// Clauses: 802.1Qaz/octets.1.
func appendApp(b []byte, entries []AppEntry) []byte {
	b = append(b, 0)
	for _, e := range entries {
		b = binary.BigEndian.AppendUint16(append(b, e.Priority<<5|e.Selector&7), e.Protocol)
	}
	return b
}

// decodeApp reads the entries of an Application Priority TLV, of at least one octet. A part of an entry at the end is
// dropped.
func decodeApp(b []byte) (entries []AppEntry) {
	for b = b[1:]; len(b) >= appEntryLen; b = b[appEntryLen:] {
		entries = append(entries, AppEntry{Priority: b[0] >> 5, Selector: b[0] & 7, Protocol: binary.BigEndian.Uint16(b[1:])})
	}
	return entries
}

// merged returns an end's own entries, and the entries of the peer for protocols that have no own entry.
// Clauses: 802.1Qaz/app.1.
func merged(own, peer []AppEntry) []AppEntry {
	all := append([]AppEntry{}, own...)
	for _, e := range peer {
		if !slices.ContainsFunc(own, e.same) {
			all = append(all, e)
		}
	}
	return all
}

package api

import (
	"time"

	"uelink/lldp"
	"uelink/lldp/agent"
)

// Objects of LLDP. A list is an array also when it is empty, and every key is always there. Texts of neighbours are
// made safe to show (lldp.Text); Octets has the original. Times are in seconds.

// LLDPID is a chassis id or port id.
type LLDPID struct {
	Type  string `json:"type"` // "mac", "ifname", …
	Value string `json:"value"`
}

// LLDPCapability is a capability of a system.
type LLDPCapability struct {
	Type    string `json:"type"`
	Enabled bool   `json:"enabled"`
}

// LLDPManagement is a management address.
type LLDPManagement struct {
	Address            string `json:"address"`
	Kind               string `json:"kind"`                // kind of address: "ipv4", "ipv6", "mac", "dns" or "family N"
	Family             uint8  `json:"family"`              // number of the address family at IANA: 1 IPv4, 2 IPv6
	InterfaceNumbering uint8  `json:"interface_numbering"` // number space of interface: 1 unknown, 2 ifIndex, 3 port number
	Interface          uint32 `json:"interface"`           // number of the interface
	OID                string `json:"oid"`                 // octets, hexadecimal
}

// LLDPOrgTLV is an organizationally specific TLV. Recognized TLVs are used by this daemon and shown in other objects,
// too. A TLV of IEEE 802.1 or 802.3 that is only shown has a name and a text; both are empty for other TLVs.
type LLDPOrgTLV struct {
	OUI        string `json:"oui"`     // such as "00:1b:21"
	Subtype    uint8  `json:"subtype"` // number of the TLV within the OUI
	Recognized bool   `json:"recognized"`
	Octets     string `json:"octets"` // octets after the subtype, hexadecimal
	Name       string `json:"name"`   // name of the TLV, such as "MFS"
	Text       string `json:"text"`   // value of the TLV, in words
}

// LLDPUnknownTLV is a TLV of a reserved type.
type LLDPUnknownTLV struct {
	Type   uint8  `json:"type"`   // number of the type, 9 to 126
	Octets string `json:"octets"` // octets, hexadecimal
}

// LLDPDescription describes the sender of an LLDPDU.
type LLDPDescription struct {
	Chassis           LLDPID           `json:"chassis_id"`
	PortID            LLDPID           `json:"port_id"`
	TTL               uint16           `json:"ttl"` // seconds for which the LLDPDU is valid
	PortDescription   string           `json:"port_description"`
	SystemName        string           `json:"system_name"`
	SystemDescription string           `json:"system_description"`
	Capabilities      []LLDPCapability `json:"capabilities"`
	Management        []LLDPManagement `json:"management_addresses"`
}

// LLDPNeighbor is a neighbour on a port.
type LLDPNeighbor struct {
	Port        string `json:"port"`
	Interface   string `json:"interface"`
	Destination string `json:"destination"`
	Source      string `json:"source"`     // source address of the latest frame
	Age         int64  `json:"age"`        // seconds since the first LLDPDU
	Changed     int64  `json:"changed"`    // seconds since the latest change
	Heard       int64  `json:"heard"`      // seconds since the latest LLDPDU
	ExpiresIn   int64  `json:"expires_in"` // seconds until the neighbour ages out
	LLDPDescription
	UE          UEAdvertisement  `json:"ue"`
	DCBX        []DCBXTLV        `json:"dcbx"`
	OrgTLVs     []LLDPOrgTLV     `json:"org_tlvs"`
	UnknownTLVs []LLDPUnknownTLV `json:"unknown_tlvs"`
	Octets      string           `json:"octets"` // octets of the LLDPDU, hexadecimal
}

// LLDPInterface is an agent: a port and a destination address.
type LLDPInterface struct {
	Port        string `json:"port"`
	Interface   string `json:"interface"`
	Destination string `json:"destination"`
	Status      string `json:"status"` // state of the interface: "up", "down" or "absent"
	Mode        string `json:"mode"`
	LLDPDescription
	TxState          string `json:"tx_state"`
	RxState          string `json:"rx_state"`
	TxInterval       int    `json:"tx_interval"`        // seconds between two LLDPDUs without a change
	TxHold           int    `json:"tx_hold"`            // number of intervals for which an LLDPDU is valid
	Neighbors        int    `json:"neighbors"`          // number of neighbours that the agent knows
	TooManyNeighbors bool   `json:"too_many_neighbors"` // neighbours were dropped for want of room not long ago
	Loop             bool   `json:"loop"`               // the agent receives frames with its own chassis id and port id
	// another LLDP agent of this host that sends on the interface; empty: none was seen
	OtherAgent string   `json:"other_agent"`
	Trouble    string   `json:"trouble"` // reason why the interface cannot be used, in words
	UE         UEResult `json:"ue"`      // UE negotiation of the nearest bridge agent
	// problems of the DCBX exchange with the neighbour, and notes; only of the nearest bridge agent
	DCBX []agent.Finding `json:"dcbx"`
}

// LLDPStatistics has the counters of an agent. Its counters of the socket are those of the port.
type LLDPStatistics struct {
	Port        string     `json:"port"`
	Interface   string     `json:"interface"`
	Destination string     `json:"destination"`
	LastChange  *time.Time `json:"last_change_time"` // time of the latest change of the neighbours; null: never
	lldp.Counters
	// LLDP frames of the port dropped because they came faster than they were read
	SocketDrops uint64 `json:"socket_drops"`
	SendErrors  uint64 `json:"send_errors"` // LLDP frames that the kernel refused to send
	// received UE TLVs that were of no use: too short, repeated, or with values out of range; nearest-bridge only
	FaultyUETLVs     uint64 `json:"faulty_ue_tlvs"`
	EventsSuppressed uint64 `json:"events_suppressed"` // events of LLDP suppressed because there were too many
}

// LLDPChassis has the LLDP data of the local station.
type LLDPChassis struct {
	ID                LLDPID           `json:"chassis_id"`
	SystemName        string           `json:"system_name"`
	SystemDescription string           `json:"system_description"`
	Capabilities      []LLDPCapability `json:"capabilities"`
	Management        []LLDPManagement `json:"management_addresses"`
}

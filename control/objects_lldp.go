package control

import (
	"time"

	"uelink/lldp"
)

// The objects of LLDP. A list is an array also when it is empty, and every
// key is always there. Texts of neighbours are made safe to show (lldp.Text); what
// they were to the octet is in Octets. Times are seconds.

// LLDPID is a chassis id or port id.
type LLDPID struct {
	Type  string `json:"type"` // "mac", "ifname", …
	Value string `json:"value"`
}

// LLDPCapability is one of a system.
type LLDPCapability struct {
	Type    string `json:"type"`
	Enabled bool   `json:"enabled"`
}

// LLDPManagement is a management address.
type LLDPManagement struct {
	Address            string `json:"address"`
	Kind               string `json:"kind"`   // "ipv4", "ipv6", "mac", "dns" or "family N"
	Family             uint8  `json:"family"` // of IANA: 1 IPv4, 2 IPv6
	InterfaceNumbering uint8  `json:"interface_numbering"`
	Interface          uint32 `json:"interface"`
	OID                string `json:"oid"` // octets, hexadecimal
}

// LLDPOrgTLV is an organizationally specific TLV. Recognized says that this daemon works
// with it; then it is shown elsewhere too. Those of IEEE 802.1 and 802.3 that are only shown
// have a name and a text; both are empty for others.
type LLDPOrgTLV struct {
	OUI        string `json:"oui"` // "00:1b:21"
	Subtype    uint8  `json:"subtype"`
	Recognized bool   `json:"recognized"`
	Octets     string `json:"octets"` // after the subtype, hexadecimal
	Name       string `json:"name"`   // such as "MFS"
	Text       string `json:"text"`   // what it says, in words
}

// LLDPUnknownTLV is a TLV of a reserved type.
type LLDPUnknownTLV struct {
	Type   uint8  `json:"type"`
	Octets string `json:"octets"` // hexadecimal
}

// LLDPDescription is what an LLDPDU says of its sender.
type LLDPDescription struct {
	Chassis           LLDPID           `json:"chassis_id"`
	PortID            LLDPID           `json:"port_id"`
	TTL               uint16           `json:"ttl"`
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
	Source      string `json:"source"` // of its latest frame
	Age         int64  `json:"age"`    // since its first LLDPDU
	Changed     int64  `json:"changed"`
	Heard       int64  `json:"heard"`
	ExpiresIn   int64  `json:"expires_in"`
	LLDPDescription
	UE          UEAdvertisement  `json:"ue"`
	DCBX        []DCBXTLV        `json:"dcbx"`
	OrgTLVs     []LLDPOrgTLV     `json:"org_tlvs"`
	UnknownTLVs []LLDPUnknownTLV `json:"unknown_tlvs"`
	Octets      string           `json:"octets"` // the LLDPDU, hexadecimal
}

// LLDPInterface is an agent: a port and a destination address.
type LLDPInterface struct {
	Port        string `json:"port"`
	Interface   string `json:"interface"`
	Destination string `json:"destination"`
	Status      string `json:"status"` // "up", "down" or "absent"
	Mode        string `json:"mode"`
	LLDPDescription
	TxState          string   `json:"tx_state"`
	RxState          string   `json:"rx_state"`
	TxInterval       int      `json:"tx_interval"`
	TxHold           int      `json:"tx_hold"`
	Neighbors        int      `json:"neighbors"`
	TooManyNeighbors bool     `json:"too_many_neighbors"`
	Loop             bool     `json:"loop"`
	OtherAgent       string   `json:"other_agent"` // empty: none has been seen
	Trouble          string   `json:"trouble"`     // why the interface cannot be used
	UE               UEResult `json:"ue"`          // of the nearest bridge agent
}

// LLDPStatistics are the counters of an agent. Those of the socket are the port's.
type LLDPStatistics struct {
	Port        string     `json:"port"`
	Interface   string     `json:"interface"`
	Destination string     `json:"destination"`
	LastChange  *time.Time `json:"last_change_time"` // of the neighbours; null: never
	lldp.Counters
	SocketDrops      uint64 `json:"socket_drops"`      // frames that came faster than they were read
	SendErrors       uint64 `json:"send_errors"`       // frames that the kernel did not take
	EventsSuppressed uint64 `json:"events_suppressed"` // too many at a time
}

// LLDPChassis is what the station says of itself.
type LLDPChassis struct {
	ID                LLDPID           `json:"chassis_id"`
	SystemName        string           `json:"system_name"`
	SystemDescription string           `json:"system_description"`
	Capabilities      []LLDPCapability `json:"capabilities"`
	Management        []LLDPManagement `json:"management_addresses"`
}

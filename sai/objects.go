package sai

// Set is an attribute in a call: its number and, but for a get, its value.
type Set struct {
	ID    uint32 `json:"id"` // number of the attribute
	Value Value  `json:"value,omitzero"`
}

// Entry names an object that has no id: a route, by its virtual router and its prefix.
type Entry struct {
	Router OID    `json:"router"` // virtual router
	Prefix string `json:"prefix"` // such as 10.0.0.0/8
}

// Object is an object for people: uelink sai objects.
type Object struct {
	OID        OID              `json:"oid"`
	Type       ObjectType       `json:"type"`
	Name       string           `json:"name"`    // of a port, or of a profile of the configuration: the name; else the id
	MadeBy     string           `json:"made_by"` // "sai" or "configuration"
	Attributes []ObjectProperty `json:"attributes"`
}

// ObjectProperty is an attribute of an object, in words.
type ObjectProperty struct {
	Name    string `json:"name"`     // in SAI, without the prefix of the type
	Value   string `json:"value"`    // value as a client has set it, or the present state
	InForce string `json:"in_force"` // value in force of a timeout that was raised above the value set; else empty
}

// Capability is the implemented calls of an attribute of a type.
type Capability struct {
	Can
	Known bool    `json:"known"` // SAI has the attribute
	Enum  []int64 `json:"enum"`  // numbers of the enumerators
}

// StatCapability is a statistic that is implemented, and its modes.
type StatCapability struct {
	ID    uint32    `json:"id"`    // number of the statistic
	Modes StatModes `json:"modes"` // bits of sai_stats_mode_t
}

// Can is the implemented calls: sai_attr_capability_t.
type Can struct {
	Create bool `json:"create"`
	Set    bool `json:"set"`
	Get    bool `json:"get"`
}

// StatModes are the bits of sai_stats_mode_t.
type StatModes uint32

// The modes of a statistic. A clear has effect for the calling client alone: the library keeps the value at the last
// clear, and subtracts it.
const (
	StatRead             StatModes = 1
	StatReadAndClear     StatModes = 2
	StatBulkRead         StatModes = 4
	StatBulkClear        StatModes = 8
	StatBulkReadAndClear StatModes = 16
)

// PortNotification is a sai_port_oper_status_notification_t.
type PortNotification struct {
	Port  OID `json:"port"`
	State int `json:"state"` // number of sai_port_oper_status_t
	Error int `json:"error"` // number of sai_port_error_status_t
}

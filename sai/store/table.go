package store

import (
	"fmt"
	"slices"
	"strings"

	"uelink/sai"
)

// Flags are SAI's flags of an attribute.
type Flags uint8

// The flags.
const (
	ReadOnly Flags = 1 << iota
	Mandatory
	CreateOnly
	CreateAndSet
	Key
)

// String returns SAI's names of the flags, such as "READ_ONLY", separated by commas.
func (f Flags) String() string {
	words := []string{}
	for i, word := range []string{"READ_ONLY", "MANDATORY_ON_CREATE", "CREATE_ONLY", "CREATE_AND_SET", "KEY"} {
		if f>>i&1 != 0 {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}

// Enumerator is a value of an enumeration, with its name in SAI.
type Enumerator struct {
	Name  string
	Value int64
}

// Attribute is a row of the table. An attribute without Can is known, and not implemented.
type Attribute struct {
	ID       uint32
	Name     string // without the prefix of its object type
	Kind     sai.Kind
	Flags    Flags
	Default  int64          // default of an attribute of kind number, bool or enumeration
	Least    int64          // least accepted value; Least and Most 0: the whole range of the kind
	Most     int64          // largest accepted value
	Step     int64          // values are multiples of Step; 0: any
	Enum     []Enumerator   // values of an enumeration; those without a name here are refused
	Refers   sai.ObjectType // type of the object to which an attribute of kind object id refers
	Also     sai.ObjectType // another type of object to which the attribute may refer
	Object   sai.OID        // default of an attribute of kind object id
	MayNull  bool           // null is allowed for a mandatory attribute of kind object id
	OnlyNull bool           // null is the only implemented value of an attribute of kind object id
	When     *Condition     // condition under which a mandatory attribute is mandatory, and allowed at all; nil: always
	Can      sai.Can
	Kept     bool   // the value is stored and read back, without effect on frames
	CPU      bool   // attribute of a port: the CPU port has the attribute, too
	Links    bool   // attribute of a port: only links with protocol llr have the attribute
	Edges    bool   // attribute of a port: only edges have the attribute
	Acts     string // the effect, in words; without an implementation: the reason

	read func(*view, *object) sai.Value // nil: the value as it was set
}

// Condition is met while the attribute with number ID of the same object has the value Value.
type Condition struct {
	ID    uint32
	Value int64
}

// The implemented calls of attributes.
var (
	reads   = sai.Can{Get: true}
	sets    = sai.Can{Set: true, Get: true} // of a port, which nobody creates
	creates = sai.Can{Create: true, Get: true}
	all     = sai.Can{Create: true, Set: true, Get: true}
	hears   = sai.Can{Create: true, Set: true, Get: true} // of a notification, which the library keeps
)

// tables returns the attribute tables of all object types.
func tables() map[sai.ObjectType][]Attribute {
	return map[sai.ObjectType][]Attribute{
		sai.TypeSwitch: switchAttributes(), sai.TypePort: slices.Concat(portAttributes(), portLLRAttributes(),
			portCBFCAttributes()),
		sai.TypeLLRProfile: profileAttributes(), sai.TypeVC: vcAttributes(), sai.TypeCreditPool: poolAttributes(),
		sai.TypeCreditProfile: creditProfileAttributes(), sai.TypeQoSMap: mapAttributes(), sai.TypeQueue: queueAttributes(),
		sai.TypeVirtualRouter: virtualRouterAttributes(), sai.TypeRouterInterface: routerInterfaceAttributes(),
		sai.TypeHostif: hostifAttributes(), sai.TypeTrapGroup: trapGroupAttributes(), sai.TypeTrap: trapAttributes(),
		sai.TypeTableEntry: tableEntryAttributes(), sai.TypeRoute: routeAttributes(), sai.TypeVLAN: vlanAttributes(),
		sai.TypeBridge: bridgeAttributes(),
	}
}

// prefixes has the beginning of the names of each type's attributes.
var prefixes = map[sai.ObjectType]string{
	sai.TypeSwitch: "SAI_SWITCH_ATTR_", sai.TypePort: "SAI_PORT_ATTR_", sai.TypeLLRProfile: "SAI_PORT_LLR_PROFILE_ATTR_",
	sai.TypeVC: "SAI_VIRTUAL_CHANNEL_ATTR_", sai.TypeCreditPool: "SAI_CBFC_CREDIT_POOL_ATTR_",
	sai.TypeCreditProfile: "SAI_CBFC_CREDIT_PROFILE_ATTR_", sai.TypeQoSMap: "SAI_QOS_MAP_ATTR_", sai.TypeQueue: "SAI_QUEUE_ATTR_",
	sai.TypeVirtualRouter: "SAI_VIRTUAL_ROUTER_ATTR_", sai.TypeRouterInterface: "SAI_ROUTER_INTERFACE_ATTR_",
	sai.TypeHostif: "SAI_HOSTIF_ATTR_", sai.TypeTrapGroup: "SAI_HOSTIF_TRAP_GROUP_ATTR_", sai.TypeTrap: "SAI_HOSTIF_TRAP_ATTR_",
	sai.TypeTableEntry: "SAI_HOSTIF_TABLE_ENTRY_ATTR_", sai.TypeRoute: "SAI_ROUTE_ENTRY_ATTR_", sai.TypeVLAN: "SAI_VLAN_ATTR_",
	sai.TypeBridge: "SAI_BRIDGE_ATTR_",
}

// FullName returns the attribute's name in SAI's headers, with the prefix of object type t.
func (a *Attribute) FullName(t sai.ObjectType) string { return prefixes[t] + a.Name }

// Implemented reports whether at least one call (create, set or get) is implemented for the attribute.
func (a *Attribute) Implemented() bool { return a.Can != sai.Can{} }

// span returns the least and the greatest number that the attribute accepts.
func (a *Attribute) span() (least, most int64) {
	if a.Least != 0 || a.Most != 0 {
		return a.Least, a.Most
	}
	return spanOf(a.Kind)
}

// Range returns the accepted numbers in words, such as "1 to 64"; empty if the attribute accepts all numbers of its
// kind.
func (a *Attribute) Range() string {
	if a.Kind == sai.Enum || a.Least == 0 && a.Most == 0 {
		return ""
	}
	text := fmt.Sprintf("%d to %d", a.Least, a.Most)
	if a.Step > 0 {
		text += fmt.Sprintf(", in steps of %d", a.Step)
	}
	return text
}

// Types returns all object types that the daemon has.
func Types() []sai.ObjectType {
	return []sai.ObjectType{sai.TypeSwitch, sai.TypePort, sai.TypeLLRProfile, sai.TypeVC, sai.TypeCreditPool,
		sai.TypeCreditProfile, sai.TypeQoSMap, sai.TypeQueue, sai.TypeVirtualRouter, sai.TypeRouterInterface, sai.TypeRoute,
		sai.TypeHostif, sai.TypeTrapGroup, sai.TypeTrap, sai.TypeTableEntry, sai.TypeVLAN, sai.TypeBridge}
}

// Attributes returns the attribute table of object type t, including attributes that are not implemented.
func Attributes(t sai.ObjectType) []Attribute { return tables()[t] }

// Statistics returns the definitions of the statistics of object type t, including those that are not implemented.
func Statistics(t sai.ObjectType) []Statistic { return statistics(t) }

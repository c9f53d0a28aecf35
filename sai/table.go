package sai

import (
	"fmt"
	"slices"
	"strings"
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
	Kind     Kind
	Flags    Flags
	Default  int64        // of numbers, bools and enumerations
	Least    int64        // with Most: the range that is accepted; both 0: the range of the kind
	Most     int64        //
	Step     int64        // values are multiples of it; 0: any
	Enum     []Enumerator // values of an enumeration; those without a name here are refused
	Refers   ObjectType   // of an object id
	Also     ObjectType   // another type of the object that it may refer to
	Object   OID          // default of an object id
	MayNull  bool         // of a mandatory object id: null is allowed
	OnlyNull bool         // of an object id: null is the only value that is implemented
	When     *Condition   // condition under which a mandatory attribute is mandatory, and allowed at all; nil: always
	Can      Can
	Kept     bool   // it is kept and read back, and does nothing to frames
	CPU      bool   // of a port: the CPU port has it, too
	Links    bool   // of a port: links with protocol llr alone have it
	Edges    bool   // of a port: edges alone have it
	Acts     string // the effect, in words; without an implementation: the reason

	read func(*view, *object) Value // nil: the value as it was set
}

// Condition is the value of another attribute.
type Condition struct {
	ID    uint32
	Value int64
}

// Can is the implemented calls: sai_attr_capability_t.
type Can struct {
	Create bool `json:"create"`
	Set    bool `json:"set"`
	Get    bool `json:"get"`
}

// The implemented calls of attributes.
var (
	reads   = Can{Get: true}
	sets    = Can{Set: true, Get: true} // of a port, which nobody creates
	creates = Can{Create: true, Get: true}
	all     = Can{Create: true, Set: true, Get: true}
	hears   = Can{Create: true, Set: true, Get: true} // of a notification, which the library keeps
)

// tables returns the attribute tables of all object types.
func tables() map[ObjectType][]Attribute {
	return map[ObjectType][]Attribute{
		TypeSwitch: switchAttributes(), TypePort: slices.Concat(portAttributes(), portLLRAttributes(),
			portCBFCAttributes()),
		TypeLLRProfile: profileAttributes(), TypeVC: vcAttributes(), TypeCreditPool: poolAttributes(),
		TypeCreditProfile: creditProfileAttributes(), TypeQoSMap: mapAttributes(), TypeQueue: queueAttributes(),
		TypeVirtualRouter: virtualRouterAttributes(), TypeRouterInterface: routerInterfaceAttributes(),
		TypeHostif: hostifAttributes(), TypeTrapGroup: trapGroupAttributes(), TypeTrap: trapAttributes(),
		TypeTableEntry: tableEntryAttributes(), TypeRoute: routeAttributes(), TypeVLAN: vlanAttributes(),
		TypeBridge: bridgeAttributes(),
	}
}

// prefixes has the beginning of the names of each type's attributes.
var prefixes = map[ObjectType]string{
	TypeSwitch: "SAI_SWITCH_ATTR_", TypePort: "SAI_PORT_ATTR_", TypeLLRProfile: "SAI_PORT_LLR_PROFILE_ATTR_",
	TypeVC: "SAI_VIRTUAL_CHANNEL_ATTR_", TypeCreditPool: "SAI_CBFC_CREDIT_POOL_ATTR_",
	TypeCreditProfile: "SAI_CBFC_CREDIT_PROFILE_ATTR_", TypeQoSMap: "SAI_QOS_MAP_ATTR_", TypeQueue: "SAI_QUEUE_ATTR_",
	TypeVirtualRouter: "SAI_VIRTUAL_ROUTER_ATTR_", TypeRouterInterface: "SAI_ROUTER_INTERFACE_ATTR_",
	TypeHostif: "SAI_HOSTIF_ATTR_", TypeTrapGroup: "SAI_HOSTIF_TRAP_GROUP_ATTR_", TypeTrap: "SAI_HOSTIF_TRAP_ATTR_",
	TypeTableEntry: "SAI_HOSTIF_TABLE_ENTRY_ATTR_", TypeRoute: "SAI_ROUTE_ENTRY_ATTR_", TypeVLAN: "SAI_VLAN_ATTR_",
	TypeBridge: "SAI_BRIDGE_ATTR_",
}

// FullName returns the attribute's name in SAI's headers, with the prefix of object type of.
func (a *Attribute) FullName(of ObjectType) string { return prefixes[of] + a.Name }

// Implemented reports whether at least one call (create, set or get) is implemented for the attribute.
func (a *Attribute) Implemented() bool { return a.Can != Can{} }

// span returns the least and the greatest number that the attribute accepts.
func (a *Attribute) span() (least, most int64) {
	if a.Least != 0 || a.Most != 0 {
		return a.Least, a.Most
	}
	return a.Kind.span()
}

// Range returns the accepted numbers in words, such as "1 to 64"; empty if the attribute accepts all numbers of its
// kind.
func (a *Attribute) Range() string {
	if a.Kind == Enum || a.Least == 0 && a.Most == 0 {
		return ""
	}
	text := fmt.Sprintf("%d to %d", a.Least, a.Most)
	if a.Step > 0 {
		text += fmt.Sprintf(", in steps of %d", a.Step)
	}
	return text
}

// find returns the attribute with number id of object type of; nil if there is none.
func (s *Store) find(of ObjectType, id uint32) *Attribute {
	list := s.table[of]
	i := slices.IndexFunc(list, func(a Attribute) bool { return a.ID == id })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// Types returns all object types that the daemon has.
func Types() []ObjectType {
	return []ObjectType{TypeSwitch, TypePort, TypeLLRProfile, TypeVC, TypeCreditPool, TypeCreditProfile, TypeQoSMap,
		TypeQueue, TypeVirtualRouter, TypeRouterInterface, TypeRoute, TypeHostif, TypeTrapGroup, TypeTrap, TypeTableEntry,
		TypeVLAN, TypeBridge}
}

// Attributes returns the attribute table of object type of, including attributes that are not implemented.
func Attributes(of ObjectType) []Attribute { return tables()[of] }

// Statistics returns the definitions of the statistics of object type of, including those that are not implemented.
func Statistics(of ObjectType) []Statistic { return statistics(of) }

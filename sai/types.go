package sai

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is the version of SAI's headers: 10000*major + 100*minor + revision.
const Version = 11800

// ObjectType is a sai_object_type_t.
type ObjectType uint32

// The types of objects that the store has.
const (
	TypePort            ObjectType = 1
	TypeVirtualRouter   ObjectType = 3
	TypeRouterInterface ObjectType = 6
	TypeHostif          ObjectType = 13
	TypeTrapGroup       ObjectType = 17
	TypeQoSMap          ObjectType = 20
	TypeQueue           ObjectType = 21
	TypeSwitch          ObjectType = 33
	TypeTrap            ObjectType = 34
	TypeTableEntry      ObjectType = 35
	TypeRoute           ObjectType = 37
	TypeVLAN            ObjectType = 38
	TypeBridge          ObjectType = 57
	TypeLLRProfile      ObjectType = 115
	TypeVC              ObjectType = 116
	TypeCreditPool      ObjectType = 117
	TypeCreditProfile   ObjectType = 118
)

// typeNames has SAI's names of the types, without SAI_OBJECT_TYPE_.
var typeNames = map[ObjectType]string{
	TypePort: "PORT", TypeQoSMap: "QOS_MAP", TypeQueue: "QUEUE", TypeSwitch: "SWITCH", TypeLLRProfile: "PORT_LLR_PROFILE",
	TypeVirtualRouter: "VIRTUAL_ROUTER", TypeRouterInterface: "ROUTER_INTERFACE", TypeHostif: "HOSTIF",
	TypeTrapGroup: "HOSTIF_TRAP_GROUP", TypeTrap: "HOSTIF_TRAP", TypeTableEntry: "HOSTIF_TABLE_ENTRY",
	TypeRoute: "ROUTE_ENTRY", TypeVLAN: "VLAN", TypeBridge: "BRIDGE",
	TypeVC: "VIRTUAL_CHANNEL", TypeCreditPool: "CBFC_CREDIT_POOL", TypeCreditProfile: "CBFC_CREDIT_PROFILE",
}

// String returns SAI's name of the object type without the prefix SAI_OBJECT_TYPE_, such as PORT.
func (t ObjectType) String() string {
	if name, ok := typeNames[t]; ok {
		return name
	}
	return fmt.Sprintf("type %d", uint32(t))
}

// MarshalText returns SAI's name of the object type, such as PORT, as octets. The error is always nil.
func (t ObjectType) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText sets the object type from SAI's name, such as PORT. An unknown name is an error.
func (t *ObjectType) UnmarshalText(text []byte) error {
	for objectType, name := range typeNames {
		if name == string(text) {
			*t = objectType
			return nil
		}
	}
	return fmt.Errorf("%q is no type of an object", text)
}

// OID is a sai_object_id_t: the type of the object in the upper 16 bits. 0 is SAI_NULL_OBJECT_ID.
type OID uint64

// TypeShift is the number of bits of an OID below the type.
const TypeShift = 48

// oidPrefix begins the text of an OID, as in SONiC's databases.
const oidPrefix = "oid:0x"

// Type returns the object type that is part of the object id.
func (o OID) Type() ObjectType { return ObjectType(o >> TypeShift) }

// String returns the object id in SONiC's form, such as "oid:0x1000000000002".
func (o OID) String() string { return oidPrefix + strconv.FormatUint(uint64(o), 16) }

// MarshalText returns the object id in SONiC's form, such as "oid:0x1000000000002", as octets. The error is always
// nil.
func (o OID) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText sets the object id from SONiC's form, such as "oid:0x1000000000002". Any other text is an error.
func (o *OID) UnmarshalText(text []byte) error {
	digits, ok := strings.CutPrefix(string(text), oidPrefix)
	n, err := strconv.ParseUint(digits, 16, 64)
	if !ok || err != nil {
		return fmt.Errorf("%q is no object id: %s and hexadecimal digits are wanted", text, oidPrefix)
	}
	*o = OID(n)
	return nil
}

// SwitchOID is the object of the daemon.
const SwitchOID = OID(uint64(TypeSwitch) << TypeShift)

// Status is a sai_status_t of Linux: 0 or negative.
type Status int32

// The statuses to which no index of an attribute is added.
const (
	Success               Status = 0
	Failure               Status = -1
	NotSupported          Status = -2
	InsufficientResources Status = -4
	InvalidParameter      Status = -5
	ItemAlreadyExists     Status = -6
	ItemNotFound          Status = -7
	MandatoryMissing      Status = -0xE
	NotImplemented        Status = -0xF
	ObjectInUse           Status = -0x11
	InvalidObjectType     Status = -0x12
	InvalidObjectID       Status = -0x13
)

// At returns status s for the attribute at an index of a call: SAI subtracts the index from the status number.
func (s Status) At(index int) Status { return s - Status(index) }

// Error is a refused call: SAI's status, and the reason in words.
type Error struct {
	Status Status
	Reason string
}

// Error returns the reason of the refusal.
func (e *Error) Error() string { return e.Reason }

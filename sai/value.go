package sai

// Kind is the type of an attribute's value, a member of the union sai_attribute_value_t.
type Kind uint8

// The kinds. Where SAI's name of the member differs, it stands behind the kind.
const (
	Bool Kind = iota
	U8
	S8
	U16
	S16
	U32
	U64
	Enum // s32
	ObjectID
	MAC
	Pointer
	Text // chardata
	ObjectList
	S8List
	U16List
	U32List
	MapList
)

// kindNames has the members of the union.
var kindNames = [...]string{
	Bool: "bool", U8: "u8", S8: "s8", U16: "u16", S16: "s16", U32: "u32", U64: "u64", Enum: "s32", ObjectID: "oid", MAC: "mac",
	Pointer: "ptr", Text: "chardata", ObjectList: "objlist", S8List: "s8list", U16List: "u16list", U32List: "u32list", MapList: "qosmap",
}

// String returns the name of the member of SAI's union sai_attribute_value_t that holds values of this kind.
func (k Kind) String() string { return kindNames[min(int(k), len(kindNames)-1)] }

// Value is the value of an attribute. The kind of the attribute says which field is used: Number for numbers, bool (0
// or 1), enumerations and pointers (1: not null).
type Value struct {
	Number int64   `json:"n,omitempty"` // number, truth (1 or 0) or enumerator, in SAI's unit of the attribute
	OID    OID     `json:"oid,omitempty"`
	MAC    string  `json:"mac,omitempty"`
	Text   string  `json:"text,omitempty"`
	List   []int64 `json:"list,omitempty"` // numbers, in SAI's unit of the attribute
	OIDs   []OID   `json:"oids,omitempty"`
	Map    []Pair  `json:"map,omitempty"`
}

// Pair is an entry of a QoS map, from a number (a key) to another number (its value). The key of a DOT1P_DEI_TO_TC is
// dot1p << 1 | dei.
type Pair struct {
	Key   uint8 `json:"key"`   // priority, DSCP, class or queue
	Value uint8 `json:"value"` // class, queue or virtual channel
}

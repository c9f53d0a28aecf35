package store

import (
	"slices"

	"uelink/sai"
)

// SAI has more attributes than the tables here. A call with such an attribute is refused as not implemented; a call
// with a number that SAI does not have is refused as unknown.

// attributeCounts has how many attributes SAI 1.18 has of each type of object, by its number. They are numbered from 0
// on, but for those of acl.
var attributeCounts = [...]uint16{
	1: 225, 14, 7, 20, 19, 31, 4, 3, 6, 2, 5, 4, 7, 29, 5, 3, 4, 15, 40, 2, 17, 8, 7, 9, 9, 6, 5, 3, 5, 5, 4,
	8, 278, 7, 5, 10, 7, 24, 6, 9, 2, 32, 11, 3, 10, 3, 2, 2, 2, 3, 4, 2, 2, 4, 3, 3, 12, 22, 20, 4, 6, 3, 11,
	10, 5, 6, 5, 3, 46, 2, 2, 1, 12, 6, 20, 6, 4, 11, 2, 5, 8, 15, 35, 6, 5, 5, 33, 28, 9, 5, 15, 10, 7, 4, 14,
	8, 5, 2, 22, 9, 23, 3, 45, 10, 2, 44, 5, 7, 6, 8, 19, 3, 1, 4, 10, 6, 3, 5, 4,
}

// span is the numbers of attributes from first to last.
type span struct{ first, last uint32 }

// aclSpans has further attributes of ACL tables and ACL entries, whose numbers lie in ranges of their own: fields, user
// defined fields, and actions.
var aclSpans = map[sai.ObjectType][]span{
	7: {{0x1000, 0x104f}, {0x114e, 0x1168}, {0x2000, 0x2005}, {0x3000, 0x3001}},
	8: {{0x1000, 0x104f}, {0x114e, 0x1168}, {0x2000, 0x203d}},
}

// inSAI reports whether SAI 1.18 has an attribute with number id of object type t, implemented here or not.
func inSAI(t sai.ObjectType, id uint32) bool {
	if uint64(t) >= uint64(len(attributeCounts)) {
		return false
	}
	return id < uint32(attributeCounts[t]) ||
		slices.ContainsFunc(aclSpans[t], func(s span) bool { return id >= s.first && id <= s.last })
}

// The attributes of a switch that SONiC's libsairedis has of its own, such as its mode and pipeline. A program that is
// linked with libsai instead of libsairedis sets them, too. They have no effect.
const (
	sairedisFirst = 0x10000000
	sairedisCount = 16
)

// ofSairedis reports whether an attribute, by object type and number, is one of libsairedis.
func ofSairedis(t sai.ObjectType, id uint32) bool {
	return t == sai.TypeSwitch && id >= sairedisFirst && id < sairedisFirst+sairedisCount
}

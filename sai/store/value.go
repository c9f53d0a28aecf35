package store

import (
	"fmt"
	"strings"

	"uelink/sai"
)

// spanOf returns the least and the greatest number that a value of a kind can have.
func spanOf(k sai.Kind) (least, most int64) {
	switch k {
	case sai.Bool:
		return 0, 1
	case sai.U8:
		return 0, 1<<8 - 1
	case sai.S8:
		return -1 << 7, 1<<7 - 1
	case sai.U16:
		return 0, 1<<16 - 1
	case sai.S16:
		return -1 << 15, 1<<15 - 1
	case sai.U32:
		return 0, 1<<32 - 1
	default: // U64, Enum; the others have no number
		return 0, 1<<63 - 1
	}
}

// truth returns b as a SAI value: 1 or 0.
func truth(b bool) sai.Value {
	if b {
		return sai.Value{Number: 1}
	}
	return sai.Value{}
}

// number returns n as a SAI value.
func number[N int | int64 | uint8 | uint16 | uint32](n N) sai.Value {
	return sai.Value{Number: int64(n)}
}

// Text returns value v of the attribute as text; an enumerator by its name in SAI.
func (a *Attribute) Text(v sai.Value) string {
	switch a.Kind {
	case sai.Bool:
		return fmt.Sprint(v.Number != 0)
	case sai.ObjectID:
		if v.OID == 0 {
			return "null"
		}
		return v.OID.String()
	case sai.MAC:
		return v.MAC
	case sai.Text:
		return v.Text
	case sai.Enum:
		for _, e := range a.Enum {
			if e.Value == v.Number {
				return e.Name
			}
		}
	case sai.ObjectList:
		return joined(v.OIDs)
	case sai.S8List, sai.U16List, sai.U32List:
		return joined(v.List)
	case sai.MapList:
		texts := []string{}
		for _, p := range v.Map {
			texts = append(texts, fmt.Sprintf("%d:%d", p.Key, p.Value))
		}
		return strings.Join(texts, " ")
	case sai.U8, sai.S8, sai.U16, sai.S16, sai.U32, sai.U64, sai.Pointer:
	}
	return fmt.Sprint(v.Number)
}

// joined returns the elements of a list as text, separated by blanks.
func joined[E any](list []E) string { return strings.Trim(fmt.Sprint(list), "[]") }

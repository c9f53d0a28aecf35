package dcbx

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Feature is a feature of DCBX: the type code of its sub-TLV (DCBX, 2.4.3.1). Every feature has
// subtype 0.
// Clauses: DCBX/feature-tlv.2.
type Feature uint8

// The features. Type code 1 is the control sub-TLV, which is not a feature.
// Clauses: DCBX/intro.4.
const (
	FeaturePG  Feature = 2 // Priority Groups
	FeaturePFC Feature = 3 // Priority-based Flow Control
	FeatureApp Feature = 4 // Application, of specification 1.01
)

// String returns "pg", "pfc" or "app"; "port" for 0, the port as a whole.
func (f Feature) String() string {
	switch f {
	case 0:
		return "port"
	case FeaturePG:
		return "pg"
	case FeaturePFC:
		return "pfc"
	case FeatureApp:
		return "app"
	}
	return fmt.Sprintf("feature %d", uint8(f))
}

// MarshalText returns the feature's name (pg, pfc, app, or port for the port as a whole) as octets. The error is
// always nil.
func (f Feature) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// Raw is a sub-TLV that this package does not interpret.
type Raw struct {
	Type uint8  // 7 bits
	Body []byte // after type and length, at most 511 octets
}

// MarshalJSON returns a JSON object with the sub-TLV's type and its octets in hexadecimal.
func (r Raw) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"type":%d,"octets":"%s"}`, r.Type, hex.EncodeToString(r.Body)), nil
}

// UnmarshalJSON sets the sub-TLV from a JSON object with its type and its octets in hexadecimal, as MarshalJSON
// returns.
func (r *Raw) UnmarshalJSON(b []byte) error {
	var text struct {
		Type   uint8
		Octets string
	}
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	body, err := hex.DecodeString(text.Octets)
	*r = Raw{text.Type, body}
	return err
}

// appendSubTLV appends the head of a DCBX sub-TLV: type in 7 bits, length of the body in 9 (DCBX, 2.4.1: "the same
// format as an LLDP TLV").
// Clauses: DCBX/tlv.5,6, DCBX/ordering.2.
func appendSubTLV(b []byte, kind uint8, length int) []byte {
	return binary.BigEndian.AppendUint16(b, uint16(kind)<<9|uint16(length)&0x1ff)
}

// cutSubTLV returns the first DCBX sub-TLV of b, which is not empty, and its size in octets with the head. The
// body shares memory with b. whole is false if b is shorter than the sub-TLV.
// Clauses: DCBX/tlv.5.
func cutSubTLV(b []byte) (sub Raw, size int, whole bool) {
	if len(b) < 2 {
		return Raw{}, 0, false
	}
	head := binary.BigEndian.Uint16(b)
	sub.Type, size = uint8(head>>9), 2+int(head&0x1ff)
	if size > len(b) {
		return sub, 0, false
	}
	sub.Body = b[2:size]
	return sub, size, true
}

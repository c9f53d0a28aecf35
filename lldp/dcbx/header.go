package dcbx

import "encoding/binary"

// Type, lengths, flags and version of the control sub-TLV and of the feature sub-TLVs in a DCBX TLV.
// Clauses: DCBX/control-tlv.1,2,5, DCBX/feature-tlv.6.
const (
	typeControl  = 1
	controlLen   = 10 // octets of figure 7 after type and length
	headerLen    = 4  // octets of figure 9 after type and length
	flagEnable   = 1 << 7
	flagWilling  = 1 << 6
	flagError    = 1 << 5
	firstVersion = 0 // the only defined version, of control and of every feature
)

// Control is the control sub-TLV (DCBX, 2.4.2.1).
type Control struct {
	OperVersion uint8  `json:"oper_version"` // number of the version in use
	MaxVersion  uint8  `json:"max_version"`  // number of the highest version that the sender knows
	SeqNo       uint32 `json:"seq_no"`       // sequence number of the sender's settings
	AckNo       uint32 `json:"ack_no"`       // sequence number of the receiver's settings that the sender has
}

// append appends the whole control sub-TLV, 12 octets.
// Clauses: DCBX/ordering.1, DCBX/control-tlv.4.
func (c Control) append(b []byte) []byte {
	b = append(appendSubTLV(b, typeControl, controlLen), c.OperVersion, c.MaxVersion)
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, c.SeqNo), c.AckNo)
}

// decodeControl reads a control sub-TLV, from the octets after type and length; false if it is too short. Octets
// past the format belong to a later version and are ignored.
// Clauses: DCBX/control-tlv.4.
func decodeControl(body []byte) (Control, bool) {
	if len(body) < controlLen {
		return Control{}, false
	}
	return Control{
		OperVersion: body[0], MaxVersion: body[1],
		SeqNo: binary.BigEndian.Uint32(body[2:]), AckNo: binary.BigEndian.Uint32(body[6:]),
	}, true
}

// Header is the header of every feature sub-TLV (DCBX, 2.4.3.1).
type Header struct {
	OperVersion uint8 `json:"oper_version"` // number of the version in use
	MaxVersion  uint8 `json:"max_version"`  // number of the highest version that the sender knows
	Enable      bool  `json:"enable"`
	Willing     bool  `json:"willing"`
	Error       bool  `json:"error"`
}

// append appends type, length and header of the sub-TLV of feature f; length is the number of octets of the
// parameters. The reserved bits and the subtype are 0.
// Clauses: DCBX/ordering.2, DCBX/feature-tlv.1,3,5,17.
func (h Header) append(b []byte, f Feature, length int) []byte {
	var flags uint8
	if h.Enable {
		flags |= flagEnable
	}
	if h.Willing {
		flags |= flagWilling
	}
	if h.Error {
		flags |= flagError
	}
	return append(appendSubTLV(b, uint8(f), headerLen+length), h.OperVersion, h.MaxVersion, flags, 0)
}

// decodeHeader reads the header of a feature's sub-TLV; body has at least headerLen octets. Reserved bits are
// ignored.
// Clauses: DCBX/feature-tlv.1,5.
func decodeHeader(body []byte) (h Header, subtype uint8) {
	return Header{
		OperVersion: body[0], MaxVersion: body[1],
		Enable:  body[2]&flagEnable != 0,
		Willing: body[2]&flagWilling != 0,
		Error:   body[2]&flagError != 0,
	}, body[3]
}

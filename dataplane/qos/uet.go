package qos

import "uelink/wire/uet"

// UETKind is a kind of UET packets with a traffic class of its own.
type UETKind uint8

// The kinds. A packet behind TSS is encrypted, and of no kind.
const (
	UETRequest         UETKind = iota // RUD, ROD, RUDI and UUD requests
	UETAcknowledgement                // ACK, NACK and RUDI responses
	UETControl                        // CTRL
	UETTrimmed                        // any packet that a switch has trimmed
	UETKinds                          // number of kinds
)

// String returns the name in the configuration of the kind of UET packet: request, acknowledgement, control or
// trimmed.
func (k UETKind) String() string {
	return [...]string{"request", "acknowledgement", "control", "trimmed", "?"}[min(k, UETKinds)]
}

// ByDSCP, in Map.UET, means no class of its own: the packets have the class of their DSCP.
const ByDSCP uint8 = 0xFF

// classOfUET returns the traffic class of a UET packet; ok is false for other frames, and for kinds of packets
// without a class.
func (m *Map) classOfUET(f []byte) (class uint8, ok bool) {
	s := m.Classifier.Classify(f)
	if s.Class == uet.NotUET {
		return 0, false
	}
	kind := UETKinds
	switch {
	case s.Trimmed:
		kind = UETTrimmed
	case s.Class == uet.Request:
		kind = UETRequest
	case s.Class == uet.Acknowledgement:
		kind = UETAcknowledgement
	case s.Class == uet.Control:
		kind = UETControl
	default: // encrypted, or of an unknown type
		return 0, false
	}
	class = m.UET[kind]
	return class, class != ByDSCP
}

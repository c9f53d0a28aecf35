package qos

import "uelink/wire/uet"

// UETKind is what kind of UET packet a traffic class is for.
type UETKind uint8

// The kinds. What is behind TSS is encrypted, and of none.
const (
	UETRequest         UETKind = iota // RUD, ROD, RUDI and UUD requests
	UETAcknowledgement                // ACK, NACK and RUDI responses
	UETControl                        // CTRL
	UETTrimmed                        // any packet that a switch has trimmed
	UETKinds                          // how many there are
)

// String is the word of the configuration.
func (k UETKind) String() string {
	return [...]string{"request", "acknowledgement", "control", "trimmed", "?"}[min(k, UETKinds)]
}

// ByDSCP stands in Map.UET for no class: such packets have that of their DSCP.
const ByDSCP uint8 = 0xFF

// ofUET is the class of a frame that is a UET packet, if there is one for its kind.
func (m *Map) ofUET(f []byte) (class uint8, ok bool) {
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
	default: // encrypted, or of a type that nobody knows
		return 0, false
	}
	class = m.UET[kind]
	return class, class != ByDSCP
}

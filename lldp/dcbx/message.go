package dcbx

import (
	"bytes"
)

// FeatureTLV is one feature's sub-TLV in a Message. C is [PG], [PFC] or [App].
type FeatureTLV[C any] struct {
	Present   bool `json:"present"`
	Duplicate bool `json:"duplicate"` // the TLV has several sub-TLVs of this feature; the first is kept
	Header
	Config C `json:"desired_cfg"` // the sender's DesiredCfg
}

// Message is the content of a DCBX TLV.
// Clauses: DCBX/lldp.6, DCBX/tlv.4.
type Message struct {
	Control          Control         `json:"control"`
	ControlDuplicate bool            `json:"control_duplicate"` // the TLV has several control sub-TLVs; the first is kept
	PG               FeatureTLV[PG]  `json:"pg"`
	PFC              FeatureTLV[PFC] `json:"pfc"`
	App              FeatureTLV[App] `json:"app"`
	Unknown          []Raw           `json:"unknown_sub_tlvs"` // in the order of the TLV
}

// config are the methods of a feature's parameters that the feature state machine needs.
// Clauses: DCBX/intro.3, DCBX/feature.4,11.
type config[C any] interface {
	equal(C) bool
	// compatible is Compatible() of the specification: it reports whether both ends may keep their own parameters.
	compatible(peer C) bool
	// usable reports whether a willing system can operate by the peer's parameters.
	usable() bool
	// adopted returns the parameters by which a willing system operates when adopting the peer's;
	// own are the system's own.
	adopted(own C) C
	// withoutPeer returns the operational parameters that SetCfg(…, FALSE) makes of DesiredCfg.
	withoutPeer() C
	// appendBody appends the octets of the parameters structure.
	appendBody(b []byte) []byte
	// validate checks a local configuration.
	validate() error
}

// Append appends the payload of the DCBX TLV: control first, then the present features, then the
// unknown sub-TLVs.
// Clauses: DCBX/tlv.1, DCBX/pg.3, DCBX/pfc.4.
func (m *Message) Append(b []byte) []byte {
	b = m.Control.append(b)
	b = appendFeature(b, FeaturePG, &m.PG)
	b = appendFeature(b, FeaturePFC, &m.PFC)
	b = appendFeature(b, FeatureApp, &m.App)
	for _, raw := range m.Unknown {
		b = append(appendSubTLV(b, raw.Type, len(raw.Body)), raw.Body...)
	}
	return b
}

// appendFeature appends the sub-TLV of a feature, header and parameters (figure 10), if the feature is present.
// Clauses: DCBX/feature-tlv.1.
func appendFeature[C config[C]](b []byte, f Feature, t *FeatureTLV[C]) []byte {
	if !t.Present {
		return b
	}
	var scratch [MaxPayload]byte
	body := t.Config.appendBody(scratch[:0])
	return append(t.Header.append(b, f, len(body)), body...)
}

// Decode reads the payload of a DCBX TLV. Sub-TLVs may come in any order. Of duplicates the first
// is kept and marked. Octets past the format of a sub-TLV are ignored, since a later version may
// add some. The Message shares no memory with the payload. The error is a *[DecodeError].
// Clauses: DCBX/tlv.1,2.
func Decode(payload []byte) (*Message, error) {
	if len(payload) > MaxPayload {
		return nil, &DecodeError{Fault: FaultTooLong}
	}
	m, controls := &Message{}, 0
	for at := 0; at < len(payload); {
		sub, size, whole := cutSubTLV(payload[at:])
		if !whole {
			return nil, &DecodeError{Fault: FaultTruncated, Type: sub.Type, Offset: at}
		}
		if sub.Type == typeControl {
			controls++
		}
		if !m.store(sub, controls > 1) {
			return nil, &DecodeError{Fault: FaultShort, Type: sub.Type, Offset: at}
		}
		at += size
	}
	if controls == 0 {
		return nil, &DecodeError{Fault: FaultControlMissing}
	}
	m.ControlDuplicate = controls > 1
	return m, nil
}

// store stores one sub-TLV in the message. It reports false if the sub-TLV is too short for its type. Specification 1.0
// does not define Application, so a malformed Application sub-TLV counts as unknown.
// Clauses: DCBX/tlv.7.
func (m *Message) store(sub Raw, secondControl bool) bool {
	switch sub.Type {
	case typeControl:
		c, ok := decodeControl(sub.Body)
		if !secondControl {
			m.Control = c
		}
		return ok
	case uint8(FeaturePG):
		return storeFeature(m, &m.PG, sub, decodePG)
	case uint8(FeaturePFC):
		return storeFeature(m, &m.PFC, sub, decodePFC)
	case uint8(FeatureApp):
		if storeFeature(m, &m.App, sub, decodeApp) {
			return true
		}
	}
	m.skip(sub)
	return true
}

// skip keeps a sub-TLV that this end does not understand in the message's list of unknown sub-TLVs.
func (m *Message) skip(sub Raw) {
	m.Unknown = append(m.Unknown, Raw{Type: sub.Type, Body: bytes.Clone(sub.Body)})
}

// storeFeature stores the sub-TLV of a feature in t, decoded; false if it is too short. Type and subtype together
// identify a feature (DCBX, 2.4.3.1), so a sub-TLV with another subtype is unknown.
// Clauses: DCBX/tlv.3, DCBX/feature-tlv.17.
func storeFeature[C any](m *Message, t *FeatureTLV[C], sub Raw, decode func([]byte) (C, bool)) bool {
	if len(sub.Body) < headerLen {
		return false
	}
	header, subtype := decodeHeader(sub.Body)
	if subtype != 0 {
		m.skip(sub)
		return true
	}
	c, ok := decode(sub.Body[headerLen:])
	switch {
	case !ok:
		return false
	case t.Present:
		t.Duplicate = true
	default:
		*t = FeatureTLV[C]{Present: true, Header: header, Config: c}
	}
	return true
}

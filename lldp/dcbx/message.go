package dcbx

import (
	"bytes"
)

// FeatureTLV is one feature's sub-TLV in a Message. C is [PG], [PFC] or [App].
type FeatureTLV[C any] struct {
	Present   bool `json:"present"`
	Duplicate bool `json:"duplicate"` // it came more than once; this is the first
	Header
	Config C `json:"desired_cfg"` // the sender's DesiredCfg
}

// Message is the content of a DCBX TLV.
type Message struct {
	Control          Control         `json:"control"`
	ControlDuplicate bool            `json:"control_duplicate"` // it came more than once; this is the first
	PG               FeatureTLV[PG]  `json:"pg"`
	PFC              FeatureTLV[PFC] `json:"pfc"`
	App              FeatureTLV[App] `json:"app"`
	Unknown          []Raw           `json:"unknown_sub_tlvs"` // in the order in which they came
}

// config is what the feature state machine needs of a feature's parameters.
type config[C any] interface {
	equal(C) bool
	// compatible is the seed's Compatible(): may both ends keep their own?
	compatible(peer C) bool
	// usable says whether a willing system can operate by these values of its peer.
	usable() bool
	// adopted is what a willing system operates by that takes these values of its
	// peer; own is what it has itself.
	adopted(own C) C
	// withoutPeer is what SetCfg(…, FALSE) makes operational of DesiredCfg.
	withoutPeer() C
	// appendBody appends the octets of the parameters structure.
	appendBody(b []byte) []byte
}

// Append appends the payload of the DCBX TLV: control first, then the features
// that are present, then the unknown sub-TLVs.
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

// appendFeature appends figure 10: the header and the parameters.
func appendFeature[C config[C]](b []byte, f Feature, t *FeatureTLV[C]) []byte {
	if !t.Present {
		return b
	}
	var scratch [MaxPayload]byte
	body := t.Config.appendBody(scratch[:0])
	return append(t.Header.append(b, f, len(body)), body...)
}

// Decode reads the payload of a DCBX TLV. Sub-TLVs may come in any order;
// duplicates are marked and the first one counts. Octets past the format of a
// sub-TLV are ignored: a later version may have put them there. Nothing in the
// Message shares memory with the payload. The error is a *[DecodeError].
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
		if !m.take(sub, controls > 1) {
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

// take files one sub-TLV; it is false if that is too short for its type. The
// seed does not define Application, so a malformed one is only not understood.
func (m *Message) take(sub Raw, secondControl bool) bool {
	switch sub.Type {
	case typeControl:
		c, ok := decodeControl(sub.Body)
		if !secondControl {
			m.Control = c
		}
		return ok
	case uint8(FeaturePG):
		return takeFeature(m, &m.PG, sub, decodePG)
	case uint8(FeaturePFC):
		return takeFeature(m, &m.PFC, sub, decodePFC)
	case uint8(FeatureApp):
		if takeFeature(m, &m.App, sub, decodeApp) {
			return true
		}
	}
	m.skip(sub)
	return true
}

// skip keeps a sub-TLV that is not understood.
func (m *Message) skip(sub Raw) {
	m.Unknown = append(m.Unknown, Raw{Type: sub.Type, Body: bytes.Clone(sub.Body)})
}

// takeFeature files the sub-TLV of a feature. Type and subtype together name a
// feature (DCBX, 2.4.3.1), so another subtype is not this one.
func takeFeature[C any](m *Message, t *FeatureTLV[C], sub Raw, decode func([]byte) (C, bool)) bool {
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

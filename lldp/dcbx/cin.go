package dcbx

// CIN is the TLV of subtype 1, of the protocol that preceded DCBX. A CIN is only shown; a peer that
// sends nothing else does not speak DCBX.
type CIN struct {
	Control Control            `json:"control"`
	PG      FeatureTLV[CINPG]  `json:"pg"`
	PFC     FeatureTLV[CINPFC] `json:"pfc"`
	Unknown []Raw              `json:"unknown"`
}

// CINPG are the priority groups of CIN: bandwidth groups of the link, and the share of each
// priority in its group.
type CINPG struct {
	GroupPercentage [8]uint8 `json:"group_percentage"` // share of each group of the link's bandwidth, percent
	Group           [8]uint8 `json:"group"`            // number of the bandwidth group of each priority
	Strict          [8]uint8 `json:"strict"`           // strict priority bits, two for each priority
	Percentage      [8]uint8 `json:"percentage"`       // each priority's share of its group, percent
}

// CINPFC is the bitmap of the priorities with PFC: bit i is priority i.
type CINPFC struct {
	Enable uint8 `json:"pfc_enable"` // bit i is priority i
}

// DecodeCIN reads the payload of a TLV of subtype 1, an older version of DCBX (CIN). Control and feature headers
// have the format of DCBX, the parameters have formats of their own. The error is a *[DecodeError].
func DecodeCIN(payload []byte) (*CIN, error) {
	c, controls, m := &CIN{}, 0, Message{}
	for at := 0; at < len(payload); {
		sub, size, whole := cutSubTLV(payload[at:])
		if !whole {
			return nil, &DecodeError{Fault: FaultTruncated, Type: sub.Type, Offset: at}
		}
		ok := true
		switch sub.Type {
		case typeControl:
			controls++
			c.Control, ok = decodeControl(sub.Body)
		case uint8(FeaturePG):
			ok = storeFeature(&m, &c.PG, sub, decodeCINPG)
		case uint8(FeaturePFC):
			ok = storeFeature(&m, &c.PFC, sub, decodeCINPFC)
		default:
			m.skip(sub)
		}
		if !ok {
			return nil, &DecodeError{Fault: FaultShort, Type: sub.Type, Offset: at}
		}
		at += size
	}
	if controls == 0 {
		return nil, &DecodeError{Fault: FaultControlMissing}
	}
	c.Unknown = append([]Raw{}, m.Unknown...)
	return c, nil
}

// decodeCINPG reads the Priority Group parameters of CIN: 8 percentages and then 8 pairs of group in 3 bits,
// strict in 2, and the percentage within the group. ok is false if octets are missing.
func decodeCINPG(body []byte) (c CINPG, ok bool) {
	if len(body) < 24 {
		return CINPG{}, false
	}
	copy(c.GroupPercentage[:], body)
	for i := range c.Group {
		pair := body[8+2*i:]
		c.Group[i], c.Strict[i], c.Percentage[i] = pair[0]>>5, pair[0]>>3&3, pair[1]
	}
	return c, true
}

// decodeCINPFC reads the PFC parameters of CIN: one octet, the bitmap; false if the octet is missing.
func decodeCINPFC(body []byte) (CINPFC, bool) {
	if len(body) < 1 {
		return CINPFC{}, false
	}
	return CINPFC{Enable: body[0]}, true
}

package lldp

import "encoding/binary"

// Parse reads the LLDPDU at the start of b, which the PDU refers to from then
// on. The lists in p are used again, so that a PDU that is parsed into over and
// over does not allocate. What follows End Of LLDPDU is padding.
//
// A fault discards the LLDPDU; p is of no use then. An optional TLV whose
// content is in error is discarded alone and counted in Discarded.
func (p *PDU) Parse(b []byte) Fault {
	*p = PDU{Management: p.Management[:0], Org: p.Org[:0], Unknown: p.Unknown[:0]}
	b = b[:min(len(b), MaxPDULen)]
	rest, fault := p.parseMandatory(b)
	for seen := typeSet(0); fault == NoFault; {
		var t Type
		var info []byte
		if t, info, rest, fault = cutTLV(rest); fault != NoFault {
			break
		}
		if t == TypeEnd {
			p.Len = len(b) - len(rest)
			return endFault(info)
		}
		fault = p.parseOptional(t, info, &seen)
	}
	return fault
}

// parseMandatory reads the three TLVs that every LLDPDU begins with.
func (p *PDU) parseMandatory(b []byte) (rest []byte, fault Fault) {
	rest = b
	for _, want := range [...]Type{TypeChassisID, TypePortID, TypeTTL} {
		var t Type
		var info []byte
		if t, info, rest, fault = cutTLV(rest); fault != NoFault {
			return nil, fault
		}
		if t != want {
			return nil, FaultOrder
		}
		if fault = p.setMandatory(t, info); fault != NoFault {
			return nil, fault
		}
	}
	return rest, NoFault
}

func (p *PDU) setMandatory(t Type, info []byte) Fault {
	idLengthOK := len(info) >= 2 && len(info) <= 1+maxID
	switch t {
	case TypeChassisID:
		if !idLengthOK {
			return FaultChassisID
		}
		p.Chassis = ChassisID{ChassisSubtype(info[0]), info[1:]}
	case TypePortID:
		if !idLengthOK {
			return FaultPortID
		}
		p.Port = PortID{PortSubtype(info[0]), info[1:]}
	default:
		if len(info) < ttlLen {
			return FaultTTL
		}
		p.TTL = binary.BigEndian.Uint16(info)
	}
	return NoFault
}

// typeSet is the set of the types 4 to 7 that an LLDPDU has had, one bit each.
type typeSet uint8

// add tells whether the type is new.
func (s *typeSet) add(t Type) bool {
	bit := typeSet(1) << t
	was := *s & bit
	*s |= bit
	return was == 0
}

// parseOptional takes any TLV but the first three and the last.
func (p *PDU) parseOptional(t Type, info []byte, seen *typeSet) Fault {
	switch {
	case t <= TypeTTL:
		return FaultRepeated
	case t <= TypeCapabilities:
		if !seen.add(t) {
			return FaultRepeated
		}
		p.setSingle(t, info)
	case t == TypeManagement:
		if m, ok := parseManagement(info); ok {
			p.Management = append(p.Management, m)
		} else {
			p.Discarded++
		}
	case t == TypeOrg:
		if len(info) < orgHeaderLen {
			return FaultOrg
		}
		p.Org = append(p.Org, parseOrg(info))
	default:
		p.Unknown = append(p.Unknown, TLV{t, info})
	}
	return NoFault
}

// setSingle takes a TLV that may be there once; one in error is discarded.
func (p *PDU) setSingle(t Type, info []byte) {
	if t == TypeCapabilities {
		if p.Capabilities, p.HasCapabilities = parseCapabilities(info); !p.HasCapabilities {
			p.Discarded++
		}
		return
	}
	if len(info) > maxText {
		p.Discarded++
		return
	}
	switch t {
	case TypePortDescription:
		p.PortDescription = info
	case TypeSystemName:
		p.SystemName = info
	case TypeSystemDescription:
		p.SystemDescription = info
	}
}

func endFault(info []byte) Fault {
	if len(info) != 0 {
		return FaultEndLength
	}
	return NoFault
}

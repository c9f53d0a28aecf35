package lldp

import "encoding/binary"

// Parse reads the LLDPDU at the start of b. The fields of the PDU refer to b from then on. Parse
// reuses the lists in p, so that repeated calls on the same PDU do not allocate. Octets after End
// Of LLDPDU are padding.
//
// A fault discards the LLDPDU and leaves p undefined. An optional TLV with an error in its content
// is discarded alone and counted in Discarded.
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

// parseMandatory reads the three mandatory TLVs at the start of an LLDPDU (Chassis ID, Port ID, TTL) and returns
// the octets after them.
// Clauses: DCBX/lldp.1.
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

// setMandatory stores one of the three mandatory TLVs, or returns the fault of its length.
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

// typeSet is the set of the TLV types 4 to 7 seen in an LLDPDU, one bit each.
type typeSet uint8

// add adds a TLV type to the set and reports whether the type was not in the set before.
func (s *typeSet) add(t Type) bool {
	bit := typeSet(1) << t
	before := *s & bit
	*s |= bit
	return before == 0
}

// parseOptional reads a TLV of any type after the mandatory ones, except End Of LLDPDU. seen has the types read
// before. A second TLV of a type that may occur once, or an organizationally specific TLV that is too short, is a
// fault of the whole LLDPDU. A TLV with another error is left out and counted.
// Clauses: DCBX/lldp.2.
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

// setSingle stores a TLV of a type that may occur once in its field of the PDU. A TLV in error is discarded and
// counted.
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
	default: // TypeSystemDescription
		p.SystemDescription = info
	}
}

// endFault returns the fault of an End Of LLDPDU with the information string info, which must be empty.
func endFault(info []byte) Fault {
	if len(info) != 0 {
		return FaultEndLength
	}
	return NoFault
}

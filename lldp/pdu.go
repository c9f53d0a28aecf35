package lldp

import "encoding/binary"

// MaxPDULen is the longest LLDPDU, in octets: the payload of an Ethernet frame.
const MaxPDULen = 1500

// PDU is an LLDPDU (802.1AB 8.2). A TTL of 0 makes a shutdown LLDPDU. A nil text has no TLV; an
// empty text has an empty TLV. The slices of a parsed PDU refer to the octets given to Parse.
type PDU struct {
	Chassis           ChassisID
	Port              PortID
	TTL               uint16 // seconds
	PortDescription   []byte
	SystemName        []byte
	SystemDescription []byte
	HasCapabilities   bool
	Capabilities      Capabilities
	Management        []Management
	Org               []Org // all organizationally specific TLVs
	Unknown           []TLV // TLVs of reserved types

	Discarded int // number of TLVs in error, left out of the PDU
	Len       int // octets including End Of LLDPDU, of a parsed PDU
}

// Shutdown reports whether the PDU is a shutdown LLDPDU: the sender leaves (802.1AB 8.2).
func (p *PDU) Shutdown() bool { return p.TTL == 0 }

// msapLen returns the number of octets of the Chassis ID and Port ID TLVs. They come first in the
// LLDPDU and are the identity of the sender, the MSAP.
func (p *PDU) msapLen() int {
	return 2*(tlvHeaderLen+1) + len(p.Chassis.ID) + len(p.Port.ID)
}

// appendMandatory appends the three mandatory TLVs: Chassis ID, Port ID, TTL.
func (p *PDU) appendMandatory(b []byte) []byte {
	b = appendHeader(b, TypeChassisID, 1+len(p.Chassis.ID))
	b = append(append(b, byte(p.Chassis.Subtype)), p.Chassis.ID...)
	b = appendHeader(b, TypePortID, 1+len(p.Port.ID))
	b = append(append(b, byte(p.Port.Subtype)), p.Port.ID...)
	b = appendHeader(b, TypeTTL, ttlLen)
	return binary.BigEndian.AppendUint16(b, p.TTL)
}

// Append appends the LLDPDU to b and returns the number of optional TLVs left out because of
// MaxPDULen. The fields must be in range. Organizationally specific TLVs follow in the order of
// Org, TLVs of reserved types last. A shutdown LLDPDU has no optional TLV.
// Clauses: DCBX/lldp.1,2.
func (p *PDU) Append(b []byte) (out []byte, leftOut int) {
	w := pduWriter{b: p.appendMandatory(b), limit: len(b) + MaxPDULen - tlvHeaderLen}
	if !p.Shutdown() {
		w.text(TypePortDescription, p.PortDescription)
		w.text(TypeSystemName, p.SystemName)
		w.text(TypeSystemDescription, p.SystemDescription)
		if p.HasCapabilities && w.fits(tlvHeaderLen+capabilitiesLen) {
			w.b = p.Capabilities.appendTo(w.b)
		}
		for _, m := range p.Management {
			if w.fits(m.size()) {
				w.b = m.appendTo(w.b)
			}
		}
		for _, o := range p.Org {
			if w.fits(o.size()) {
				w.b = o.appendTo(w.b)
			}
		}
		for _, u := range p.Unknown {
			if w.fits(tlvHeaderLen + len(u.Info)) {
				w.b = appendTLV(w.b, u.Type, u.Info)
			}
		}
	}
	return appendHeader(w.b, TypeEnd, 0), w.leftOut
}

// pduWriter appends TLVs as long as the limit leaves room for the TLV and End Of LLDPDU.
type pduWriter struct {
	b       []byte
	limit   int // greatest length of b before End Of LLDPDU
	leftOut int // number of TLVs without room
}

// fits reports whether the LLDPDU has room for a TLV of n octets; if not, the TLV is counted as left out.
func (w *pduWriter) fits(n int) bool {
	if len(w.b)+n > w.limit {
		w.leftOut++
		return false
	}
	return true
}

func (w *pduWriter) text(t Type, text []byte) {
	if text != nil && w.fits(tlvHeaderLen+len(text)) {
		w.b = appendTLV(w.b, t, text)
	}
}

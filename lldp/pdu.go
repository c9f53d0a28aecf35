package lldp

import "encoding/binary"

// MaxPDULen is the longest LLDPDU, in octets: what an Ethernet frame carries.
const MaxPDULen = 1500

// PDU is an LLDPDU (802.1AB 8.2). A TTL of 0 makes it a shutdown LLDPDU. A text
// that is nil has no TLV; an empty one has an empty TLV. What a parsed PDU
// refers to are the octets that it was parsed from.
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
	Org               []Org // organizationally specific TLVs, all of them
	Unknown           []TLV // TLVs of reserved types

	Discarded int // TLVs in error, which are left out
	Len       int // octets with End Of LLDPDU, of a parsed PDU
}

// Shutdown tells whether the PDU says that its sender leaves (802.1AB 8.2).
func (p *PDU) Shutdown() bool { return p.TTL == 0 }

// msapLen is the number of octets of the Chassis ID and Port ID TLVs: the first
// octets of the LLDPDU are the identity of its sender, the MSAP.
func (p *PDU) msapLen() int {
	return 2*(tlvHeaderLen+1) + len(p.Chassis.ID) + len(p.Port.ID)
}

// appendMandatory appends the three TLVs that every LLDPDU begins with.
func (p *PDU) appendMandatory(b []byte) []byte {
	b = appendHeader(b, TypeChassisID, 1+len(p.Chassis.ID))
	b = append(append(b, byte(p.Chassis.Subtype)), p.Chassis.ID...)
	b = appendHeader(b, TypePortID, 1+len(p.Port.ID))
	b = append(append(b, byte(p.Port.Subtype)), p.Port.ID...)
	b = appendHeader(b, TypeTTL, ttlLen)
	return binary.BigEndian.AppendUint16(b, p.TTL)
}

// Append appends the LLDPDU to b and says how many optional TLVs were left out
// because it would have become longer than MaxPDULen. The fields have to be in
// their ranges. The organizationally specific TLVs come in the order of Org,
// those of reserved types last. A shutdown LLDPDU has no optional TLV.
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

// pduWriter appends TLVs as long as there is room for them and the End Of LLDPDU.
type pduWriter struct {
	b       []byte
	limit   int
	leftOut int
}

// fits tells whether n more octets fit, and counts them as left out if not.
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

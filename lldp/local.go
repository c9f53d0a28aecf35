package lldp

import (
	"bytes"
	"fmt"
	"slices"

	"uelink/wire"
)

// providerRoom is reserved, in octets, for the providers' TLVs: 23 of UE, 67 and more of DCBX. The
// longest texts and ids leave providerRoom free with two management addresses.
const providerRoom = 160

// Local is the local system data: an agent's description of its port and station. An empty text is
// not sent.
type Local struct {
	Source            wire.MAC // source address of the frames: the port's own
	Chassis           ChassisID
	Port              PortID
	PortDescription   string
	SystemName        string
	SystemDescription string
	HasCapabilities   bool
	Capabilities      Capabilities
	Management        []Management
	Custom            []Org // organizationally specific TLVs from the configuration
}

// Validate returns an error that names the first field out of range.
func (l *Local) Validate() error {
	if err := idLength("chassis id", l.Chassis.ID); err != nil {
		return err
	}
	if err := idLength("port id", l.Port.ID); err != nil {
		return err
	}
	for name, text := range map[string]string{"port description": l.PortDescription,
		"system name": l.SystemName, "system description": l.SystemDescription} {
		if len(text) > maxText {
			return fmt.Errorf("%s is %d octets, at most %d", name, len(text), maxText)
		}
	}
	if !l.Capabilities.valid() {
		return fmt.Errorf("enabled capabilities %v are not among the capabilities of the system",
			(l.Capabilities.Enabled &^ l.Capabilities.System).Names())
	}
	for _, m := range l.Management {
		if !m.valid() {
			return fmt.Errorf("management address of %d octets with an OID of %d octets: an address has 1 to %d octets, "+
				"an OID at most %d", len(m.Address), len(m.OID), maxManagementAddress, maxOID)
		}
	}
	pdu := l.pdu(1, nil)
	pdu.Org = nil
	if octets, leftOut := pdu.Append(nil); leftOut > 0 || len(octets) > MaxPDULen-providerRoom {
		return fmt.Errorf("the texts and %d management addresses leave less than %d octets for other TLVs: shorten them",
			len(l.Management), providerRoom)
	}
	for _, o := range l.Custom {
		if len(o.Info) > MaxOrgInfo {
			return fmt.Errorf("custom TLV %X subtype %d is %d octets, at most %d", o.OUI, o.Subtype, len(o.Info), MaxOrgInfo)
		}
	}
	return nil
}

// idLength returns an error if an id has no octets or too many; name names the id in the error.
func idLength(name string, id []byte) error {
	if len(id) < 1 || len(id) > maxID {
		return fmt.Errorf("%s is %d octets, has to be 1 to %d", name, len(id), maxID)
	}
	return nil
}

// sameMSAP reports whether l and o have the same chassis id and port id.
func (l *Local) sameMSAP(o *Local) bool { return l.Chassis.equal(o.Chassis) && l.Port.equal(o.Port) }

// equal reports whether l and o, the local system data of two moments, produce equal frames.
func (l *Local) equal(o *Local) bool {
	return l.Source == o.Source && l.sameMSAP(o) &&
		l.PortDescription == o.PortDescription && l.SystemName == o.SystemName &&
		l.SystemDescription == o.SystemDescription &&
		l.HasCapabilities == o.HasCapabilities && l.Capabilities == o.Capabilities &&
		slices.EqualFunc(l.Management, o.Management, sameManagement) && slices.EqualFunc(l.Custom, o.Custom, sameOrg)
}

func sameManagement(a, b Management) bool {
	return a.Family == b.Family && a.InterfaceSubtype == b.InterfaceSubtype && a.Interface == b.Interface &&
		bytes.Equal(a.Address, b.Address) && bytes.Equal(a.OID, b.OID)
}

func sameOrg(a, b Org) bool {
	return a.OUI == b.OUI && a.Subtype == b.Subtype && bytes.Equal(a.Info, b.Info)
}

// pdu returns an LLDPDU with the local system data. The TLVs of org precede the custom TLVs of the
// configuration, so that the custom TLVs are left out first when there is no room.
func (l *Local) pdu(ttl uint16, org []Org) PDU {
	return PDU{
		Chassis: l.Chassis, Port: l.Port, TTL: ttl,
		PortDescription:   optional(l.PortDescription),
		SystemName:        optional(l.SystemName),
		SystemDescription: optional(l.SystemDescription),
		HasCapabilities:   l.HasCapabilities, Capabilities: l.Capabilities,
		Management: l.Management,
		Org:        append(org, l.Custom...),
	}
}

// optional returns the text as a field of a PDU: nil, which means no TLV, if the text is empty.
func optional(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text)
}

// SentBy reports whether an LLDPDU carries the chassis id and port id of l.
func (l *Local) SentBy(p *PDU) bool { return p.Chassis.equal(l.Chassis) && p.Port.equal(l.Port) }

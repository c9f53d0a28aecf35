package view

import (
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"uelink/control/api"
	"uelink/lldp"
	"uelink/lldp/dcbx"
	"uelink/lldp/ue"
)

// nearestBridge is the default destination, which is not printed.
const nearestBridge = "nearest-bridge"

// WriteNeighbors prints LLDP neighbours in lldpcli's form.
func WriteNeighbors(w io.Writer, neighbors []api.LLDPNeighbor, detail Detail) {
	chapter(w, "LLDP neighbors:")
	for _, n := range neighbors {
		writeNeighbor(w, n, detail)
		rule(w)
	}
}

// writeNeighbor prints a neighbour: its station and port, its UE and DCBX TLVs in a line each, and its other TLVs. A
// summary lacks the other TLVs. In full, the UE and DCBX TLVs have a line for each value, and source address, times and
// the octets of the LLDPDU are printed, too.
func writeNeighbor(w io.Writer, n api.LLDPNeighbor, detail Detail) {
	o := outline{w: w}
	o.line("Interface", fmt.Sprintf("%s, via: LLDP, port: %s, Time: %s", n.Interface, n.Port, age(n.Age)))
	in := outline{w, 1}
	if detail == Full || n.Destination != nearestBridge {
		in.line("Destination", n.Destination)
	}
	if detail == Full {
		in.line("Source", n.Source)
		in.line("Heard", fmt.Sprintf("last %d s ago, expires in %d s, content changed %d s ago", n.Heard,
			n.ExpiresIn, n.Changed))
	}
	writeDescription(in, n.LLDPDescription, detail)
	if detail == Full {
		writeUE(in, "UE TLVs", n.UE)
		writeDCBXTLVs(in, n.DCBX)
	} else {
		in.line("UE", ueWords(n.UE))
		in.line("DCBX", dcbxWords(n))
	}
	if detail != Summary {
		writeOrganizations(in, n.OrgTLVs)
		writeUnknownTLVs(in, n)
	}
	if detail == Full {
		writeOctets(in, n)
	}
}

// writeDescription prints the station and the port of a neighbour; a summary has only their names.
func writeDescription(o outline, d api.LLDPDescription, detail Detail) {
	station := api.LLDPChassis{ID: d.Chassis, SystemName: d.SystemName}
	if detail != Summary {
		station.SystemDescription, station.Capabilities, station.Management = d.SystemDescription,
			d.Capabilities, d.Management
	}
	writeStation(o, station)
	port := o.under("Port")
	port.line("PortID", d.PortID.Type+" "+d.PortID.Value)
	port.line("PortDescr", d.PortDescription)
	port.line("TTL", fmt.Sprint(d.TTL))
}

// writeStation prints the chassis of a station, with its addresses and capabilities.
func writeStation(o outline, c api.LLDPChassis) {
	chassis := o.under("Chassis")
	chassis.line("ChassisID", c.ID.Type+" "+c.ID.Value)
	chassis.line("SysName", c.SystemName)
	chassis.line("SysDescr", c.SystemDescription)
	for _, m := range c.Management {
		writeManagement(chassis, m)
	}
	for _, capability := range c.Capabilities {
		chassis.line("Capability", capability.Type+", "+onOff(capability.Enabled))
	}
}

// writeManagement prints a management address, with its kind unless it is an IP address, and the number of its
// interface or port, if it has one.
func writeManagement(o outline, m api.LLDPManagement) {
	if m.Kind == "ipv4" || m.Kind == "ipv6" {
		o.line("MgmtIP", m.Address)
	} else {
		o.line("MgmtAddr", m.Kind+" "+m.Address)
	}
	switch {
	case m.Interface == 0:
	case m.InterfaceNumbering == lldp.InterfacePortNumber:
		o.line("MgmtPort", fmt.Sprint(m.Interface))
	default:
		o.line("MgmtIface", fmt.Sprint(m.Interface))
	}
}

// WriteChassis prints what the LLDP agents say of this station.
func WriteChassis(w io.Writer, c api.LLDPChassis) {
	chapter(w, "Local chassis:")
	writeStation(outline{w: w}, c)
	rule(w)
}

// writeOrganizations prints the TLVs of IEEE 802.1 and 802.3 in words.
func writeOrganizations(o outline, tlvs []api.LLDPOrgTLV) {
	i := slices.IndexFunc(tlvs, func(t api.LLDPOrgTLV) bool { return t.Name != "" })
	if i < 0 {
		return
	}
	in := o.under("IEEE 802.1 and 802.3")
	for _, tlv := range tlvs[i:] {
		if tlv.Name != "" {
			in.line(tlv.Name, tlv.Text)
		}
	}
}

// writeUnknownTLVs prints the OUI, subtype and octets of a neighbour's unknown TLVs.
func writeUnknownTLVs(o outline, n api.LLDPNeighbor) {
	var lines []string
	for _, tlv := range n.OrgTLVs {
		if isUnknown(tlv) {
			lines = append(lines, orgTLV(tlv))
		}
	}
	for _, tlv := range n.UnknownTLVs {
		lines = append(lines, fmt.Sprintf("Type: %d, %s", tlv.Type, lenAndOctets(tlv.Octets)))
	}
	if len(lines) == 0 {
		return
	}
	unknown := o.under("Unknown TLVs")
	for _, line := range lines {
		unknown.line("TLV", line)
	}
}

// isUnknown reports whether an organizationally specific TLV is printed as octets only. A DCBX TLV never is, even
// on a port without DCBX.
func isUnknown(tlv api.LLDPOrgTLV) bool {
	return !tlv.Recognized && tlv.Name == "" && tlv.OUI != dcbxOUI
}

// writeOctets prints the octets of a neighbour's organizationally specific TLVs, except unknown TLVs (see
// writeUnknownTLVs), and the octets of the whole LLDPDU.
func writeOctets(o outline, n api.LLDPNeighbor) {
	tlvs := slices.DeleteFunc(slices.Clone(n.OrgTLVs), isUnknown)
	if len(tlvs) > 0 {
		org := o.under("Organizationally specific TLVs")
		for _, tlv := range tlvs {
			org.line("TLV", orgTLV(tlv))
		}
	}
	o.line("LLDPDU", n.Octets)
}

func orgTLV(tlv api.LLDPOrgTLV) string {
	oui := strings.ToUpper(strings.ReplaceAll(tlv.OUI, ":", ","))
	return fmt.Sprintf("OUI: %s, SubType: %d, %s", oui, tlv.Subtype, lenAndOctets(tlv.Octets))
}

// lenAndOctets returns hexadecimal octets in lldpcli's form: "Len: 2 0A,FF".
func lenAndOctets(text string) string {
	octets, _ := hex.DecodeString(text) // the daemon's text is hexadecimal
	s := fmt.Sprintf("Len: %d", len(octets))
	for i, b := range octets {
		s += fmt.Sprintf("%c%02X", " ,"[min(i, 1)], b)
	}
	return s
}

// writeUE prints the UE TLVs in words below a title; nothing without UE TLVs.
func writeUE(o outline, title string, a api.UEAdvertisement) {
	wishes := wishWords(a)
	if !a.Speaks() && wishes == "" {
		return
	}
	in := o.under(title)
	in.line("Link", linkWords(a))
	in.line("CBFC", creditWords(a))
	in.line("Wishes", wishes)
}

// wishWords returns in words the TLV in which a uelinkd says what it wants of DCBX and PFC; "" without the TLV.
func wishWords(a api.UEAdvertisement) string {
	switch w := a.Wishes; {
	case a.WishesFault != ue.NoFault:
		return "unusable: " + a.WishesFault.String()
	case !a.HasWishes:
		return ""
	case !w.DCBX:
		return "DCBX off"
	case !w.PFC:
		return "DCBX on, PFC off"
	default:
		words := "DCBX on, PFC priorities " + dcbx.PFC{Enable: w.Priorities}.String()
		if w.Willing {
			words += ", willing"
		}
		if w.Asks {
			words += ", asked for"
		}
		return words
	}
}

// ueWords returns the UE TLVs in one line, "" for none.
func ueWords(a api.UEAdvertisement) string {
	words := linkWords(a)
	if credit := creditWords(a); credit != "" {
		words = strings.TrimPrefix(words+"; CBFC: "+credit, "; ")
	}
	return words
}

// linkWords returns the UE link TLV of a neighbour in words; "" without one.
func linkWords(a api.UEAdvertisement) string {
	switch {
	case a.HasLink:
		return fmt.Sprintf("LLR %s, CBFC %s, version %d", onOff(a.Link.LLR), onOff(a.Link.CBFC), a.Link.Version)
	case a.LinkFault != ue.NoFault:
		return "unusable: " + a.LinkFault.String()
	}
	return ""
}

// creditWords returns the UE CBFC TLV of a neighbour in words; "" without one.
func creditWords(a api.UEAdvertisement) string {
	switch {
	case a.HasCBFC:
		words := fmt.Sprintf("%d VCs, credit pool %d, lossless VCs %s", a.CBFC.VCs, a.CBFC.Pool, a.CBFC.LosslessList)
		return words + creditSizeWords(a)
	case a.CBFCFault != ue.NoFault:
		return "unusable: " + a.CBFCFault.String()
	}
	return ""
}

// creditSizeWords returns, in words, the octets of a credit that uelink's own LLDP TLV advertises, "" without the
// TLV.
func creditSizeWords(a api.UEAdvertisement) string {
	switch {
	case a.HasCreditSize:
		return fmt.Sprintf(", credits of %d octets, overhead %d", a.CreditSize.Octets, a.CreditSize.Overhead)
	case a.CreditSizeFault != ue.NoFault:
		return ", credit size unusable: " + a.CreditSizeFault.String()
	}
	return ""
}

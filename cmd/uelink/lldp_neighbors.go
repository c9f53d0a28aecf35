package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"uelink/control"
	"uelink/lldp/ue"
)

// nearestBridge is the destination that goes without saying.
const nearestBridge = "nearest-bridge"

// writeNeighbors prints neighbours as lldpcli does.
func writeNeighbors(w io.Writer, neighbors []control.LLDPNeighbor, details bool) {
	chapter(w, "LLDP neighbors:")
	for _, n := range neighbors {
		writeNeighbor(w, n, details)
		rule(w)
	}
}

func writeNeighbor(w io.Writer, n control.LLDPNeighbor, details bool) {
	o := outline{w: w}
	o.line("Interface", fmt.Sprintf("%s, via: LLDP, port: %s, Time: %s", n.Interface, n.Port, age(n.Age)))
	in := outline{w, 1}
	if details || n.Destination != nearestBridge {
		in.line("Destination", n.Destination)
	}
	if details {
		in.line("Source", n.Source)
		in.line("Heard", fmt.Sprintf("%d s ago, expires in %d s, changed %d s ago", n.Heard, n.ExpiresIn, n.Changed))
	}
	writeDescription(in, n.LLDPDescription)
	if details {
		writeUE(in, "UE TLVs", n.UE)
		writeDCBXTLVs(in, n.DCBX)
	}
	writeUnknownTLVs(in, n)
	if details {
		writeOctets(in, n)
	}
}

// writeDescription is the station and the port.
func writeDescription(o outline, d control.LLDPDescription) {
	writeStation(o, control.LLDPChassis{ID: d.Chassis, SystemName: d.SystemName, SystemDescription: d.SystemDescription,
		Capabilities: d.Capabilities, Management: d.Management})
	port := o.under("Port")
	port.line("PortID", d.PortID.Type+" "+d.PortID.Value)
	port.line("PortDescr", d.PortDescription)
	port.line("TTL", fmt.Sprint(d.TTL))
}

func writeStation(o outline, c control.LLDPChassis) {
	chassis := o.under("Chassis")
	chassis.line("ChassisID", c.ID.Type+" "+c.ID.Value)
	chassis.line("SysName", c.SystemName)
	chassis.line("SysDescr", c.SystemDescription)
	for _, m := range c.Management {
		chassis.line("MgmtIP", m.Address)
		if m.Interface != 0 {
			chassis.line("MgmtIface", fmt.Sprint(m.Interface))
		}
	}
	for _, one := range c.Capabilities {
		chassis.line("Capability", one.Type+", "+onOff(one.Enabled))
	}
}

func writeChassis(w io.Writer, c control.LLDPChassis) {
	chapter(w, "Local chassis:")
	writeStation(outline{w: w}, c)
	rule(w)
}

// writeUnknownTLVs lists the TLVs that nobody here knows.
func writeUnknownTLVs(o outline, n control.LLDPNeighbor) {
	var lines []string
	for _, tlv := range n.OrgTLVs {
		if !tlv.Recognized {
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

// writeOctets is what everything above was made of.
func writeOctets(o outline, n control.LLDPNeighbor) {
	if len(n.OrgTLVs) > 0 {
		org := o.under("Organizationally specific TLVs")
		for _, tlv := range n.OrgTLVs {
			org.line("TLV", orgTLV(tlv))
		}
	}
	o.line("LLDPDU", n.Octets)
}

func orgTLV(tlv control.LLDPOrgTLV) string {
	oui := strings.ToUpper(strings.ReplaceAll(tlv.OUI, ":", ","))
	return fmt.Sprintf("OUI: %s, SubType: %d, %s", oui, tlv.Subtype, lenAndOctets(tlv.Octets))
}

// lenAndOctets is hexadecimal as lldpcli shows octets: "Len: 2 0A,FF".
func lenAndOctets(text string) string {
	octets, _ := hex.DecodeString(text) // the daemon made it
	s := fmt.Sprintf("Len: %d", len(octets))
	for i, b := range octets {
		s += fmt.Sprintf("%c%02X", " ,"[min(i, 1)], b)
	}
	return s
}

// writeUE is the UE TLVs in words, if there are any.
func writeUE(o outline, title string, a control.UEAdvertisement) {
	if !a.Speaks() {
		return
	}
	in := o.under(title)
	if a.HasLink {
		in.line("Link", fmt.Sprintf("LLR %s, CBFC %s, version %d", onOff(a.Link.LLR), onOff(a.Link.CBFC), a.Link.Version))
	} else if a.LinkFault != ue.NoFault {
		in.line("Link", "of no use: "+a.LinkFault.String())
	}
	if a.HasCBFC {
		in.line("CBFC", fmt.Sprintf("%d VCs, credit pool %d, lossless VCs %s", a.CBFC.VCs, a.CBFC.Pool, a.CBFC.LosslessList))
	} else if a.CBFCFault != ue.NoFault {
		in.line("CBFC", "of no use: "+a.CBFCFault.String())
	}
}

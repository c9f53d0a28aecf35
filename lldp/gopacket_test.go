package lldp_test

import (
	"bytes"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"pgregory.net/rapid"

	"uelink/lldp"
)

// A second opinion on the frames that we send. It reads what is valid; it does
// not validate.
func TestGopacketReadsOurFrames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPDU(t)
		p.Unknown = nil // it cannot show them
		for i := range p.Management {
			p.Management[i].Family, p.Management[i].Address = 1, p.Management[i].Address[:1]
		}
		frame, _ := lldp.AppendFrame(nil, lldp.NearestBridge, macA, &p)
		packet := gopacket.NewPacket(frame, layers.LayerTypeEthernet, gopacket.Default)
		if err := packet.ErrorLayer(); err != nil {
			t.Fatalf("%v: % X", err.Error(), frame)
		}
		d := packet.Layer(layers.LayerTypeLinkLayerDiscovery).(*layers.LinkLayerDiscovery)
		if byte(d.ChassisID.Subtype) != byte(p.Chassis.Subtype) || !bytes.Equal(d.ChassisID.ID, p.Chassis.ID) ||
			byte(d.PortID.Subtype) != byte(p.Port.Subtype) || !bytes.Equal(d.PortID.ID, p.Port.ID) || d.TTL != p.TTL {
			t.Fatalf("%+v of\n%+v", d, p)
		}
		info := packet.Layer(layers.LayerTypeLinkLayerDiscoveryInfo).(*layers.LinkLayerDiscoveryInfo)
		if info.PortDescription != string(p.PortDescription) || info.SysName != string(p.SystemName) ||
			info.SysDescription != string(p.SystemDescription) {
			t.Fatalf("%+v of\n%+v", info, p)
		}
		if p.HasCapabilities && (info.SysCapabilities.SystemCap.Bridge != (p.Capabilities.System&lldp.CapBridge != 0) ||
			info.SysCapabilities.EnabledCap.Router != (p.Capabilities.Enabled&lldp.CapRouter != 0)) {
			t.Fatalf("%+v of\n%+v", info.SysCapabilities, p.Capabilities)
		}
		if len(info.OrgTLVs) != len(p.Org) {
			t.Fatalf("%d organizational TLVs of %d", len(info.OrgTLVs), len(p.Org))
		}
		for i, o := range info.OrgTLVs {
			oui := p.Org[i].OUI
			if uint32(o.OUI) != uint32(oui[0])<<16|uint32(oui[1])<<8|uint32(oui[2]) || o.SubType != p.Org[i].Subtype ||
				!bytes.Equal(o.Info, p.Org[i].Info) {
				t.Fatalf("%+v of\n%+v", o, p.Org[i])
			}
		}
	})
}

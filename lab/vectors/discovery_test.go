package vectors

import (
	"encoding/binary"
	"slices"

	"uelink/lldp"
	"uelink/lldp/dcbx"
	"uelink/lldp/ue"
	"uelink/wire"
	"uelink/wire/layout"
)

// discovery makes the vectors of LLDP TLVs.
func (b *builder) discovery() {
	b.tlv("tlv_link", ue.SubtypeLink, 0xC001)
	b.tlv("tlv_cbfc", ue.SubtypeCBFC, 0x0800)
	b.tlv("tlv_wishes", ue.SubtypeWishes, 0x01D0)
	b.dcbx()
}

// lldpdu returns a frame with one organizationally specific TLV, and the octet after its subtype.
func lldpdu(org lldp.Org) (frame []byte, at int) {
	p := lldp.PDU{Chassis: lldp.ChassisID{Subtype: lldp.ChassisMAC, ID: source[:]},
		Port: lldp.PortID{Subtype: lldp.PortIfName, ID: []byte("eth0")}, TTL: 120, Org: []lldp.Org{org}}
	frame, _ = lldp.AppendFrame(nil, lldp.NearestBridge, source, &p)
	return frame, wire.HeaderLen + 9 + 7 + 4 + 2 + 4
}

// tlv makes the vectors of a TLV of Ultra Ethernet.
func (b *builder) tlv(name string, subtype uint8, first uint16) {
	f := linkFormat(name)
	v := Vector{Dialect: "seed", Format: f.Name, Link: LinkEthernet}
	add := func(name, kind string, h layout.Header, info []byte) {
		frame, at := lldpdu(lldp.Org{OUI: ue.DefaultOUI, Subtype: subtype, Info: info})
		v.Name, v.Kind, v.Octets, v.Fields = name, kind, frame, nil
		if len(info) >= f.Len {
			v.Fields = fieldsOf(h, at)
		}
		b.add(v)
	}
	real := f.Blank(first)
	if name == "tlv_cbfc" {
		put(put(real, "lossless_vcs", 0x80000003), "credit_pool_size", 0x1234)
	}
	add("lldp/"+name+"/real", KindReal, real, real.Octets)
	add("lldp/"+name+"/real/longer", KindReal, real, append(slices.Clone(real.Octets), 1, 2, 3))
	add("lldp/"+name+"/negative/cut", KindNegative, real, real.Octets[:f.Len-1])
	base := f.Blank(0)
	series(base, keepNone, func(kind, what string, h layout.Header) {
		add("lldp/"+name+"/"+kind+"/"+what, kind, h, h.Octets)
	})
}

// dcbx makes the vectors of the TLV of DCBX. Wireshark's own dissector decodes it.
func (b *builder) dcbx() {
	parts := []struct {
		kind   uint16
		format []*layout.Format
	}{
		{1, []*layout.Format{linkFormat("dcbx_control")}},
		{2, []*layout.Format{linkFormat("dcbx_feature"), linkFormat("dcbx_pg")}},
		{3, []*layout.Format{linkFormat("dcbx_feature"), linkFormat("dcbx_pfc")}},
		{4, []*layout.Format{linkFormat("dcbx_feature"), linkFormat("dcbx_app")}},
	}
	add := func(name, kind string, change func(part, header int, h layout.Header) layout.Header) {
		var info []byte
		var fields []Field
		_, at := lldpdu(lldp.Org{})
		for i, part := range parts {
			var body []byte
			start := at + len(info) + 2
			for j, f := range part.format {
				h := change(i, j, layout.Header{Format: f, Octets: make([]byte, f.Len)})
				fields = append(fields, fieldsOf(h, start+len(body))...)
				body = append(body, h.Octets...)
			}
			info = append(binary.BigEndian.AppendUint16(info, part.kind<<9|uint16(len(body))), body...)
		}
		frame, _ := lldpdu(lldp.Org{OUI: lldp.OUI{dcbx.OUI >> 16, dcbx.OUI >> 8 & 0xFF, dcbx.OUI & 0xFF},
			Subtype: dcbx.Subtype, Info: info})
		b.add(Vector{Name: name, Kind: kind, Dialect: "seed", Format: "dcbx", Link: LinkEthernet, Octets: frame,
			Fields: fields})
	}
	subtype := func(f *layout.Field) bool { return f.Name == "feature.subtype" }
	add("lldp/dcbx/real", KindReal, func(_, _ int, h layout.Header) layout.Header { return fill(h, subtype) })
	for i, part := range parts {
		for j, f := range part.format {
			series(layout.Header{Format: f, Octets: make([]byte, f.Len)}, subtype, func(kind, name string,
				walked layout.Header) {
				if kind == KindNegative {
					kind = KindWalk // receivers of DCBX ignore reserved bits
				}
				add("lldp/"+f.Name+dcbxPart(i, j)+"/"+kind+"/"+name, kind, func(pi, pj int,
					h layout.Header) layout.Header {
					if pi == i && pj == j {
						return walked
					}
					return h
				})
			})
		}
	}
}

// dcbxPart returns a suffix that distinguishes the headers of the features, which share one format.
func dcbxPart(part, header int) string {
	if header > 0 || part == 0 {
		return ""
	}
	return [...]string{"", "_of_pg", "_of_pfc", "_of_app"}[part]
}

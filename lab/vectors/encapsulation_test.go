package vectors

import (
	"slices"

	"uelink/wire"
	"uelink/wire/uet"
)

// encapsulations adds one packet of each dialect in every encapsulation of Ethernet and IP.
func (b *builder) encapsulations() {
	for i, name := range []string{"small_message", "req_medium"} {
		d := dialects[i]
		f := uet.FormatByName(d, name)
		h := f.Choose(f.Blank(0))
		octets, fields := carry(d, f, fill(h, kept(f)), true).with(h)
		b.encapsulate(d, octets, fields)
	}
}

// encapsulate adds vectors of a packet. fields are its fields when UDP over IPv4 carries octets.
func (b *builder) encapsulate(d wire.Dialect, octets []byte, fields []Field) {
	entropy := slices.Concat([]byte{0x12, 0x34, 0, 0}, octets)
	hops := slices.Concat([]byte{60, 0, 1, 4, 0, 0, 0, 0}, []byte{protocolUDP, 0, 1, 4, 0, 0, 0, 0}, udp6(octets))
	trimmed := ipv4(protocolUDP, TrimmedDSCP, nil, udp4(octets)[:8+12])
	fragment := ipv4(protocolUDP, 0, nil, udp4(octets))
	fragment[6], fragment[10], fragment[11] = 0x20, 0, 0
	check := ^sum(0, fragment[:20])
	fragment[10], fragment[11] = byte(check>>8), byte(check)
	pds := fields[:slices.IndexFunc(fields, func(f Field) bool { return f.At >= 8*(plainAt+12) })]
	for _, c := range []struct {
		name   string
		frame  []byte
		fields []Field
		at     int // octet of the PDS header
	}{
		{"udp_ipv4_tagged", ethernet(0x0800, ipv4(protocolUDP, 0, nil, udp4(octets)), 100), fields, plainAt + 4},
		{"udp_ipv4_two_tags", ethernet(0x0800, ipv4(protocolUDP, 0, nil, udp4(octets)), 100, 200), fields, plainAt + 8},
		{"udp_ipv4_options", ethernet(0x0800, ipv4(protocolUDP, 0, []byte{1, 1, 1, 0}, udp4(octets))), fields,
			plainAt + 4},
		{"udp_ipv6", ethernet(0x86DD, ipv6(protocolUDP, 0, udp6(octets))), fields, plainAt + 20},
		{"udp_ipv6_extensions", ethernet(0x86DD, ipv6(0, 0, hops)), fields, plainAt + 36},
		{"ipv4", ethernet(0x0800, ipv4(uet.DefaultProtocol, 0, nil, entropy)), fields, plainAt - 4},
		{"ipv6", ethernet(0x86DD, ipv6(uet.DefaultProtocol, 0, entropy)), fields, plainAt + 16},
		{"trimmed", ethernet(0x0800, trimmed), pds, plainAt},
		{"fragment", ethernet(0x0800, fragment), nil, plainAt},
	} {
		v := Vector{Name: d.String() + "/encapsulation/" + c.name, Kind: KindReal, Dialect: d.String(),
			Format: "packet", Link: LinkEthernet, Octets: c.frame, Fields: slices.Clone(c.fields)}
		shift(v.Fields, 8*(c.at-plainAt))
		switch c.name {
		case "ipv4", "ipv6":
			v.Fields = append([]Field{{"ueuet.entropy.value", 8 * (c.at - 4), 16, 0x1234}}, v.Fields...)
		case "trimmed":
			v.Fields = append(v.Fields, Field{"ueuet.trimmed", -1, 0, 1})
		}
		b.add(v)
	}
}

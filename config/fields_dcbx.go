package config

import (
	"uelink/config/schema"
	"uelink/lldp/dcbx"
)

// dcbxFields returns the schema of the configuration keys of DCBX, base specification 1.0 (DCBX), and Application
// of 1.01.
func dcbxFields() schema.Section[dcbxEntry] {
	return schema.Section[dcbxEntry]{
		schema.Value("mode", onOff(), "off", "`on`: LLDP frames carry the DCBX TLV (OUI 00-1B-21, subtype 2). Where LLDP goes one way only, DCBX is disabled, and its TLV reports that to the peer.", func(e *dcbxEntry) *bool { return &e.on }),
		schema.Value("dcbnl", schema.Either("off", "apply"), "off",
			"`apply`: the agreed configuration is written to the NIC by DCBNL, which may reset the NIC; `off`: the NIC is left as it is.",
			func(e *dcbxEntry) *bool { return &e.apply }),
		schema.Nested("pg", "Priority Groups.", groupFields(), func(e *dcbxEntry) *dcbxEntry { return e }),
		schema.Nested("pfc", "Priority-based Flow Control.", flowFields(), func(e *dcbxEntry) *dcbxEntry { return e }),
		schema.Nested("app", "Application; not sent without this section.", protocolFields(), func(e *dcbxEntry) *dcbxEntry { return e }),
	}
}

// onOff returns the schema.Kind that parses the words on and off. YAML 1.1 reads them as booleans; this parser
// does not.
func onOff() schema.Kind[bool] {
	return schema.Mapped(schema.Choice[schema.Word]("on", "off"), func(w schema.Word) bool { return w == "on" })
}

// featureFields returns the schema of the configuration keys that every DCBX feature has (DCBX, 2.4.3.1); willing
// is the default of the key willing.
func featureFields[C any](willing string, at func(*dcbxEntry) *dcbx.Params[C]) schema.Section[dcbxEntry] {
	return schema.Section[dcbxEntry]{
		schema.Value("enabled", schema.Boolean(), "true", "Enable the feature; it is in use if both ends enable it.", func(e *dcbxEntry) *bool { return &at(e).Enable }),
		schema.Value("willing", schema.Boolean(), willing, "Adopt the configuration of a peer that is not willing.", func(e *dcbxEntry) *bool { return &at(e).Willing }),
		schema.Value("advertise", schema.Boolean(), "true", "Take part in the exchange. `false`: the configuration of this port holds without an exchange.", func(e *dcbxEntry) *bool { return &at(e).Advertise }),
	}
}

func groupFields() schema.Section[dcbxEntry] {
	pg := func(e *dcbxEntry) *dcbx.Params[dcbx.PG] { return &e.local.PG }
	return append(featureFields("true", pg),
		schema.Scalars("priority_group", schema.Whole[uint8](0, dcbx.PGStrict), 8, "0 0 0 0 0 0 0 0",
			"Group of each of the priorities 0 to 7: 0 to 7, or 15, which is served first and has no share.",
			func(e *dcbxEntry, list []uint8) { copy(pg(e).Config.Group[:], list) }),
		schema.Scalars("bandwidth", schema.Whole[uint8](0, 100), 8, "100 0 0 0 0 0 0 0",
			"Share of each of the groups 0 to 7 in percent; the sum is 100. "+
				"On an edge the queues of a group share its part equally.",
			func(e *dcbxEntry, list []uint8) { copy(pg(e).Config.Percentage[:], list) }),
		schema.Value("max_tcs", schema.Whole[uint8](1, 8), "8", "Traffic classes that the device has.",
			func(e *dcbxEntry) *uint8 { return &pg(e).Config.NumTCs }),
	)
}

func flowFields() schema.Section[dcbxEntry] {
	pfc := func(e *dcbxEntry) *dcbx.Params[dcbx.PFC] { return &e.local.PFC }
	return append(featureFields("true", pfc),
		schema.Scalars("priorities", schema.Whole[uint8](0, 7), 0, "", "Priorities with PFC.",
			func(e *dcbxEntry, list []uint8) { e.priorities = list }),
		schema.Value("max_tcs", schema.Whole[uint8](1, 8), "8", "Traffic classes that can have PFC at a time.",
			func(e *dcbxEntry) *uint8 { return &pfc(e).Config.NumTCs }),
	)
}

func protocolFields() schema.Section[dcbxEntry] {
	return append(featureFields("false", func(e *dcbxEntry) *dcbx.Params[dcbx.App] { return &e.local.App }),
		schema.List("entries", "Protocols and their priorities.", schema.Section[protocolEntry]{
			schema.Value("ethertype", schema.Whole[uint16](0, 0xFFFF), "0", "EtherType of the protocol; 0 = it has a `port`.", func(p *protocolEntry) *uint16 { return &p.etherType }),
			schema.Value("port", schema.Whole[uint16](0, 0xFFFF), "0", "TCP or UDP port of the protocol; 0 = it has an `ethertype`.", func(p *protocolEntry) *uint16 { return &p.port }),
			schema.Scalars("priorities", schema.Whole[uint8](0, 7), 0, "", "Priorities of the protocol.", func(p *protocolEntry, list []uint8) { p.priorities = list }),
		}, func(e *dcbxEntry) *[]protocolEntry { return &e.protocols }),
	)
}

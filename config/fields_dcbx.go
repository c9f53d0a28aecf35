package config

import "uelink/lldp/dcbx"

// dcbxFields is DCBX of base specification 1.0 (DCBX), and Application of
// 1.01.
func dcbxFields() section[dcbxEntry] {
	return section[dcbxEntry]{
		value("mode", onOff(), "off", "`on`: LLDP frames carry the DCBX TLV (OUI 00-1B-21, subtype 2). Where LLDP goes one way only, DCBX is disabled and says so.", func(e *dcbxEntry) *bool { return &e.on }),
		value("dcbnl", either("off", "apply"), "off",
			"`apply`: what is agreed is set on the NIC by DCBNL, which may reset it; `off`: the NIC is left as it is.",
			func(e *dcbxEntry) *bool { return &e.apply }),
		nested("pg", "Priority Groups.", groupFields(), func(e *dcbxEntry) *dcbxEntry { return e }),
		nested("pfc", "Priority-based Flow Control.", flowFields(), func(e *dcbxEntry) *dcbxEntry { return e }),
		nested("app", "Application; not sent without this section.", protocolFields(), func(e *dcbxEntry) *dcbxEntry { return e }),
	}
}

// onOff is on or off. YAML 1.1 takes the words for booleans; this parser does not.
func onOff() kind[bool] {
	return mapped(choice[word]("on", "off"), func(w word) bool { return w == "on" })
}

// featureFields is the parameters that every feature has (DCBX, 2.4.3.1).
func featureFields[C any](willing string, at func(*dcbxEntry) *dcbx.Params[C]) section[dcbxEntry] {
	return section[dcbxEntry]{
		value("enabled", boolean(), "true", "The feature is wanted; both ends have to want it.", func(e *dcbxEntry) *bool { return &at(e).Enable }),
		value("willing", boolean(), willing, "Take the configuration of a peer that is not willing.", func(e *dcbxEntry) *bool { return &at(e).Willing }),
		value("advertise", boolean(), "true", "Take part in the exchange; if not, the configuration holds as it stands.", func(e *dcbxEntry) *bool { return &at(e).Advertise }),
	}
}

func groupFields() section[dcbxEntry] {
	pg := func(e *dcbxEntry) *dcbx.Params[dcbx.PG] { return &e.local.PG }
	return append(featureFields("true", pg),
		scalars("priority_group", whole[uint8](0, dcbx.PGStrict), 8, "0 0 0 0 0 0 0 0",
			"Group of each of the priorities 0 to 7: 0 to 7, or 15, which is served first and has no share.",
			func(e *dcbxEntry, list []uint8) { copy(pg(e).Config.Group[:], list) }),
		scalars("bandwidth", whole[uint8](0, 100), 8, "100 0 0 0 0 0 0 0",
			"Share of each of the groups 0 to 7 in percent; 100 together. "+
				"On an edge its queues have equal parts of it.",
			func(e *dcbxEntry, list []uint8) { copy(pg(e).Config.Percentage[:], list) }),
		value("max_tcs", whole[uint8](1, 8), "8", "Traffic classes that the device has.",
			func(e *dcbxEntry) *uint8 { return &pg(e).Config.NumTCs }),
	)
}

func flowFields() section[dcbxEntry] {
	pfc := func(e *dcbxEntry) *dcbx.Params[dcbx.PFC] { return &e.local.PFC }
	return append(featureFields("true", pfc),
		scalars("priorities", whole[uint8](0, 7), 0, "", "Priorities with PFC.",
			func(e *dcbxEntry, list []uint8) { e.priorities = list }),
		value("max_tcs", whole[uint8](1, 8), "8", "Traffic classes that can have PFC at a time.",
			func(e *dcbxEntry) *uint8 { return &pfc(e).Config.NumTCs }),
	)
}

func protocolFields() section[dcbxEntry] {
	return append(featureFields("false", func(e *dcbxEntry) *dcbx.Params[dcbx.App] { return &e.local.App }),
		list("entries", "Which protocol has which priorities.", section[protocolEntry]{
			value("ethertype", whole[uint16](0, 0xFFFF), "0", "EtherType of the protocol; 0 = it has a `port`.", func(p *protocolEntry) *uint16 { return &p.etherType }),
			value("port", whole[uint16](0, 0xFFFF), "0", "TCP or UDP port of the protocol; 0 = it has an `ethertype`.", func(p *protocolEntry) *uint16 { return &p.port }),
			scalars("priorities", whole[uint8](0, 7), 0, "", "Its priorities.", func(p *protocolEntry, list []uint8) { p.priorities = list }),
		}, func(e *dcbxEntry) *[]protocolEntry { return &e.protocols }),
	)
}

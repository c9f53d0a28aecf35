package config

import (
	"uelink/config/schema"
	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/dialect"
	"uelink/lldp/dcbx/ieee"
)

// dcbxFields returns the schema of the configuration keys of DCBX, in both dialects: IEEE 802.1Qaz, and base
// specification 1.0 (CEE) with Application of 1.01.
// Clauses: DCBX/lldp.7, DCBX/feature.5.
func dcbxFields() schema.Section[dcbxEntry] {
	return schema.Section[dcbxEntry]{
		schema.Value("mode", onOff(), "off", "`on`: LLDP frames carry the DCBX TLVs of `version`. Where LLDP goes one way only, DCBX is disabled.", func(e *dcbxEntry) *bool { return &e.on }),
		schema.Value("version", schema.Choice(dialect.Auto, dialect.IEEE, dialect.CEE), "auto",
			"Dialect. `ieee`: that of IEEE 802.1Qaz (OUI 00-80-C2, subtypes 9 to 12). `cee`: that of base specification 1.0 "+
				"(OUI 00-1B-21, subtype 2). `auto`: IEEE, and CEE with a peer that has shown CEE alone for 3 s.",
			func(e *dcbxEntry) *dialect.Version { return &e.version }),
		schema.Value("dcbnl", schema.Either("off", "apply"), "off",
			"`apply`: the agreed configuration is written to the NIC by DCBNL, which may reset the NIC; the daemon "+
				"restores the former settings of the NIC at its end. `off`: the NIC is left as it is.",
			func(e *dcbxEntry) *bool { return &e.apply }),
		schema.Nested("pg", "Priority Groups. In the dialect of IEEE each group is a traffic class, numbered from 0 without "+
			"gaps, with ETS, and group 15 is the class after them, with strict priority.", groupFields(),
			func(e *dcbxEntry) *dcbxEntry { return e }),
		schema.Nested("ets", "Enhanced transmission selection, in the dialect of IEEE only: tables in place of those that follow "+
			"from `pg`, whose `enabled`, `willing`, `advertise` and `max_tcs` hold here too.", enhancedFields(),
			func(e *dcbxEntry) *dcbxEntry { return e }),
		schema.Nested("pfc", "Priority-based Flow Control.", flowFields(), func(e *dcbxEntry) *dcbxEntry { return e }),
		schema.Nested("app", "Application: priorities of protocols; not sent without this section.", protocolFields(), func(e *dcbxEntry) *dcbxEntry { return e }),
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
		schema.Value("advertise", schema.Boolean(), "true", "Exchange the feature with the peer by DCBX. `false`: the port uses its own configuration of the feature.", func(e *dcbxEntry) *bool { return &at(e).Advertise }),
	}
}

// groupFields returns the schema of the configuration key dcbx.pg: priority groups, in CEE.
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
		schema.Value("max_tcs", schema.Whole[uint8](1, 8), "8", "Number of traffic classes that the device has.",
			func(e *dcbxEntry) *uint8 { return &pg(e).Config.NumTCs }),
	)
}

// flowFields returns the schema of the configuration key dcbx.pfc.
// Clauses: DCBX/pfc.6.
func flowFields() schema.Section[dcbxEntry] {
	pfc := func(e *dcbxEntry) *dcbx.Params[dcbx.PFC] { return &e.local.PFC }
	return append(featureFields("true", pfc),
		schema.Scalars("priorities", schema.Whole[uint8](0, 7), 0, "", "Priorities with PFC.",
			func(e *dcbxEntry, list []uint8) { e.priorities = list }),
		schema.Value("max_tcs", schema.Whole[uint8](1, 8), "8",
			"Number of traffic classes that can have PFC at the same time.",
			func(e *dcbxEntry) *uint8 { return &pfc(e).Config.NumTCs }),
		schema.Value("mbc", schema.Boolean(), "false", "Advertise MBC (MACsec bypass capability), in IEEE only.",
			func(e *dcbxEntry) *bool { return &e.mbc }),
	)
}

// algorithm is a transmission selection algorithm.
type algorithm uint8

// String returns the algorithm's name in the configuration.
func (a algorithm) String() string {
	switch a {
	case ieee.CreditShaper:
		return "cbs"
	case ieee.Enhanced:
		return "ets"
	case ieee.Vendor:
		return "vendor"
	}
	return "strict"
}

// enhancedFields returns the schema of the configuration key dcbx.ets: own and recommended tables, in IEEE.
func enhancedFields() schema.Section[dcbxEntry] {
	tables := func(at func(*dcbxEntry) *ieee.ETS) schema.Section[dcbxEntry] {
		return schema.Section[dcbxEntry]{
			schema.Scalars("traffic_class", schema.Whole[uint8](0, 7), 8, "0 0 0 0 0 0 0 0",
				"Traffic class of each of the priorities 0 to 7.", func(e *dcbxEntry, list []uint8) { copy(at(e).Class[:], list) }),
			schema.Scalars("bandwidth", schema.Whole[uint8](0, 100), 8, "100 0 0 0 0 0 0 0",
				"Share of each of the traffic classes 0 to 7 in percent of the bandwidth that other classes leave; the sum over the "+
					"classes with `ets` is 100.", func(e *dcbxEntry, list []uint8) { copy(at(e).Bandwidth[:], list) }),
			schema.Scalars("tsa", schema.Choice[algorithm](ieee.Strict, ieee.CreditShaper, ieee.Enhanced, ieee.Vendor), 8,
				"ets strict strict strict strict strict strict strict",
				"Transmission selection algorithm of each of the traffic classes 0 to 7. On an edge every class but those with `ets` "+
					"is served first.", func(e *dcbxEntry, list []algorithm) {
					for i, a := range list {
						at(e).Algorithm[i] = uint8(a)
					}
				}),
		}
	}
	return append(tables(func(e *dcbxEntry) *ieee.ETS { return &e.tables }),
		schema.Value("cbs", schema.Boolean(), "false", "Advertise the credit-based shaper.",
			func(e *dcbxEntry) *bool { return &e.cbs }),
		schema.Nested("recommend", "Tables recommended to a willing peer; without this section, the tables of this port.",
			tables(func(e *dcbxEntry) *ieee.ETS { return &e.recommend }), func(e *dcbxEntry) *dcbxEntry { return e }),
	)
}

// protocolFields returns the schema of the configuration key dcbx.app.
func protocolFields() schema.Section[dcbxEntry] {
	return append(featureFields("false", func(e *dcbxEntry) *dcbx.Params[dcbx.App] { return &e.local.App }),
		schema.Value("default_priority", schema.OrWord("none", noPriority, schema.Whole[uint8](0, 7)), "none",
			"Priority of all frames without an entry; CEE does not send it.",
			func(e *dcbxEntry) *uint8 { return &e.defaultPriority }),
		schema.List("entries", "Protocols and their priorities.", schema.Section[protocolEntry]{
			schema.Value("ethertype", schema.Whole[uint16](0, 0xFFFF), "0", "EtherType of the protocol; 0 = another key of the entry names the protocol.", func(p *protocolEntry) *uint16 { return &p.etherType }),
			schema.Value("port", schema.Whole[uint16](0, 0xFFFF), "0", "Port of TCP, UDP, SCTP or DCCP; 0 = another key of the entry names the protocol.", func(p *protocolEntry) *uint16 { return &p.port }),
			schema.Value("tcp_port", schema.Whole[uint16](0, 0xFFFF), "0", "Port of TCP or SCTP; CEE sends it as `port`.", func(p *protocolEntry) *uint16 { return &p.tcp }),
			schema.Value("udp_port", schema.Whole[uint16](0, 0xFFFF), "0", "Port of UDP or DCCP; CEE sends it as `port`.", func(p *protocolEntry) *uint16 { return &p.udp }),
			schema.Value("dscp", schema.OrWord("none", noDSCP, schema.Whole[uint16](0, 63)), "none", "DSCP of IP; CEE does not send it.", func(p *protocolEntry) *uint16 { return &p.dscp }),
			schema.Scalars("priorities", schema.Whole[uint8](0, 7), 0, "", "Priorities of the protocol; IEEE 802.1Qaz sends an entry for each priority.", func(p *protocolEntry, list []uint8) { p.priorities = list }),
		}, func(e *dcbxEntry) *[]protocolEntry { return &e.protocols }),
	)
}

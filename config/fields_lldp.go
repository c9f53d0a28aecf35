package config

import (
	"slices"
	"time"

	"uelink/config/schema"
	"uelink/lldp"
	"uelink/lldp/station"
	"uelink/wire"
)

// stationFields returns the schema of the configuration keys of the section lldp.
// Clauses: UE-LINK/link-tlv.3, UE-LINK/cbfc-tlv.3.
func stationFields() schema.Section[lldpStation] {
	return schema.Section[lldpStation]{
		schema.Value("system_name", tlvText(), "", "System Name; empty = the host name.", func(s *lldpStation) *string { return &s.system.Name }),
		schema.Value("system_description", tlvText(), "", "System Description; empty = kernel name, release and machine.",
			func(s *lldpStation) *string { return &s.system.Description }),
		schema.Value("chassis_id", policy(lldp.ParseChassisPolicy), "mac", "Chassis ID. `mac`: the address of the first port whose interface exists.",
			func(s *lldpStation) *lldp.Policy { return &s.system.Chassis }),
		schema.Scalars("capabilities", capability(), 0, "", "System Capabilities; with none the TLV is left out.",
			func(s *lldpStation, list []lldp.CapabilitySet) { s.capabilities = list }),
		schema.Scalars("enabled_capabilities", capability(), 0, "", "The `capabilities` that are in use.",
			func(s *lldpStation, list []lldp.CapabilitySet) { s.enabled = list }),
		schema.Scalars("management_addresses", management(), 0, "", "Management Addresses. `auto`: the first global IPv4 and the first global IPv6 address of the host.",
			func(s *lldpStation, list []managementAddress) { s.management = list }),
		schema.Value("ue_oui", oui(), "fa:7a:cb", "OUI of the UE TLVs; both ends need the same.", func(s *lldpStation) *lldp.OUI { return &s.system.UEOUI }),
	}
}

// lldpFields returns the schema of the configuration keys lldp and dcbx of a port.
func lldpFields() schema.Section[portEntry] {
	return schema.Section[portEntry]{
		schema.Nested("lldp", "LLDP on the port.", agentFields(), func(p *portEntry) *portEntry { return p }),
		schema.Nested("dcbx", "DCB capability exchange by the nearest-bridge agent. "+
			"The agreed configuration applies to the frames of an edge: PFC with `pfc.mode: dynamic`, and the priority groups as "+
			"scheduler where `qos.scheduler` is not set. "+
			"On other ports it is only shown.", dcbxFields(),
			func(p *portEntry) *dcbxEntry { return &p.dcbx }),
	}
}

// agentFields returns the schema of the configuration keys of a port's LLDP agents.
func agentFields() schema.Section[portEntry] {
	modes := []lldpMode{{auto: true}, {fixed: lldp.RxTx}, {fixed: lldp.RxOnly}, {fixed: lldp.TxOnly}, {fixed: lldp.Off}}
	mode := schema.Value("mode", schema.Choice(modes...), "auto",
		"Directions of LLDP. `auto`: `rx-tx` on links and on hosts, `off` on edges.",
		func(p *portEntry) *lldpMode { return &p.mode })
	custom := schema.List("custom_tlvs", "Organizationally specific TLVs to send.", schema.Section[lldp.Org]{
		schema.Required("oui", oui(), "OUI.", func(o *lldp.Org) *lldp.OUI { return &o.OUI }),
		schema.Required("subtype", schema.Whole[uint8](0, 255), "Subtype.", func(o *lldp.Org) *uint8 { return &o.Subtype }),
		schema.Value("info", hexadecimal(lldp.MaxOrgInfo), "", "Information string: the octets after the subtype.", func(o *lldp.Org) *[]byte { return &o.Info }),
	}, func(p *portEntry) *[]lldp.Org { return &p.custom })
	parameters := schema.Within(parameterFields(), func(p *portEntry) *station.Port { return &p.agent })
	return slices.Concat(schema.Section[portEntry]{mode}, parameters, schema.Section[portEntry]{custom})
}

// parameterFields returns the schema of the configuration keys that all agents of a port share. The times and
// counts are those of 802.1AB.
func parameterFields() schema.Section[station.Port] {
	type port = station.Port
	return schema.Section[port]{
		schema.Scalars("destinations", destination(), 0, "nearest-bridge", "Group addresses, an agent for each. UE and DCBX TLVs go to `nearest-bridge` only.",
			func(p *port, list []wire.MAC) { p.Destinations = list }),
		schema.Value("port_id", policy(lldp.ParsePortPolicy), "ifname", "Port ID.", func(p *port) *lldp.Policy { return &p.ID }),
		schema.Value("port_description", tlvText(), "", "Port Description; empty = the interface's alias, else its name.", func(p *port) *string { return &p.Description }),
		schema.Value("tx_interval", seconds(1, 3600), "30s", "Time between two frames.", func(p *port) *int { return &p.Timers.TxInterval }),
		schema.Value("tx_hold", schema.Whole(2, 10), "4", "Number of `tx_interval`s for which a neighbour keeps the data it received.", func(p *port) *int { return &p.Timers.TxHold }),
		schema.Value("tx_fast_interval", seconds(1, 3600), "1s", "Time between two frames while a neighbour is new.", func(p *port) *int { return &p.Timers.FastTx }),
		schema.Value("tx_fast_init", schema.Whole(1, 8), "4", "Number of frames sent at `tx_fast_interval`.", func(p *port) *int { return &p.Timers.TxFastInit }),
		schema.Value("reinit_delay", seconds(1, 10), "2s", "Time between a shutdown frame and the next start of transmission.", func(p *port) *int { return &p.Timers.ReinitDelay }),
		schema.Value("tx_credit_max", schema.OrAuto(schema.Whole(1, 10)), "auto",
			"Largest number of frames that may follow each other within a second. `auto`: 1 with DCBX, as its specification demands, else 5.", func(p *port) *int { return &p.Timers.TxCreditMax }),
		schema.Value("max_neighbors", schema.Whole(1, 1024), "32", "Largest number of neighbours that an agent keeps.", func(p *port) *int { return &p.MaxNeighbors }),
	}
}

// seconds returns the schema.Kind that parses a duration of whole seconds, from lo to hi seconds.
func seconds(lo, hi int) schema.Kind[int] {
	k := schema.Duration(time.Duration(lo)*time.Second, time.Duration(hi)*time.Second)
	k.Values += ", whole seconds"
	return schema.NewKind(k.Values, k.JSON, func(s schema.Scalar) (int, error) {
		d, err := k.Parse(s)
		if err == nil && d%time.Second != 0 {
			err = errNotWhole(s.Text)
		}
		return int(d / time.Second), err
	})
}

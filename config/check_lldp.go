package config

import (
	"cmp"
	"errors"
	"slices"

	"uelink/config/schema"
	"uelink/dataplane/model"
	"uelink/lldp"
	"uelink/lldp/dcbx"
)

// checkStation refuses an enabled capability that is not among the capabilities (802.1AB 8.5.8.3).
func (w checks) checkStation(s *lldpStation) {
	for i, c := range s.enabled {
		if c != 0 && !w.Wrong("lldp.capabilities") && !slices.Contains(s.capabilities, c) {
			w.FailAt(schema.Element("lldp.enabled_capabilities", i),
				"%s is not in lldp.capabilities: add it there", c.Names()[0])
		}
	}
}

// checkLLDP checks the destinations of LLDP on the port, and that LLDP runs as llr.mode, cbfc.mode and dcbx.mode need
// it.
func (w checks) checkLLDP(p *portEntry, path string) {
	destinations := schema.Join(path, "lldp.destinations")
	if len(p.agent.Destinations) == 0 && w.Has(destinations) && !w.Wrong(destinations) {
		w.FailAt(destinations, "at least one destination is needed; mode: off switches LLDP off")
	}
	if i := repeated(p.agent.Destinations); i >= 0 {
		w.FailAt(schema.Element(destinations, i), "this destination is already there")
	}
	for key, needed := range map[string]bool{
		"llr.mode":  p.frames.LLR.Mode == model.LLRDynamic,
		"cbfc.mode": p.cbfc.mode == cbfcDynamic && p.frames.Role == model.RoleLink,
		"dcbx.mode": p.dcbx.on,
	} {
		// LLDP in one direction is allowed for DCBX: DCBX then is disabled, and reports so (DCBX, 2.3).
		oneWay := key == "dcbx.mode" && p.adminStatus() != lldp.Off
		if needed {
			w.checkAgent(p, path, schema.Join(path, key), oneWay)
		}
	}
	w.checkDCBX(p, schema.Join(path, "dcbx"))
}

// checkAgent reports a problem of key key if the port's LLDP does not run as that key needs: with the destination
// nearest-bridge, and in both directions unless oneWay is true. path is the port's place in the configuration.
// Clauses: DCBX/lldp.11.
func (w checks) checkAgent(p *portEntry, path, key string, oneWay bool) {
	if p.adminStatus() != lldp.RxTx && !oneWay {
		w.FailAt(key, "this needs LLDP in both directions: set lldp.mode of the port to rx-tx")
	}
	if !slices.Contains(p.agent.Destinations, lldp.NearestBridge) && !w.Wrong(schema.Join(path, "lldp.destinations")) {
		w.FailAt(key, "this needs the destination nearest-bridge in lldp.destinations")
	}
}

// checkDCBX checks the DCBX parameters of a port for both dialects, by their Validate. Without a section app, the
// Application feature is left out. It notes whether section ets has tables of the port, and recommended tables.
func (w checks) checkDCBX(p *portEntry, path string) {
	e := &p.dcbx
	if !w.Has(schema.Join(path, "app")) {
		e.local.App = dcbx.Default().App
	}
	w.checkProtocols(e, schema.Join(path, "app.entries"))
	ets := schema.Join(path, "ets")
	for _, key := range []string{"traffic_class", "bandwidth", "tsa"} {
		e.hasTables = e.hasTables || w.Has(schema.Join(ets, key))
		e.recommends = e.recommends || w.Has(schema.Join(ets, "recommend."+key))
	}
	if w.Wrong(path) || e.local.PG.Config.NumTCs == 0 {
		return // a problem of the section is reported already: Validate would report it twice
	}
	local := e.parameters()
	other := e.ieee(local)
	var problem *dcbx.ConfigError
	if err := cmp.Or(local.Validate(), other.Validate()); errors.As(err, &problem) {
		w.FailAt(schema.Join(path, dcbxKey(problem)), "%s", problem.Why)
	}
}

// checkProtocols checks that each entry of dcbx.app.entries has one protocol.
func (w checks) checkProtocols(e *dcbxEntry, path string) {
	for i := range e.protocols {
		p, n := &e.protocols[i], 0
		for _, given := range []bool{p.etherType != 0, p.port != 0, p.tcp != 0, p.udp != 0, p.dscp != noDSCP} {
			if given {
				n++
			}
		}
		if n != 1 {
			w.FailAt(schema.Element(path, i), "a protocol has one of ethertype, port, tcp_port, udp_port and dscp")
		}
	}
}

// dcbxKey returns the configuration key of a parameter that package dcbx refused.
func dcbxKey(e *dcbx.ConfigError) string {
	switch e.Field {
	case "traffic_class", "bandwidth", "tsa", "recommend":
		return schema.Join("ets", e.Field) // of IEEE
	}
	key, ok := map[string]string{"pgid": "priority_group", "pg_percentage": "bandwidth",
		"num_tcs_supported": "max_tcs"}[e.Field]
	if !ok {
		key = "entries"
	}
	return schema.Join(e.Feature.String(), key)
}

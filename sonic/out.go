package sonic

import (
	"maps"
	"strconv"
	"strings"
)

// statPrefix begins SAI's names of a port's statistics; SONiC's capabilities have the rest of the name.
const statPrefix = "SAI_PORT_STAT_"

// Rows returns all rows that this machine wants in Redis: profiles, LLR of ports, states, capabilities and counters.
func (m *Machine) Rows() Rows {
	out := Rows{}
	m.capabilities(out)
	for name, b := range m.profiles {
		out.put(Key{ApplDB, tableApplProfile + ":" + name}, maps.Clone(b.fields))
	}
	for _, p := range m.ports {
		m.applRow(out, p)
		if actual, seen := m.plane.Ports[p.Port]; seen {
			m.portRows(out, p, actual)
		}
	}
	return out
}

// applRow adds to out the row of a port in LLR_PORT_TABLE of APPL_DB, if the port's LLR has a profile.
func (m *Machine) applRow(out Rows, p Port) {
	want := m.wanted[p.Name]
	if want.profile == "" {
		return
	}
	out.put(Key{ApplDB, tableApplPort + ":" + p.Name}, Row{
		fieldMode: want.mode, fieldLocal: enabled, fieldRemote: enabled, fieldProfile: want.profile,
	})
}

// capabilities adds to out the rows that say whether the daemon can do LLR, and which profile attributes and
// statistics it implements.
func (m *Machine) capabilities(out Rows) {
	if len(m.plane.Stats) == 0 {
		return // the daemon has not answered yet
	}
	capable := "false"
	for _, p := range m.ports {
		if m.plane.Ports[p.Port].Link {
			capable = "true"
		}
	}
	out.put(keyCapability, Row{
		"LLR_CAPABLE": capable, "LLR_SUPPORTED_PROFILE_ATTRIBUTES": strings.Join(m.plane.Attributes, ","),
	})
	row := Row{}
	for _, s := range m.plane.Stats {
		row[strings.TrimPrefix(s.Name, statPrefix)] = strconv.FormatBool(s.Reads)
	}
	out.put(keyCapabilities, row)
}

// portRows adds to out the rows of a port: object id, MTU and speed, counters, and, while the daemon responds,
// operational status and LLR states.
func (m *Machine) portRows(out Rows, p Port, actual PlanePort) {
	out.put(keyNameMap, Row{p.Name: actual.OID.String()})
	state := Row{fieldMTU: number(actual.MTU), fieldSpeed: number(actual.Speed)}
	if !m.away {
		state["netdev_oper_status"] = operStatus(actual.OperStatus)
		out.put(keyPortState(p.Name), Row{"tx_status": actual.TxStatus, "rx_status": actual.RxStatus})
	}
	out.put(keyStatePort(p.Name), state)
	if actual.Link && m.accepted.flex.on {
		out.put(keyFlex(actual.OID), m.flexRow())
	}
	if counts := m.countRow(actual.OID.String()); actual.Link {
		out.put(keyCounters(actual.OID), counts)
	}
}

// number returns n as decimal text; empty for 0, which means unknown.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// operStatus returns SONiC's word for the daemon's operational status of an interface: "up" for "up", "down" for any
// other.
func operStatus(s string) string {
	if s == "up" {
		return "up"
	}
	return "down"
}

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
		if is, seen := m.known.Ports[p.Port]; seen {
			m.portRows(out, p, is)
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
	if len(m.known.Stats) == 0 {
		return // the daemon has not answered yet
	}
	capable := "false"
	for _, p := range m.ports {
		if m.known.Ports[p.Port].Link {
			capable = "true"
		}
	}
	out.put(keyCapability, Row{
		"LLR_CAPABLE": capable, "LLR_SUPPORTED_PROFILE_ATTRIBUTES": strings.Join(m.known.Attributes, ","),
	})
	row := Row{}
	for _, s := range m.known.Stats {
		row[strings.TrimPrefix(s.Name, statPrefix)] = strconv.FormatBool(s.Reads)
	}
	out.put(keyCapabilities, row)
}

// portRows adds to out the rows of a port: object id, MTU and speed, counters, and, while the daemon responds,
// operational status and LLR states.
func (m *Machine) portRows(out Rows, p Port, is PlanePort) {
	out.put(keyNameMap, Row{p.Name: is.OID.String()})
	state := Row{fieldMTU: number(is.MTU), fieldSpeed: number(is.Speed)}
	if !m.away {
		state["netdev_oper_status"] = operStatus(is.OperStatus)
		out.put(keyPortState(p.Name), Row{"tx_status": is.TxStatus, "rx_status": is.RxStatus})
	}
	out.put(keyStatePort(p.Name), state)
	if is.Link && m.accepted.flex.on {
		out.put(keyFlex(is.OID), m.flexRow())
	}
	if counts := m.countRow(is.OID.String()); is.Link {
		out.put(keyCounters(is.OID), counts)
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

package sonic

import (
	"maps"
	"slices"
	"strconv"
)

// hostRow is the fields of a row of PORT that are used; an empty text means that the row lacks the field.
type hostRow struct{ admin, mtu string }

// The range of PORT's mtu.
const (
	leastMTU = 68
	mostMTU  = 9216
)

// readHost reads the row of PORT of a port: admin status and MTU. nil means that there is no row. An invalid value is
// reported to problems, and the last valid value stays; other fields are reported as ignored.
func (a *accepted) readHost(port string, row Row, problems *problems) {
	if row == nil {
		delete(a.hosts, port)
		return
	}
	key, out := keyPort(port), a.hosts[port]
	out.admin, out.mtu = keep(row, fieldAdmin, out.admin), keep(row, fieldMTU, out.mtu)
	for _, field := range slices.Sorted(maps.Keys(row)) {
		switch value := row[field]; field {
		case fieldAdmin:
			if value != "up" && value != "down" {
				problems.add(key, field, "%q is not one of up, down", value)
				continue
			}
			out.admin = value
		case fieldMTU:
			if n, err := strconv.Atoi(value); err != nil || n < leastMTU || n > mostMTU {
				problems.add(key, field, "%q is no number from %d to %d", value, leastMTU, mostMTU)
				continue
			}
			out.mtu = value
		case placeholder:
		default:
			problems.note(key, field, "the value %q is ignored: only admin_status and mtu are used", value)
		}
	}
	a.hosts[port] = out
}

// keep returns accepted, the accepted value of a field, if the row still has the field; else "".
func keep(row Row, field, accepted string) string {
	if _, given := row[field]; !given {
		return ""
	}
	return accepted
}

// HostCall sets one property of the interface of a port.
type HostCall struct {
	Port, Interface string
	Field           string // field of PORT that asks for the change: mtu or admin_status
	MTU             int    // new MTU in octets; 0: the call sets the interface up or down instead
	Up              bool
}

// Hosts returns the changes of network interfaces (MTU, up or down) that the rows of PORT ask for and that are not
// done yet. The caller reports the outcome of each by HostDone.
func (m *Machine) Hosts() (list []HostCall) {
	for _, p := range m.ports {
		actual, seen := m.plane.Ports[p.Port]
		if m.away || !seen {
			continue
		}
		if actual.OperStatus == "absent" {
			delete(m.hosts, p.Name) // the interface returns without these settings
			continue
		}
		want, done := m.accepted.hosts[p.Name], m.hosts[p.Name]
		if want.mtu != done.mtu {
			n, _ := strconv.Atoi(want.mtu) // readHost has checked it
			list = append(list, HostCall{Port: p.Name, Interface: actual.Interface, Field: fieldMTU, MTU: n})
		}
		if want.admin != done.admin {
			list = append(list, HostCall{Port: p.Name, Interface: actual.Interface, Field: fieldAdmin,
				Up: want.admin == "up"})
		}
	}
	return slices.DeleteFunc(list, m.skipRemoved)
}

// skipRemoved reports whether a change is due only to a field that was removed from PORT, and records the change as
// done: the interface stays as it is.
func (m *Machine) skipRemoved(c HostCall) bool {
	want := m.accepted.hosts[c.Port]
	removed := c.Field == fieldMTU && want.mtu == "" || c.Field == fieldAdmin && want.admin == ""
	if removed {
		m.HostDone(c, nil)
	}
	return removed
}

// HostDone records the outcome of a change that Hosts has returned; err is nil if it was made. A change that failed
// is reported as a problem, and Hosts returns it again in the next pass.
func (m *Machine) HostDone(c HostCall, err error) {
	if err != nil {
		m.problems.add(keyPort(c.Port), c.Field, "%v", err)
		return
	}
	done, want := m.hosts[c.Port], m.accepted.hosts[c.Port]
	if c.Field == fieldMTU {
		done.mtu = want.mtu
	} else {
		done.admin = want.admin
	}
	m.hosts[c.Port] = done
}

package sonic

import (
	"strconv"
	"strings"
	"time"
)

// The time between two readings of the counters: the default, and the range in milliseconds that SONiC's counterpoll
// allows.
const (
	defaultInterval = 10 * time.Second
	leastInterval   = 100
	mostInterval    = 60000
)

// flex is row FLEX_COUNTER_TABLE|LLR: whether, and how often, the ports' statistics are read and written to
// COUNTERS_DB. Without the row they are not.
type flex struct {
	on       bool
	delayed  bool // FLEX_COUNTER_DELAY_STATUS: nothing is read yet
	interval time.Duration
}

// readFlex reads the row FLEX_COUNTER_TABLE|LLR: whether counters are on, whether they are delayed, and how often they
// are read. nil means that there is no row: the counters are off. An invalid value is reported to problems, and the
// last valid value stays.
func (a *accepted) readFlex(row Row, problems *problems) {
	const status, delay, interval = "FLEX_COUNTER_STATUS", "FLEX_COUNTER_DELAY_STATUS", "POLL_INTERVAL"
	if row == nil {
		a.flex = flex{interval: defaultInterval}
		problems.note(keyFlexCounter, "",
			"the row is missing: counters are written once FLEX_COUNTER_STATUS is enable")
		return
	}
	switch value := row[status]; value {
	case "enable":
		a.flex.on = true
	case "disable", "":
		a.flex.on = false
	default:
		problems.add(keyFlexCounter, status, "%q is not one of enable, disable", value)
	}
	switch value := row[delay]; value {
	case "true":
		a.flex.delayed = true
	case "false", "":
		a.flex.delayed = false
	default:
		problems.add(keyFlexCounter, delay, "%q is not one of true, false", value)
	}
	switch n, err := strconv.Atoi(row[interval]); {
	case row[interval] == "":
		a.flex.interval = defaultInterval
	case err != nil || n < leastInterval || n > mostInterval:
		problems.add(keyFlexCounter, interval, "%q is no number of milliseconds from %d to %d", row[interval],
			leastInterval,
			mostInterval)
	default:
		a.flex.interval = time.Duration(n) * time.Millisecond
	}
}

// Interval returns the time between two readings of the counters; 0 if counters are off.
func (m *Machine) Interval() time.Duration {
	if !m.accepted.flex.on || m.accepted.flex.delayed {
		return 0
	}
	return m.accepted.flex.interval
}

// count is a statistic that never goes back, although the daemon's counter begins at 0 again when the daemon restarts
// or an operator clears it: last is the present value of the counter, base the sum of the values before each new
// beginning.
type count struct{ base, last uint64 }

// total returns the value of a statistic over all beginnings of the daemon's counter.
func (c count) total() uint64 { return c.base + c.last }

// Counted returns the daemon's link ports whose statistics must be read, and the numbers of the statistics, the same
// for each port.
func (m *Machine) Counted() (ports []PlanePort, ids []uint32) {
	for _, p := range m.ports {
		if actual, seen := m.plane.Ports[p.Port]; seen && actual.Link {
			ports = append(ports, actual)
		}
	}
	for _, s := range m.plane.Stats {
		if s.Reads {
			ids = append(ids, s.ID)
		}
	}
	return ports, ids
}

// Count records the values of the statistics of the port with SAI object oid, in the order of Counted. A value
// smaller than the last one means that the daemon's counter has begun again: the last value is added to the base.
func (m *Machine) Count(oid string, values []uint64) {
	counts := m.counted[oid]
	if len(counts) != len(values) {
		counts = make([]count, len(values))
	}
	for i, n := range values {
		if n < counts[i].last {
			counts[i].base += counts[i].last
		}
		counts[i].last = n
	}
	m.counted[oid] = counts
}

// statNames returns the SAI names of the LLR statistics that the daemon can read.
func (m *Machine) statNames() (names []string) {
	for _, s := range m.plane.Stats {
		if s.Reads {
			names = append(names, s.Name)
		}
	}
	return names
}

// countRow returns the row of COUNTERS_DB of a port with its LLR statistics, by SAI name. It is empty until Count was
// called.
func (m *Machine) countRow(oid string) Row {
	counts, row := m.counted[oid], Row{}
	for i, name := range m.statNames() {
		if i < len(counts) {
			row[name] = strconv.FormatUint(counts[i].total(), 10)
		}
	}
	return row
}

// flexRow returns the row of FLEX_COUNTER_DB of a port, which lists the names of its statistics.
func (m *Machine) flexRow() Row { return Row{"PORT_COUNTER_ID_LIST": strings.Join(m.statNames(), ",")} }

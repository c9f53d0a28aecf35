package sonic

import (
	"strconv"
	"strings"

	"uelink/sai"
)

// Plane is the daemon as a pass sees it.
type Plane struct {
	Ports      map[string]PlanePort // by their names at the daemon
	Attributes []string             // implemented attributes of LLR profiles, by SAI's names without prefix
	Stats      []Stat               // SAI's LLR statistics of a port
}

// PlanePort is a port of the daemon.
type PlanePort struct {
	OID        sai.OID
	Link       bool
	Interface  string
	Mode       string // mode of LLR: off, static or dynamic
	OperStatus string // of the interface: up, down or absent
	Speed, MTU int    // Mb/s and octets; 0: unknown
	TxStatus   string // state of LLR's transmitter
	RxStatus   string // state of LLR's receiver
}

// Stat is an LLR statistic of a port.
type Stat struct {
	ID    uint32
	Name  string // in SAI
	Reads bool   // the daemon implements the statistic
}

// setPlane records the state of the daemon; nil means that the daemon does not respond. It reports a problem for each
// configured port that the daemon does not have.
func (m *Machine) setPlane(p *Plane) {
	if m.away = p == nil; m.away {
		return
	}
	m.plane = *p
	for _, port := range m.ports {
		if _, ok := p.Ports[port.Port]; !ok {
			m.problems.list(Problem{Key: "ports", Field: port.Name, Text: "uelinkd has no port " + port.Port})
		}
	}
}

// readSpeeds records the speed of each port from STATE_DB, or as the daemon reports it if STATE_DB has none.
func (m *Machine) readSpeeds(in Rows) {
	for _, p := range m.ports {
		speed := in[keyStatePort(p.Name)][fieldSpeed]
		if current := m.plane.Ports[p.Port].Speed; speed == "" && current > 0 {
			speed = strconv.Itoa(current)
		}
		m.speeds[p.Name] = speed
	}
}

// IsLLR reports whether a port statistic, given by its SAI name, is a statistic of LLR.
func IsLLR(name string) bool { return strings.HasPrefix(name, statPrefix+"LLR_") }

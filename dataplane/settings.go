// Package dataplane gives the ports of the frame path (package path) their sockets, and keeps them in step with their
// interfaces and with the operator's settings.
package dataplane

import (
	"slices"
	"time"

	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
	"uelink/llr"
)

// Settings is the whole configuration of the data plane. Package config has validated the values.
type Settings struct {
	Workers      int           // OS threads that own ports; links are spread over the threads, 0 = 1
	Spin         time.Duration // time a worker polls after its last work before a sleep
	RealTime     bool          // the workers may run in the classes SCHED_FIFO and SCHED_RR
	DrainTimeout time.Duration // most time that Drain waits for LLR to deliver its frames
	Profiles     map[string]llr.Profile
	Ports        []model.PortSettings
	XConnects    []XConnect
	Bridges      []BridgeSettings
	Trimming     model.TrimmingSettings `json:",omitzero"`
}

// XConnect ties one edge port to one link port.
type XConnect struct {
	Edge string
	Link string

	LinkLoss model.LinkLoss `json:",omitempty"`
	// With LinkLossForward: how long the link must be without carrier or partner before the host loses its carrier.
	LinkLossDelay time.Duration `json:",omitempty"`
}

// BridgeSettings is one bridge: a learning switch over ports of any role but host.
type BridgeSettings struct {
	Name string // unique among the bridges, and not the name of a port
	bridge.Settings
	Ports []BridgePort // 1 to bridge.MaxPorts; no port is in another bridge or an xconnect
}

// BridgePort is a port of a bridge. The data plane chooses its number in the bridge.
type BridgePort struct {
	Port string // name in Settings.Ports
	bridge.PortSettings
}

// port returns the settings of the bridge port with a name; nil if the port is not in the bridge.
func (s *BridgeSettings) port(name string) *BridgePort {
	i := slices.IndexFunc(s.Ports, func(p BridgePort) bool { return p.Port == name })
	if i < 0 {
		return nil
	}
	return &s.Ports[i]
}

// hasPort reports whether the settings have a port with the name.
func (s *Settings) hasPort(port string) bool {
	return slices.ContainsFunc(s.Ports, func(p model.PortSettings) bool { return p.Name == port })
}

// port returns the settings of the port with a name, which must exist.
func (s *Settings) port(name string) model.PortSettings {
	i := slices.IndexFunc(s.Ports, func(p model.PortSettings) bool { return p.Name == name })
	return s.Ports[i]
}

// everyPortConnected returns an error for the first port in no xconnect and no bridge. Such a port has nowhere to send
// frames.
func everyPortConnected(s Settings) error {
	for _, p := range s.Ports {
		inXConnect := slices.ContainsFunc(s.XConnects, func(x XConnect) bool { return x.Edge == p.Name || x.Link == p.Name })
		if !inXConnect && !slices.ContainsFunc(s.Bridges, func(b BridgeSettings) bool { return b.port(p.Name) != nil }) {
			return configError("port %s is in no xconnect or bridge: add one, or take the port out", p.Name)
		}
	}
	return nil
}

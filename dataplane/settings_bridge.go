package dataplane

import "uelink/dataplane/bridge"

// BridgeSettings is one bridge: a learning switch over ports of any role but host.
type BridgeSettings struct {
	Name string // unique among the bridges, and no port's
	bridge.Settings
	Ports []BridgePort // 1 to bridge.MaxPorts; no port is in another bridge or an xconnect
}

// BridgePort is a port of a bridge. The data plane chooses its number in the bridge.
type BridgePort struct {
	Port string // name in Settings.Ports
	bridge.PortSettings
}

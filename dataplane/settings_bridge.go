package dataplane

import "uelink/dataplane/bridge"

// BridgeSettings is one bridge: a learning switch over ports of any role but host.
type BridgeSettings struct {
	Name string // unique among the bridges, and no port's
	bridge.Settings
	Ports []BridgePort // 1 to bridge.MaxPorts; none is in another bridge or an xconnect
}

// BridgePort is a port of a bridge. Its number in the bridge is the data plane's to choose.
type BridgePort struct {
	Port string // name in Settings.Ports
	bridge.PortSettings
}

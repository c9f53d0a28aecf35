package dataplane

import (
	"errors"
	"time"

	"uelink/dataplane/bridge"
)

// ErrNoBridge is returned for the name of a bridge that is not configured.
var ErrNoBridge = errors.New("no such bridge")

// ErrNotBridged is returned by operations for bridge ports only.
var ErrNotBridged = errors.New("in no bridge")

// BridgePortStatus is whether a port of a bridge takes and sends frames.
type BridgePortStatus string

// The states of a port of a bridge.
const (
	BridgePortForwarding BridgePortStatus = "forwarding"
	BridgePortBlocked    BridgePortStatus = "blocked" // by the loop guard, for a while
	BridgePortDown       BridgePortStatus = "down"    // the interface is down or absent
)

// BridgeState is a snapshot of one bridge.
type BridgeState struct {
	Name     string
	Settings bridge.Settings
	Entries  int // addresses in the table, including static addresses
	Ports    []BridgePortState
	Counters bridge.Counters
}

// BridgePortState is a snapshot of one port of a bridge.
type BridgePortState struct {
	Port     string // name
	State    BridgePortStatus
	Settings bridge.PortSettings
	Counters bridge.PortCounters
}

// FDBEntry is an entry of the table of a bridge.
type FDBEntry struct {
	Bridge string // name
	Port   string // name
	MAC    [6]byte
	VLAN   uint16        // 0 in a bridge without VLAN filtering
	Static bool          // never ages; dynamic entries were learned
	Age    time.Duration // time since the last frame from the address; 0 if static
}

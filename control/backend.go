// Package control is how a running daemon is asked and told: an HTTP/JSON
// server on a unix socket, and its client.
//
//	GET    /v1/status                        Status
//	POST   /v1/confirm                       no body; 409 where nothing is to be confirmed
//	GET    /v1/ports                         []Port, by name
//	GET    /v1/ports/{port}                  Port
//	GET    /v1/ports/{port}/frames           its frames as pcapng, until either side ends it; ?every=
//	GET    /v1/llr/interfaces                []LLRInterface, by port
//	GET    /v1/llr/interfaces/{port}         LLRInterface
//	POST   /v1/llr/interfaces/{port}/local   {"enabled": bool}
//	POST   /v1/llr/interfaces/{port}/remote  {"enabled": bool}
//	POST   /v1/llr/interfaces/{port}/reinit  no body
//	GET    /v1/llr/profiles                  []LLRProfile, by name
//	GET    /v1/llr/profiles/{name}           LLRProfile
//	GET    /v1/llr/counters                  []LLRCounters, by port
//	GET    /v1/llr/counters/{port}           LLRCounters
//	DELETE /v1/llr/counters                  clears those of every port
//	DELETE /v1/llr/counters/{port}           clears those of one port, of either role
//	GET    /v1/cbfc                          []CBFCInterface, by port: links with CBFC
//	GET    /v1/cbfc/{port}                   CBFCInterface
//	POST   /v1/cbfc/{port}/vcs/{vc}          {"enabled": bool}: what is sent on it is lossless
//	GET    /v1/qos                           []QoS, by port
//	GET    /v1/qos/{port}                    []QoS
//	GET    /v1/lldp/interfaces               []LLDPInterface, by port and destination
//	GET    /v1/lldp/interfaces/{port}        []LLDPInterface, one for each destination
//	GET    /v1/lldp/neighbors                []LLDPNeighbor, by port, destination and age
//	GET    /v1/lldp/neighbors/{port}         []LLDPNeighbor
//	GET    /v1/lldp/statistics               []LLDPStatistics, by port and destination
//	GET    /v1/lldp/statistics/{port}        []LLDPStatistics
//	DELETE /v1/lldp/statistics               clears those of every port
//	DELETE /v1/lldp/statistics/{port}        clears those of one port
//	GET    /v1/lldp/chassis                  LLDPChassis
//	GET    /v1/lldp/watch                    Event, one a line, until either side ends it
//	GET    /v1/dcbx                          []DCBX, by port
//	GET    /v1/dcbx/{port}                   []DCBX
//	GET    /v1/bridges                       []Bridge, by name
//	GET    /v1/bridges/{bridge}              Bridge
//	GET    /v1/fdb                           []FDBEntry, by bridge, VLAN, MAC: ?bridge= port= vlan= state= statistics=
//	POST   /v1/fdb                           FDBEntry, which becomes a static entry
//	DELETE /v1/fdb                           an entry, static or learned: ?mac= port= vlan= bridge=
//	POST   /v1/fdb/flush                     FDBFlush; answers FDBFlushed
//	GET    /v1/vlans                         []PortVLANs, by port; ?port= vlan= compressed=
//	GET    /v1/switch-trimming               SwitchTrimming
//	GET    /v1/log/level                     LogLevel
//	PUT    /v1/log/level                     LogLevel
//	GET    /v1/events                        []Event, the latest of the ports and of LLDP, the oldest first
//	GET    /v1/watch                         Event, those of LLDP too, one a line, until either side ends it
//
// A port is named by its name or by that of its interface. A list is an array also when it holds one object or none.
// What changes something answers 204 and no body, unless it says above what it answers. What is refused answers with an
// Error: 400 for a body or a query that is not right (its field is named; a body is one JSON object, with each field at
// most once and under its exact name), 404 for a path, port, channel, profile, bridge or entry that is not there, 405
// with Allow, 409 for an LLR request on a port that is not a link port, a CBFC or DCBX request on one without, a
// bridge's on one in no bridge, and an entry that is static at another port or has no room, and on a port whose frames
// are watched already, 413 for a body over 64 KiB.
package control

import (
	"uelink/dataplane"
	"uelink/llr"
)

// DefaultSocket is where the daemon listens when nothing else is configured.
const DefaultSocket = "/run/uelink/uelink.sock"

// Backend is the part of dataplane.Dataplane that the server speaks for. Errors
// that wrap those of package dataplane become what refusal says.
type Backend interface {
	Bridges
	// Ports is a snapshot of every port.
	Ports() []dataplane.PortState
	// Trimming is the settings of packet trimming, and what the switch has trimmed.
	Trimming() dataplane.TrimmingState
	// Profiles holds the LLR profiles by name.
	Profiles() map[string]llr.Profile
	// SetLLRLocal sets LLR_MODE_LOCAL of a port.
	SetLLRLocal(port string, on bool) error
	// SetLLRRemote sets LLR_MODE_REMOTE of a port.
	SetLLRRemote(port string, on bool) error
	// SetVC has what a link port sends on a virtual channel be lossless, or best effort.
	SetVC(port string, vc int, lossless bool) error
	// ReinitLLR sends a port's transmitter to INIT.
	ReinitLLR(port string) error
	// ClearCounters sets the counters of one port to 0, or of all if port is "".
	ClearCounters(port string) error
	// WatchFrames has the frames of a port be watched, by one at a time.
	WatchFrames(port string) (dataplane.FramesWatch, error)
	// Subscribe gives events as they happen until the returned function is
	// called. The channel may be closed earlier, on a subscriber that is too slow.
	Subscribe() (<-chan dataplane.Event, func())
	// Recent are the latest events, the oldest first.
	Recent() []dataplane.Event
}

// Bridges is the part of the data plane that switches.
type Bridges interface {
	// Bridges is a snapshot of every bridge.
	Bridges() []dataplane.BridgeState
	// FDB is the entries of one bridge, or of all if bridge is "", in any order.
	FDB(bridge string) ([]dataplane.FDBEntry, error)
	// AddFDB makes e a static entry of a bridge, in place of a learned one. e is
	// taken for static, whatever it says.
	AddFDB(bridge string, e dataplane.FDBEntry) error
	// DeleteFDB takes the entry of e's address, VLAN and port away, static or learned.
	DeleteFDB(bridge string, e dataplane.FDBEntry) error
	// FlushFDB forgets learned entries and returns how many: those of a bridge, a
	// port and a VLAN, where "" and 0 mean any.
	FlushFDB(bridge, port string, vlan int) (removed int, err error)
}

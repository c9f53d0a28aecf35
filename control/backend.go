// Package control is the API of a running daemon: an HTTP/JSON server on a unix socket. Package client asks it.
//
//	GET    /                                 Root: what can be asked for
//	GET    /v1/openapi.json                  this list as a description in OpenAPI 3.1
//	GET    /v1/status                        Status
//	POST   /v1/confirm                       no body; 409 where nothing is to be confirmed
//	POST   /v1/upgrade                       Upgrade; 403: the caller may not name a program; 409: nobody takes over
//	POST   /v1/reload                        no body; Reload: a refusal has errors
//	GET    /v1/config                        Configuration: the file, and what is in force
//	GET    /v1/ports                         []Port, by name; ?owner= container= ifname= network=: those with the labels
//	POST   /v1/ports                         PortAddition; this and the next two answer PortsChanged, with 403 where
//	                                         the caller may not
//	GET    /v1/ports/{port}                  Port
//	PATCH  /v1/ports/{port}                  PortKeys
//	DELETE /v1/ports/{port}                  no body
//	GET    /v1/ports/{port}/trace            TracedFrame, one a line: the next frames received; ?count= timeout= host= …
//	GET    /v1/ports/{port}/frames           the port's frames as pcapng, until either side ends the stream; ?every=
//	GET    /v1/workers                       []Worker, by number: the CPU time of their threads
//	GET    /v1/llr/interfaces                []LLRInterface, by port
//	GET    /v1/llr/interfaces/{port}         LLRInterface
//	POST   /v1/llr/interfaces/{port}/local   {"enabled": bool}
//	POST   /v1/llr/interfaces/{port}/remote  {"enabled": bool}
//	POST   /v1/llr/interfaces/{port}/reinit  no body
//	GET    /v1/llr/profiles                  []LLRProfile, by name
//	GET    /v1/llr/profiles/{name}           LLRProfile
//	GET    /v1/llr/counters                  []LLRCounters, by port
//	GET    /v1/llr/counters/{port}           LLRCounters
//	DELETE /v1/llr/counters                  clears the counters of every port
//	DELETE /v1/llr/counters/{port}           clears the counters of one port, link or edge
//	GET    /v1/cbfc                          []CBFCInterface, by port: links with CBFC
//	GET    /v1/cbfc/{port}                   CBFCInterface
//	POST   /v1/cbfc/{port}/vcs/{vc}          {"enabled": bool}: frames sent on the channel are lossless
//	GET    /v1/hippi                         []HIPPIInterface, by port: links with protocol hippi6400
//	GET    /v1/hippi/{port}                  HIPPIInterface
//	POST   /v1/hippi/{port}                  HIPPICommand: reset, initialize or clear
//	POST   /v1/hippi/{port}/admin            HIPPIAdmin: sends an Admin micropacket
//	GET    /v1/qos                           []QoS, by port
//	GET    /v1/qos/{port}                    []QoS
//	GET    /v1/lldp/interfaces               []LLDPInterface, by port and destination
//	GET    /v1/lldp/interfaces/{port}        []LLDPInterface, one for each destination
//	GET    /v1/lldp/neighbors                []LLDPNeighbor, by port, destination and age
//	GET    /v1/lldp/neighbors/{port}         []LLDPNeighbor
//	GET    /v1/lldp/statistics               []LLDPStatistics, by port and destination
//	GET    /v1/lldp/statistics/{port}        []LLDPStatistics
//	DELETE /v1/lldp/statistics               clears the counters of every port
//	DELETE /v1/lldp/statistics/{port}        clears the counters of one port
//	GET    /v1/lldp/chassis                  LLDPChassis
//	GET    /v1/lldp/watch                    Event, one a line, until either side ends the stream
//	GET    /v1/dcbx                          []DCBX, by port
//	GET    /v1/dcbx/{port}                   []DCBX
//	GET    /v1/bridges                       []Bridge, by name
//	GET    /v1/bridges/{bridge}              Bridge
//	GET    /v1/fdb                           []FDBEntry, by bridge, VLAN, MAC: ?bridge= port= vlan= state= statistics=
//	POST   /v1/fdb                           FDBEntry, added as a static entry
//	DELETE /v1/fdb                           removes an entry, static or learned: ?mac= port= vlan= bridge=
//	POST   /v1/fdb/flush                     FDBFlush; answers FDBFlushed
//	GET    /v1/vlans                         []PortVLANs, by port; ?port= vlan= compressed=
//	GET    /v1/switch-trimming               SwitchTrimming
//	GET    /v1/state                         []SavedState, by port: the state of the protocol machines, as text
//	GET    /v1/sai/objects                   []sai.Object, the objects of SAI, for people
//	POST   /v1/sai/create                    SAICreate; this and the next five answer SAIAnswer, with SAI's status
//	POST   /v1/sai/remove                    SAIObject
//	POST   /v1/sai/set                       SAISet
//	POST   /v1/sai/get                       SAIGet
//	POST   /v1/sai/stats                     SAIGet
//	POST   /v1/sai/clear                     SAIGet
//	GET    /v1/sai/oids                      SAIOIDs: ?type=
//	GET    /v1/sai/capability                sai.Capability of an attribute: ?type= id=
//	GET    /v1/sai/statistics                []sai.StatCapability: ?type=
//	GET    /v1/sai/watch                     sai.PortNotification, one a line: all ports, then changes: ?client=
//	GET    /v1/log/level                     LogLevel
//	PUT    /v1/log/level                     LogLevel
//	GET    /v1/events                        []Event, past ones of the ports and of LLDP, the oldest first: ?last= since=
//	GET    /v1/watch                         Event, of ports and LLDP, one a line, until either side ends the stream
//
// A port is named by its name or by its interface. A list is an array also with one object or none. A request that
// changes something answers 204 without a body, unless an answer stands above. A refused request answers with an
// Error: 400 for a wrong body or query (with the field; a body is one JSON object, with each field at most once and
// under its exact name), 404 for an unknown path, port, channel, profile, bridge or entry, 405 with Allow, 413 for a
// body over 64 KiB, and 409 for an LLR or HIPPI request on a port that is no link of the protocol, a CBFC or DCBX
// request on a port without CBFC or DCBX, a bridge's request on a port in no bridge, an entry that is static at another
// port or has no room, and a second watch of a port's frames.
package control

import (
	"uelink/dataplane"
	"uelink/dataplane/model"
	"uelink/hippi"
	"uelink/llr"
)

// Backend is the part of dataplane.Dataplane that the server uses. Function refusal turns errors of package dataplane,
// also wrapped ones, into answers.
type Backend interface {
	Bridges
	// Ports returns a snapshot of every port.
	Ports() []model.PortState
	// Workers returns the CPU time of every worker, by number.
	Workers() []model.WorkerState
	// SavedStates returns the state of the machines of every port, by name.
	SavedStates() []dataplane.SavedState
	// Trimming returns the settings of packet trimming and the trimming counters of the switch.
	Trimming() model.TrimmingState
	// Profiles returns the LLR profiles by name.
	Profiles() map[string]llr.Profile
	// SetLLRLocal sets LLR_MODE_LOCAL of a port.
	SetLLRLocal(port string, on bool) error
	// SetLLRRemote sets LLR_MODE_REMOTE of a port.
	SetLLRRemote(port string, on bool) error
	// SetVC makes a virtual channel of a link port lossless or best effort for the frames that this end sends.
	SetVC(port string, vc int, lossless bool) error
	// HIPPICommand runs a command on a link that speaks HIPPI-6400-PH.
	HIPPICommand(port string, c hippi.Command) error
	// HIPPIAdmin sends an Admin micropacket on VC1 or VC2 of a link that speaks HIPPI-6400-PH.
	HIPPIAdmin(port string, vc uint8, data model.AdminData) error
	// ReinitLLR sends a port's transmitter to INIT.
	ReinitLLR(port string) error
	// ClearCounters sets the counters of a port to 0, or of all ports if port is "".
	ClearCounters(port string) error
	// WatchFrames starts a capture of a port's frames. A port has at most one at a time.
	WatchFrames(port string) (dataplane.FramesWatch, error)
	// TraceFrames begins a trace of the next frames that a port receives. An xconnect or a bridge has at most one at a
	// time.
	TraceFrames(port string, s model.TraceSettings) (dataplane.FramesTrace, error)
	// Subscribe delivers events until the returned function is called. The channel is closed earlier if the subscriber is
	// too slow.
	Subscribe() (<-chan model.Event, func())
	// Recent returns the latest events, the oldest first.
	Recent() []model.Event
}

// Bridges is the part of the data plane that switches.
type Bridges interface {
	// Bridges returns a snapshot of every bridge.
	Bridges() []model.BridgeState
	// FDB returns the entries of a bridge, or of all bridges if bridge is "", in any order.
	FDB(bridge string) ([]model.FDBEntry, error)
	// AddFDB adds e to a bridge as a static entry and replaces a learned entry of the same address. It ignores e.Static.
	AddFDB(bridge string, e model.FDBEntry) error
	// DeleteFDB removes the entry of e's address, VLAN and port, static or learned.
	DeleteFDB(bridge string, e model.FDBEntry) error
	// FlushFDB removes the learned entries of a bridge, a port and a VLAN and returns their number. "" and 0 mean any.
	FlushFDB(bridge, port string, vlan int) (removed int, err error)
}

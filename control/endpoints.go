package control

import (
	"net/http"
	"reflect"

	"uelink/control/api"
	"uelink/sai"
)

// endpoint is one method of one path: its handler, and what the description of the API says of it.
type endpoint struct {
	method, path string
	handler      handler
	summary      string
	query        []parameter
	body         reflect.Type // nil: no body
	answer       reflect.Type // nil: 204 without a body
	stream       string       // content type of an answer that goes on until either side ends it; answer is one line
}

// parameter is a parameter of a query.
type parameter struct {
	name, meaning string
	kind          string // of JSON Schema
	required      bool
}

// ndjson is the content type of a stream of JSON objects, one a line.
const ndjson = "application/x-ndjson"

// Parameters that several requests have in their query.
var (
	vlanOnly   = parameter{"vlan", "limits the request to this VLAN", "integer", false}
	portOnly   = parameter{"port", "limits the request to this port", "string", false}
	bridgeOnly = parameter{"bridge", "limits the request to this bridge", "string", false}
	byLabels   = []parameter{
		{"owner", "only ports with this value of the label owner", "string", false},
		{"container", "only ports with this value of the label container", "string", false},
		{"ifname", "only ports with this value of the label ifname", "string", false},
		{"network", "only ports with this value of the label network", "string", false},
	}
	ofType      = parameter{"type", "number of sai_object_type_t", "integer", true}
	lastAndFrom = []parameter{
		{"last", "the latest events, at most this many; 512 unless given", "integer", false},
		{"since", "only events from this time on (RFC 3339)", "string", false},
	}
)

// endpoints returns the table of all requests of the API: method, path, handler, summary, and types of body and
// response. A new request is added here.
func (s *Server) endpoints() []endpoint {
	all := []endpoint{
		{"GET", "/{$}", s.getRoot, "The version of the daemon, and what can be asked for", nil, nil,
			reflect.TypeFor[Root](), ""},
		{"GET", "/v1/openapi.json", s.getOpenAPI, "This description", nil, nil, reflect.TypeFor[map[string]any](), ""},
		{"GET", "/v1/status", s.getStatus, "The daemon itself", nil, nil, reflect.TypeFor[api.Status](), ""},
		{"POST", "/v1/confirm", s.postConfirm, "Confirm a start or a reload; 409 if there is nothing to confirm", nil,
			nil, nil, ""},
		{"POST", upgradePath, s.postUpgrade, "Hand over to a new process of uelinkd; 409 if the hand-over fails and this process keeps running", nil,
			reflect.TypeFor[api.Upgrade](), reflect.TypeFor[api.Upgraded](), ""},
		{"POST", "/v1/reload", s.postReload,
			"Read the configuration file again; the answer says whether it is in force",
			nil, nil, reflect.TypeFor[api.Reload](), ""},
		{"GET", "/v1/config", s.getConfiguration, "The configuration file, and what is in force", nil, nil,
			reflect.TypeFor[api.Configuration](), ""},
		{"GET", "/v1/events", s.getEvents, "Past events of ports and LLDP, the oldest first", lastAndFrom, nil,
			reflect.TypeFor[[]api.Event](), ""},
		{"GET", "/v1/watch", streams{s}.getWatch, "Events of ports and LLDP as they happen", nil, nil,
			reflect.TypeFor[api.Event](), ndjson},
		{"GET", "/v1/state", s.getState, "The state of the protocol machines, as text", nil, nil,
			reflect.TypeFor[[]api.SavedState](), ""},
		{"GET", "/v1/log/level", s.getLogLevel, "The level of the log", nil, nil, reflect.TypeFor[api.LogLevel](), ""},
		{"PUT", "/v1/log/level", s.putLogLevel, "Set the level of the log", nil, reflect.TypeFor[api.LogLevel](), nil,
			""},
	}
	all = append(all, s.portEndpoints()...)
	all = append(all, bridgeHandlers{s}.endpoints()...)
	all = append(all, lldpHandlers{s}.endpoints()...)
	return append(all, saiHandlers{s}.endpoints()...)
}

// portEndpoints returns the requests about ports, LLR, CBFC, HIPPI and QoS.
func (s *Server) portEndpoints() []endpoint {
	changes, live, credits, hippi := portHandlers{s}, streams{s}, creditHandlers{s}, hippiHandlers{s}
	return []endpoint{
		{"GET", "/v1/ports", s.getPorts, "All ports, by name, or those with the given labels", byLabels, nil,
			reflect.TypeFor[[]api.Port](), ""},
		{"GET", "/v1/ports/{port}", s.getPort, "A port", nil, nil, reflect.TypeFor[api.Port](), ""},
		{"POST", "/v1/ports", changes.postPorts, "Add a group of ports, or replace an added group", nil,
			reflect.TypeFor[api.PortAddition](),
			reflect.TypeFor[api.PortsChanged](), ""},
		{"PATCH", "/v1/ports/{port}", changes.patchPort, "Set keys of a port that the API has added", nil,
			reflect.TypeFor[api.PortKeys](),
			reflect.TypeFor[api.PortsChanged](), ""},
		{"DELETE", "/v1/ports/{port}", changes.deletePort,
			"Remove an added group of ports, by the name of the group or of a port in the group", nil,
			nil, reflect.TypeFor[api.PortsChanged](), ""},
		{"GET", "/v1/ports/{port}/frames", live.getFrames, "The frames of a port as pcapng",
			[]parameter{{"every", "N: the answer has one of every N frames of the port; 1 unless given", "integer", false}}, nil, reflect.TypeFor[[]byte](), "application/x-pcapng"},
		{"GET", "/v1/ports/{port}/trace", live.getTrace, "What becomes of the next frames that a port receives",
			traceQuery, nil,
			reflect.TypeFor[api.TracedFrame](), ndjson},
		{"GET", "/v1/workers", s.getWorkers, "The workers, by number", nil, nil, reflect.TypeFor[[]api.Worker](), ""},
		{"GET", "/v1/llr/interfaces", s.getLLRInterfaces, "LLR of all links, by port", nil, nil,
			reflect.TypeFor[[]api.LLRInterface](), ""},
		{"GET", "/v1/llr/interfaces/{port}", s.getLLRInterface, "LLR of a link", nil, nil,
			reflect.TypeFor[api.LLRInterface](), ""},
		{"POST", "/v1/llr/interfaces/{port}/local", s.postLLRLocal, "Receive with LLR, or without", nil,
			reflect.TypeFor[api.Enable](),
			nil, ""},
		{"POST", "/v1/llr/interfaces/{port}/remote", s.postLLRRemote, "Transmit with LLR, or without", nil,
			reflect.TypeFor[api.Enable](), nil, ""},
		{"POST", "/v1/llr/interfaces/{port}/reinit", s.postLLRReinit, "Restart the transmitter of a link", nil, nil,
			nil, ""},
		{"GET", "/v1/llr/profiles", s.getLLRProfiles, "The LLR profiles, by name", nil, nil,
			reflect.TypeFor[[]api.LLRProfile](), ""},
		{"GET", "/v1/llr/profiles/{name}", s.getLLRProfile, "An LLR profile", nil, nil,
			reflect.TypeFor[api.LLRProfile](), ""},
		{"GET", "/v1/llr/counters", s.getLLRCounters, "Counters of all links, by port", nil, nil,
			reflect.TypeFor[[]api.LLRCounters](), ""},
		{"DELETE", "/v1/llr/counters", s.deleteLLRCounters, "Clear the counters of all ports", nil, nil, nil, ""},
		{"GET", "/v1/llr/counters/{port}", s.getLLRCountersOf, "Counters of a link", nil, nil,
			reflect.TypeFor[api.LLRCounters](), ""},
		{"DELETE", "/v1/llr/counters/{port}", s.deleteLLRCounters, "Clear the counters of a port", nil, nil, nil, ""},
		{"GET", "/v1/cbfc", credits.getCBFC, "Links with CBFC, by port", nil, nil,
			reflect.TypeFor[[]api.CBFCInterface](), ""},
		{"GET", "/v1/cbfc/{port}", credits.getCBFCOf, "CBFC of a link", nil, nil, reflect.TypeFor[api.CBFCInterface](),
			""},
		{"POST", "/v1/cbfc/{port}/vcs/{vc}", credits.postVC, "Make a virtual channel lossless, or best effort", nil,
			reflect.TypeFor[api.Enable](), nil, ""},
		{"GET", "/v1/hippi", hippi.getHIPPI, "Links with protocol hippi6400, by port", nil, nil,
			reflect.TypeFor[[]api.HIPPIInterface](), ""},
		{"GET", "/v1/hippi/{port}", hippi.getHIPPIOf, "A link with protocol hippi6400", nil, nil,
			reflect.TypeFor[api.HIPPIInterface](), ""},
		{"POST", "/v1/hippi/{port}", hippi.postHIPPI, "Reset, initialize or clear a link", nil,
			reflect.TypeFor[api.HIPPICommand](), nil, ""},
		{"POST", "/v1/hippi/{port}/admin", hippi.postHIPPIAdmin, "Send an Admin micropacket", nil,
			reflect.TypeFor[api.HIPPIAdmin](), nil, ""},
		{"GET", "/v1/qos", credits.getQoS, "Classes and queues of all ports", nil, nil, reflect.TypeFor[[]api.QoS](),
			""},
		{"GET", "/v1/qos/{port}", credits.getQoS, "Classes and queues of a port", nil, nil,
			reflect.TypeFor[[]api.QoS](), ""},
	}
}

// endpoints returns the requests about bridges and packet trimming.
func (h bridgeHandlers) endpoints() []endpoint {
	statistics := parameter{"statistics", "add the time since each entry was used", "boolean", false}
	return []endpoint{
		{"GET", "/v1/bridges", h.getBridges, "All bridges, by name", nil, nil, reflect.TypeFor[[]api.Bridge](), ""},
		{"GET", "/v1/bridges/{bridge}", h.getBridge, "A bridge", nil, nil, reflect.TypeFor[api.Bridge](), ""},
		{"GET", "/v1/switch-trimming", h.s.getSwitchTrimming, "Packet trimming", nil, nil,
			reflect.TypeFor[api.SwitchTrimming](), ""},
		{"GET", "/v1/fdb", h.getFDB, "Entries of the tables of addresses, by bridge, VLAN and MAC", []parameter{
			bridgeOnly, portOnly, vlanOnly, {"state", `only entries of this state: "static" or "dynamic"`, "string", false}, statistics,
		}, nil, reflect.TypeFor[[]api.FDBEntry](), ""},
		{"POST", "/v1/fdb", h.postFDB, "Add a static entry", nil, reflect.TypeFor[api.FDBEntry](), nil, ""},
		{"DELETE", "/v1/fdb", h.deleteFDB, "Remove an entry", []parameter{
			{"mac", "address of the entry", "string", true}, portOnly, vlanOnly, bridgeOnly,
		}, nil, nil, ""},
		{"POST", "/v1/fdb/flush", h.postFDBFlush, "Remove learned entries", nil, reflect.TypeFor[api.FDBFlush](),
			reflect.TypeFor[api.FDBFlushed](), ""},
		{"GET", "/v1/vlans", h.getVLANs, "VLANs of the bridge ports, by port", []parameter{
			portOnly, vlanOnly, {"compressed", "join consecutive VLANs into ranges", "boolean", false},
		}, nil, reflect.TypeFor[[]api.PortVLANs](), ""},
	}
}

// endpoints returns the requests about LLDP and DCBX.
func (h lldpHandlers) endpoints() []endpoint {
	return []endpoint{
		{"GET", "/v1/lldp/interfaces", h.getLLDPInterfaces, "LLDP agents, by port and destination", nil, nil,
			reflect.TypeFor[[]api.LLDPInterface](), ""},
		{"GET", "/v1/lldp/interfaces/{port}", h.getLLDPInterfaces, "LLDP agents of a port", nil, nil,
			reflect.TypeFor[[]api.LLDPInterface](), ""},
		{"GET", "/v1/lldp/neighbors", h.getLLDPNeighbors, "Neighbours, by port, destination and age", nil, nil,
			reflect.TypeFor[[]api.LLDPNeighbor](), ""},
		{"GET", "/v1/lldp/neighbors/{port}", h.getLLDPNeighbors, "Neighbours of a port", nil, nil,
			reflect.TypeFor[[]api.LLDPNeighbor](), ""},
		{"GET", "/v1/lldp/statistics", h.getLLDPStatistics, "Counters of the agents", nil, nil,
			reflect.TypeFor[[]api.LLDPStatistics](), ""},
		{"DELETE", "/v1/lldp/statistics", h.deleteLLDPStatistics, "Clear the counters of all agents", nil, nil, nil,
			""},
		{"GET", "/v1/lldp/statistics/{port}", h.getLLDPStatistics, "Counters of a port's agents", nil, nil,
			reflect.TypeFor[[]api.LLDPStatistics](), ""},
		{"DELETE", "/v1/lldp/statistics/{port}", h.deleteLLDPStatistics, "Clear the counters of a port's agents", nil,
			nil, nil, ""},
		{"GET", "/v1/lldp/chassis", h.getLLDPChassis, "The local station", nil, nil,
			reflect.TypeFor[api.LLDPChassis](), ""},
		{"GET", "/v1/lldp/watch", streams(h).getLLDPWatch, "Events of LLDP as they happen, with the neighbour", nil,
			nil,
			reflect.TypeFor[api.Event](), ndjson},
		{"GET", "/v1/dcbx", h.getDCBX, "DCBX of all ports, by port", nil, nil, reflect.TypeFor[[]api.DCBX](), ""},
		{"GET", "/v1/dcbx/{port}", h.getDCBX, "DCBX of a port", nil, nil, reflect.TypeFor[[]api.DCBX](), ""},
	}
}

// endpoints returns the requests about SAI, which are refused while there are no objects.
func (h saiHandlers) endpoints() []endpoint {
	id := parameter{"id", "number of the attribute", "integer", true}
	client := parameter{"client", "name of the client, which is attached while the stream is open", "string", false}
	answers := reflect.TypeFor[api.SAIAnswer]()
	all := []endpoint{
		{"GET", "/v1/sai/objects", h.getSAIObjects, "The objects of SAI, for people", nil, nil,
			reflect.TypeFor[[]sai.Object](), ""},
		{"POST", "/v1/sai/create", h.postSAICreate, "Make an object", nil, reflect.TypeFor[api.SAICreate](), answers,
			""},
		{"POST", "/v1/sai/remove", h.postSAIRemove, "Remove an object", nil, reflect.TypeFor[api.SAIObject](), answers,
			""},
		{"POST", "/v1/sai/set", h.postSAISet, "Set an attribute", nil, reflect.TypeFor[api.SAISet](), answers, ""},
		{"POST", "/v1/sai/get", h.postSAIGet, "Read attributes", nil, reflect.TypeFor[api.SAIGet](), answers, ""},
		{"POST", "/v1/sai/stats", h.postSAIStats, "Read statistics", nil, reflect.TypeFor[api.SAIGet](), answers, ""},
		{"POST", "/v1/sai/clear", h.postSAIClear, "Clear counts of a virtual channel", nil,
			reflect.TypeFor[api.SAIGet](), answers, ""},
		{"GET", "/v1/sai/oids", h.getSAIOIDs, "Objects of a type", []parameter{ofType}, nil,
			reflect.TypeFor[api.SAIOIDs](), ""},
		{"GET", "/v1/sai/capability", h.getSAICapability, "Which operations on an attribute are implemented",
			[]parameter{ofType, id}, nil, reflect.TypeFor[sai.Capability](), ""},
		{"GET", "/v1/sai/statistics", h.getSAIStatistics, "The statistics of a type", []parameter{ofType}, nil,
			reflect.TypeFor[[]sai.StatCapability](), ""},
		{"GET", "/v1/sai/watch", h.getSAIWatch, "The state of every port, then each change", []parameter{client}, nil,
			reflect.TypeFor[sai.PortNotification](),
			ndjson},
	}
	for i := range all {
		all[i].handler = h.withSAI(all[i].handler)
	}
	return all
}

// Root is the answer at the root of the API.
type Root struct {
	Version string    `json:"version"` // of the daemon
	OpenAPI string    `json:"openapi"` // path of the description of the API
	Paths   []RootURL `json:"paths"`
}

// RootURL is something that can be asked for.
type RootURL struct {
	Method  string `json:"method"`
	Path    string `json:"path"`
	Summary string `json:"summary"`
}

// getRoot responds with the daemon's version and the list of all requests of the API.
func (s *Server) getRoot(w http.ResponseWriter, _ *http.Request) error {
	root := Root{Version: s.status.Version, OpenAPI: "/v1/openapi.json", Paths: []RootURL{}}
	for _, e := range s.endpoints() {
		root.Paths = append(root.Paths, RootURL{e.method, publicPath(e.path), e.summary})
	}
	return reply(w, http.StatusOK, root)
}

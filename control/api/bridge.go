package api

import (
	"net"
	"slices"
	"strings"
	"time"

	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
)

// Objects of bridges. Keys are the words of iproute2 where it has one: ifname is the name of the port, master the name
// of the bridge.

// Bridge is a bridge and its ports.
type Bridge struct {
	Name          string          `json:"name"`                 // name of the bridge
	AgeingTime    float64         `json:"ageing_time" unit:"s"` // seconds after which a silent address is removed; 0: never
	VLANFiltering bool            `json:"vlan_filtering"`       // frames cross only between ports of their VLAN
	Reserved      string          `json:"reserved"`             // frames to 01-80-C2-00-00-00 to 0F: "filter" or "forward"
	LoopGuard     string          `json:"loop_guard"`           // action of the loop guard: "event" or "block"
	BlockTime     float64         `json:"block_time" unit:"s"`  // seconds for which the loop guard blocks a port
	MaxEntries    int             `json:"max_entries"`          // addresses that the table has room for
	Entries       int             `json:"entries"`              // addresses in the table now
	Counters      bridge.Counters `json:"counters"`
	Ports         []BridgePort    `json:"ports"` // ports of the bridge, by name
}

// BridgePort is a port of a bridge. A limit of 0 is none.
type BridgePort struct {
	Port string `json:"port"` // name of the port
	// state of the port: "forwarding", "blocked" or "down"
	State string `json:"state"`
	// VLAN of frames without a tag; 0: they are dropped
	PVID     uint16 `json:"pvid"`
	Learning bool   `json:"learning"` // source addresses of the port are learned
	Isolated bool   `json:"isolated"` // no frames from or to other isolated ports
	// limit of broadcast frames in a second; 0: none
	BroadcastLimit uint32 `json:"broadcast_limit" unit:"frames/s"`
	// limit of frames to unknown unicast addresses in a second; 0: none
	UnknownUnicastLimit uint32 `json:"unknown_unicast_limit" unit:"frames/s"`
	// limit of multicast frames in a second; 0: none
	MulticastLimit uint32              `json:"multicast_limit" unit:"frames/s"`
	Counters       bridge.PortCounters `json:"counters"`
}

// BridgePortForwarding is the state of a bridge's port that accepts and sends frames.
const BridgePortForwarding = string(model.BridgePortForwarding)

// FDBStatic is the state of an entry that does not age. A learned entry has the state "", as in iproute2.
const FDBStatic = "static"

// FDBEntry is an entry of the table of a bridge, as printed by `bridge -j fdb show`.
type FDBEntry struct {
	MAC     string   `json:"mac"`               // the address
	IfName  string   `json:"ifname"`            // port of the address
	VLAN    uint16   `json:"vlan,omitempty"`    // VLAN of the address; 0 in a bridge without VLAN filtering
	Updated *int64   `json:"updated,omitempty"` // learned address, on demand: seconds since its last frame
	Flags   []string `json:"flags"`             // empty
	Master  string   `json:"master"`            // bridge of the port
	State   string   `json:"state"`             // "static" for an address that does not age, else empty
}

// FDBFlush selects the learned entries to be removed; "" and 0 mean any.
type FDBFlush struct {
	Bridge string `json:"bridge"`
	Port   string `json:"port"`
	VLAN   uint16 `json:"vlan"` // number of the VLAN
}

// FDBFlushed is the result of an FDBFlush.
type FDBFlushed struct {
	Removed int `json:"removed"` // number of addresses removed
}

// PortVLANs has the VLANs of a port, as printed by `bridge -j vlan show`.
type PortVLANs struct {
	IfName string `json:"ifname"`
	VLANs  []VLAN `json:"vlans"`
}

// The flags of a VLAN.
const (
	VLANIsPVID   = "PVID"            // frames without a tag belong to the VLAN
	VLANUntagged = "Egress Untagged" // frames of the VLAN leave without a tag
)

// VLAN is a VLAN of a port, or a range of VLANs with the same flags.
type VLAN struct {
	VLAN    uint16   `json:"vlan"`              // number of the VLAN, or the first of a range
	VLANEnd uint16   `json:"vlanEnd,omitempty"` // last VLAN of a range
	Flags   []string `json:"flags,omitempty"`   // "PVID" and "Egress Untagged"
}

// NewBridge returns the JSON object of a bridge.
func NewBridge(s model.BridgeState) Bridge {
	out := Bridge{
		Name: s.Name, AgeingTime: s.Settings.Ageing.Seconds(), VLANFiltering: s.Settings.VLANFiltering,
		Reserved: s.Settings.Reserved.String(), LoopGuard: s.Settings.LoopGuard.String(),
		BlockTime: s.Settings.BlockTime.Seconds(), MaxEntries: s.Settings.MaxEntries,
		Entries: s.Entries, Counters: s.Counters, Ports: []BridgePort{},
	}
	for _, p := range s.Ports {
		out.Ports = append(out.Ports, bridgePort(p))
	}
	slices.SortFunc(out.Ports, func(a, b BridgePort) int { return strings.Compare(a.Port, b.Port) })
	return out
}

func bridgePort(p model.BridgePortState) BridgePort {
	return BridgePort{
		Port: p.Port, State: string(p.State),
		PVID: p.Settings.PVID, Learning: p.Settings.Learning, Isolated: p.Settings.Isolated,
		BroadcastLimit: p.Settings.Broadcast, UnknownUnicastLimit: p.Settings.Unknown, MulticastLimit: p.Settings.Multicast,
		Counters: p.Counters,
	}
}

// NewFDBEntry returns the JSON object of an FDB entry. With statistics it has also the age of a learned entry.
func NewFDBEntry(e model.FDBEntry, statistics bool) FDBEntry {
	mac := net.HardwareAddr(e.MAC[:]).String()
	out := FDBEntry{MAC: mac, IfName: e.Port, VLAN: e.VLAN, Flags: []string{}, Master: e.Bridge}
	if e.Static {
		out.State = FDBStatic
	} else if statistics {
		age := int64(e.Age / time.Second)
		out.Updated = &age
	}
	return out
}

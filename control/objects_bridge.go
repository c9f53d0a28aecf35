package control

import (
	"net"
	"slices"
	"strings"
	"time"

	"uelink/dataplane"
	"uelink/dataplane/bridge"
)

// The objects of switching. Where iproute2 has a word for something, it is the
// key; its ifname is the port's name, its master the bridge's.

// Bridge is a bridge and its ports.
type Bridge struct {
	Name          string          `json:"name"`
	AgeingTime    float64         `json:"ageing_time"` // seconds after which a silent address is forgotten; 0 = never
	VLANFiltering bool            `json:"vlan_filtering"`
	Reserved      string          `json:"reserved"`    // "filter" or "forward": 01-80-C2-00-00-00 to 0F
	LoopGuard     string          `json:"loop_guard"`  // "event" or "block"
	BlockTime     float64         `json:"block_time"`  // seconds for which the loop guard blocks a port
	MaxEntries    int             `json:"max_entries"` // addresses that the table has room for
	Entries       int             `json:"entries"`     // addresses in the table
	Counters      bridge.Counters `json:"counters"`
	Ports         []BridgePort    `json:"ports"` // by name
}

// BridgePort is a port of a bridge. A limit of 0 is none.
type BridgePort struct {
	Port                string              `json:"port"`
	State               string              `json:"state"` // BridgePortForwarding, "blocked" or "down"
	PVID                uint16              `json:"pvid"`  // VLAN of frames without a tag; 0: they are dropped
	Learning            bool                `json:"learning"`
	Isolated            bool                `json:"isolated"`              // no frames from or to other isolated ports
	BroadcastLimit      uint32              `json:"broadcast_limit"`       // frames a second
	UnknownUnicastLimit uint32              `json:"unknown_unicast_limit"` // frames a second
	MulticastLimit      uint32              `json:"multicast_limit"`       // frames a second
	Counters            bridge.PortCounters `json:"counters"`
}

// BridgePortForwarding is the state of a port of a bridge that takes and sends frames.
const BridgePortForwarding = string(dataplane.BridgePortForwarding)

// FDBStatic is the state of an entry that does not age. That of a learned one is
// empty, as iproute2 has it.
const FDBStatic = "static"

// FDBEntry is an entry of the table of a bridge: what `bridge -j fdb show` prints.
type FDBEntry struct {
	MAC     string   `json:"mac"`
	IfName  string   `json:"ifname"`
	VLAN    uint16   `json:"vlan,omitempty"`    // 0 in a bridge without VLAN filtering
	Updated *int64   `json:"updated,omitempty"` // of a learned one, on demand: seconds since its last frame
	Flags   []string `json:"flags"`             // none so far
	Master  string   `json:"master"`
	State   string   `json:"state"` // FDBStatic or ""
}

// FDBFlush is which learned entries are to be forgotten; what is empty or 0 means
// any.
type FDBFlush struct {
	Bridge string `json:"bridge"`
	Port   string `json:"port"`
	VLAN   uint16 `json:"vlan"`
}

// FDBFlushed is what became of an FDBFlush.
type FDBFlushed struct {
	Removed int `json:"removed"` // entries
}

// PortVLANs is the VLANs of a port: what `bridge -j vlan show` prints.
type PortVLANs struct {
	IfName string `json:"ifname"`
	VLANs  []VLAN `json:"vlans"`
}

// The flags of a VLAN.
const (
	VLANIsPVID   = "PVID"            // frames without a tag are of it
	VLANUntagged = "Egress Untagged" // its frames leave without a tag
)

// VLAN is a VLAN of a port, or a range of them that have the same flags.
type VLAN struct {
	VLAN    uint16   `json:"vlan"`
	VLANEnd uint16   `json:"vlanEnd,omitempty"` // the last of a range
	Flags   []string `json:"flags,omitempty"`
}

// NewBridge is the object of a bridge.
func NewBridge(s dataplane.BridgeState) Bridge {
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

func bridgePort(p dataplane.BridgePortState) BridgePort {
	return BridgePort{
		Port: p.Port, State: string(p.State),
		PVID: p.Settings.PVID, Learning: p.Settings.Learning, Isolated: p.Settings.Isolated,
		BroadcastLimit: p.Settings.Broadcast, UnknownUnicastLimit: p.Settings.Unknown, MulticastLimit: p.Settings.Multicast,
		Counters: p.Counters,
	}
}

// fdbEntry is the object of an entry, with the age of a learned one if statistics are
// wanted.
func fdbEntry(e dataplane.FDBEntry, statistics bool) FDBEntry {
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

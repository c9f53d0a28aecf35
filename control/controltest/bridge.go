package controltest

import (
	"fmt"
	"net"
	"slices"
	"time"

	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
	"uelink/dataplane/pfc"
	"uelink/wire"
)

// NewBridged returns a backend with the ports of Ports, one port more, and two bridges: br0 filters VLANs and has
// edge0 and link0, br1 does not and has edge1. The port link1 is in no bridge. Two queues of edge0 trim.
func NewBridged() *Backend {
	ports := append(Ports(), edge1())
	addTrimming(&ports[1])
	b := New(ports, Profiles())
	b.trimming = trimming()
	b.bridges = []model.BridgeState{br1(), br0()}
	b.fdb = entries()
	return b
}

// SetFDB replaces the FDB entries that FDB returns.
func (b *Backend) SetFDB(entries []model.FDBEntry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fdb = entries
}

// Bridges returns the states of the bridges of NewBridged.
func (b *Backend) Bridges() []model.BridgeState {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.bridges)
}

// FDB returns the FDB entries of a bridge, or of all bridges if name is "".
func (b *Backend) FDB(name string) ([]model.FDBEntry, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	isOther := func(e model.FDBEntry) bool { return name != "" && e.Bridge != name }
	return slices.DeleteFunc(slices.Clone(b.fdb), isOther), b.failure
}

// AddFDB records the call and adds nothing. It refuses group addresses, and addresses that are static at another
// port.
func (b *Backend) AddFDB(name string, e model.FDBEntry) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := bridge.CheckMAC(e.MAC); err != nil {
		return &bridge.EntryError{Field: "mac", Reason: err.Error()}
	}
	if i := b.find(name, e); i >= 0 && b.fdb[i].Static && b.fdb[i].Port != e.Port {
		return fmt.Errorf("%s: %w", net.HardwareAddr(e.MAC[:]), bridge.ErrEntryExists)
	}
	return b.noteEntry("AddFDB", name, e)
}

// DeleteFDB records the call and removes nothing. It refuses an address that is not at the port.
func (b *Backend) DeleteFDB(name string, e model.FDBEntry) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := b.find(name, e); i < 0 || b.fdb[i].Port != e.Port {
		return fmt.Errorf("%s: %w", net.HardwareAddr(e.MAC[:]), bridge.ErrNoEntry)
	}
	return b.noteEntry("DeleteFDB", name, e)
}

// find returns the index of the FDB entry of a bridge that has the address and VLAN of e; -1 if there is none.
func (b *Backend) find(name string, e model.FDBEntry) int {
	return slices.IndexFunc(b.fdb, func(o model.FDBEntry) bool {
		return o.Bridge == name && o.MAC == e.MAC && o.VLAN == e.VLAN
	})
}

func (b *Backend) noteEntry(call, name string, e model.FDBEntry) error {
	if b.failure == nil {
		b.calls = append(b.calls, fmt.Sprintf("%s %s %s %s %d", call, name, e.Port, net.HardwareAddr(e.MAC[:]), e.VLAN))
	}
	return b.failure
}

// FlushFDB records the call, and returns the number of FDB entries that match; "" and 0 match any.
func (b *Backend) FlushFDB(name, port string, vlan int) (removed int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failure != nil {
		return 0, b.failure
	}
	b.calls = append(b.calls, fmt.Sprintf("FlushFDB %q %q %d", name, port, vlan))
	for _, e := range b.fdb {
		in := (name == "" || name == e.Bridge) && (port == "" || port == e.Port) && (vlan == 0 || vlan == int(e.VLAN))
		if in && !e.Static {
			removed++
		}
	}
	return removed, nil
}

// entries returns learned and static entries of both bridges, in no order.
func entries() []model.FDBEntry {
	return []model.FDBEntry{
		{Bridge: "br1", Port: "edge1", MAC: [6]byte{2, 0, 0, 0, 0, 0x55}, Age: 7 * time.Second},
		{Bridge: "br0", Port: "link0", MAC: [6]byte{2, 0, 0, 0, 0, 0xaa}, VLAN: 10, Static: true},
		{Bridge: "br0", Port: "edge0", MAC: [6]byte{2, 0, 0, 0, 0, 0x21}, VLAN: 10, Age: 1500 * time.Millisecond},
		{Bridge: "br0", Port: "link0", MAC: [6]byte{2, 0, 0, 0, 0, 0x22}, VLAN: 1, Age: 299 * time.Second},
	}
}

// br0 returns a bridge that filters VLANs, with a port that its loop guard blocks.
func br0() model.BridgeState {
	return model.BridgeState{
		Name: "br0", Entries: 3,
		Settings: bridge.Settings{
			Ageing: 300 * time.Second, VLANFiltering: true, MaxEntries: 4096,
			LoopGuard: bridge.LoopGuardBlock, BlockTime: 5 * time.Second,
		},
		Counters: bridge.Counters{FDBEntries: 3, FDBStatic: 1, FDBLearned: 1002, FDBAged: 1000, FDBFlapping: 1},
		Ports: []model.BridgePortState{
			{Port: "link0", State: model.BridgePortForwarding, Settings: bridge.PortSettings{
				PVID: 1, Untagged: []uint16{1}, Tagged: []uint16{10, 20, 21, 22, 30, 23}, Learning: true, Unknown: 1000},
				Counters: bridge.PortCounters{RxUnicast: 1234567, RxBroadcast: 89}},
			{Port: "edge0", State: model.BridgePortBlocked, Settings: bridge.PortSettings{
				PVID: 10, Untagged: []uint16{10}, Isolated: true, Learning: true, Broadcast: 100},
				Counters: bridge.PortCounters{RxUnicast: 7, RxDropStormBroadcast: 4000, LoopGuardBlocks: 1}},
		},
	}
}

func br1() model.BridgeState {
	return model.BridgeState{
		Name: "br1", Entries: 1,
		Settings: bridge.Settings{MaxEntries: 16, Reserved: bridge.ReservedForward},
		Ports:    []model.BridgePortState{{Port: "edge1", State: model.BridgePortDown}},
	}
}

// edge1 returns an edge that is down, with dynamic PFC, stopped in both directions.
func edge1() model.PortState {
	return model.PortState{
		Name: "edge1", Interface: "veth2", Role: model.RoleEdge, OperStatus: model.OperDown, MTU: 1500,
		MAC: wire.MAC{2, 0, 0, 0, 0, 4}, Bridge: "br1",
		PFC: &model.PFCState{
			Settings: model.PFCSettings{
				Dynamic: true, Priorities: 1<<3 | 1<<4, XOff: 256, XOn: 128, Headroom: 64, Rate: 10e9,
			},
			DCB:     model.DCB{Running: true, Agreed: true, PFC: 1<<3 | 1<<4},
			Stopped: 1 << 3, Stops: 1 << 4,
			Tx: pfc.PauserCounters{4: {TxPause: 2, TxRefresh: 30, TxResume: 1}},
			Rx: pfc.PausedCounters{Malformed: 1, Priority: [wire.Priorities]pfc.PriorityCounters{
				3: {RxPause: 1200, RxResume: 11, On2Off: 12, Paused: 4_200_000_000}, 7: {Ignored: 5},
			}},
		},
	}
}

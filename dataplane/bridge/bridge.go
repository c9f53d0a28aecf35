// Package bridge is a learning bridge (IEEE 802.1Q) as a pure machine: it decides by a frame's addresses, tag and
// time by which ports the frame leaves. It reads no clock, holds no frame and has no goroutine. Its ports are numbers
// that the owner chooses.
//
// The path of a frame, each step a call by the owner:
//
//  1. [Bridge.Decide] returns the verdict on the frame: VLAN, class, and the egress port, a flood, or the reason of a
//     drop. It changes nothing, so it may run before the frame is known to be good.
//  2. [Bridge.Admit], for a frame known to be good and new, charges the storm limits, learns the source address and
//     counts.
//  3. [Bridge.Members] lists where a flood may go; a frame that does not flood has a single port, Out.
//  4. [Bridge.Egress] reports for each port whether the frame leaves there, and with which tag.
//
// [Bridge.Poll] runs the timers: addresses age, and the loop guard unblocks ports. Calling it early is harmless.
// [Bridge.Events] returns events for an operator.
//
// Each VLAN has its own addresses (independent VLAN learning). Addresses are learned from every frame that passes the
// ingress rules of its port, even if its destination then proves unreachable.
package bridge

import (
	"math"

	"uelink/wire"
)

// soon is a deadline that has passed in any case: Poll is due at once.
const soon = math.MinInt64

// Bridge is one bridge.
type Bridge struct {
	settings Settings
	ports    [MaxPorts]*port
	vlans    vlans
	table    table
	learned  int       // number of entries that are not static
	full     bool      // TableFull was reported
	cursor   int       // slot where the sweep continues
	sweepAt  wire.Time // when the sweep continues
	wakeAt   wire.Time // when the first blocked port is unblocked
	bouts    [boutsMax]bout
	events   events
	counters Counters
}

// port is a port of a bridge.
type port struct {
	settings PortSettings
	limits   [numClasses]bucket
	blocked  bool
	until    wire.Time // when a blocked port is unblocked
	admitted [numClasses]uint64
	drops    [NumReasons]uint64
	blocks   uint64
}

// New returns a bridge without ports. The seed, any number unknown to others, keeps stations from choosing
// addresses that are slow to find.
func New(s Settings, seed uint64, now wire.Time) *Bridge {
	b := &Bridge{
		settings: s, vlans: newVLANs(), table: newTable(s.MaxEntries, seed), sweepAt: wire.Never, wakeAt: wire.Never,
	}
	b.events = newEvents(now)
	return b
}

// Configure applies settings to the bridge. A change of VLANFiltering removes all addresses except the Static ones of
// ports whose VLAN is still valid. Ports blocked by the loop guard are unblocked if the settings no longer block.
func (b *Bridge) Configure(s Settings) {
	changed := s.VLANFiltering != b.settings.VLANFiltering
	b.settings = s
	if changed {
		b.removeIf(func(*entry) bool { return true })
		b.vlans = newVLANs()
		for n, p := range b.ports {
			if p != nil {
				b.vlans.joinAll(n, &p.settings, s.VLANFiltering)
				_ = b.addStatics(n, p.settings.Static) // some VLANs are not valid any more
			}
		}
	}
	if n := b.capacity(); slotsFor(n) != len(b.table.slots) {
		b.resize(n)
	}
	b.updateFull()
	b.sweepAt = soon
	if s.LoopGuard != LoopGuardBlock {
		b.unblock(wire.Never)
	}
}

// SetPort adds port n, 0 to MaxPorts-1, or applies new settings. Addresses learned at the port in VLANs that it has
// left are removed. The error is about the first Static address that is not valid; the rest is applied all the same.
func (b *Bridge) SetPort(n int, s PortSettings) error {
	p := b.ports[n]
	added := p == nil
	if added {
		p = &port{}
		b.ports[n] = p
	}
	old := p.settings
	p.configure(s)
	if added || !old.sameVLANs(&p.settings) {
		b.changeVLANs(n, &p.settings)
	}
	b.removeStatics(n, old.Static)
	return b.addStatics(n, s.Static)
}

// changeVLANs applies the VLANs in the settings of port n.
func (b *Bridge) changeVLANs(n int, s *PortSettings) {
	b.vlans.leave(n)
	b.vlans.joinAll(n, s, b.settings.VLANFiltering)
	b.removeIf(func(e *entry) bool {
		return e.port() == n && !e.static() && !b.vlans.find(e.vlan()).members.contains(n)
	})
}

// RemovePort removes port n and all its addresses. The number may be used again. It takes as long as Flush.
func (b *Bridge) RemovePort(n int) {
	if b.port(n) == nil {
		return
	}
	b.removeIf(func(e *entry) bool { return e.port() == n })
	b.vlans.leave(n)
	b.ports[n] = nil
	for i := range b.bouts {
		if b.bouts[i].hasPort(n) {
			b.bouts[i] = bout{}
		}
	}
}

// Blocked reports whether the loop guard has blocked port n.
func (b *Bridge) Blocked(n int) bool {
	p := b.port(n)
	return p != nil && p.blocked
}

// port returns the bridge's port number n, or nil if there is no such port.
func (b *Bridge) port(n int) *port {
	if uint(n) >= MaxPorts {
		return nil
	}
	return b.ports[n]
}

// configure applies settings to a bridge port; a PVID that is no VLAN counts as 0. The token bucket of an unchanged
// rate limit is not refilled.
func (p *port) configure(s PortSettings) {
	p.settings = s.clone()
	if s.PVID > MaxVLAN {
		p.settings.PVID = 0
	}
	for class, rate := range [numClasses]uint32{Unknown: s.Unknown, Broadcast: s.Broadcast, Multicast: s.Multicast} {
		if p.limits[class].rate != int64(rate) {
			p.limits[class] = newBucket(rate)
		}
	}
}

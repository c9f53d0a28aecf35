// Package bridge is a learning bridge (IEEE 802.1Q) as a pure machine: it is told of a frame's
// addresses, its tag and the time, and says where the frame goes. It reads no clock, holds no
// frame and has no goroutine. Its ports are numbers that the owner chooses.
//
// The way of a frame, each step a call of the owner's:
//
//  1. [Bridge.Look] says what will become of it: the VLAN, the class, the port or a flood, or why
//     it is dropped. It changes nothing, so it may run before the frame is known to be good.
//  2. [Bridge.Take], when the frame is known to be good and new, charges the storm limits, learns
//     the source address and counts. What it drops it has counted.
//  3. [Bridge.Members] is where a flood may go; a frame that does not flood has one port, Out.
//  4. [Bridge.Egress] says for each of these whether the frame leaves there, and with what tag.
//
// [Bridge.Poll] makes time pass: addresses age, and ports that the loop guard has blocked come
// back. Calling it early is harmless. [Bridge.Events] tells what an operator wants to know.
//
// Each VLAN has its own addresses (independent VLAN learning). Addresses are learned from every
// frame that the rules of its ingress port let in, also from one whose destination then turns
// out to be out of reach.
package bridge

import "math"

// never is the deadline of what does not happen, soon of what is to happen at the next Poll.
const (
	never = math.MaxInt64
	soon  = math.MinInt64
)

// Bridge is one bridge.
type Bridge struct {
	settings Settings
	ports    [MaxPorts]*port
	vlans    vlans
	table    table
	learned  int   // entries that are not static
	full     bool  // it was told that the table is full
	cursor   int   // slot that the sweep looks at next
	sweepAt  int64 // when the sweep goes on
	wakeAt   int64 // when the first of the blocked ports comes back
	bouts    [boutsMax]bout
	events   events
	counters Counters
}

// port is a port of a bridge.
type port struct {
	settings PortSettings
	limits   [numClasses]bucket
	blocked  bool
	until    int64 // when a blocked port comes back
	taken    [numClasses]uint64
	drops    [NumReasons]uint64
	blocks   uint64
}

// New makes a bridge without ports. The seed, any number that others do not know, keeps them
// from choosing addresses that are slow to find. Times are nanoseconds of a clock that does
// not go back.
func New(s Settings, seed uint64, now int64) *Bridge {
	b := &Bridge{settings: s, vlans: newVLANs(), table: newTable(s.MaxEntries, seed), sweepAt: never, wakeAt: never}
	b.events = newEvents(now)
	return b
}

// Configure gives the bridge other settings. When VLANFiltering changes, all addresses are
// forgotten but those Static ones of the ports whose VLAN still means something.
func (b *Bridge) Configure(s Settings) {
	changed := s.VLANFiltering != b.settings.VLANFiltering
	b.settings = s
	if changed {
		b.forget(func(*entry) bool { return true })
		b.vlans = newVLANs()
		for n, p := range b.ports {
			if p != nil {
				b.vlans.enroll(n, &p.settings, s.VLANFiltering)
				_ = b.addStatics(n, p.settings.Static) // some VLANs mean nothing now
			}
		}
	}
	if n := b.capacity(); slotsFor(n) != len(b.table.slots) {
		b.resize(n)
	}
	b.room()
	b.sweepAt = soon
	if s.LoopGuard != LoopGuardBlock {
		b.unblock(never)
	}
}

// SetPort adds port n, 0 to MaxPorts-1, or gives it other settings. Addresses learned at the
// port in VLANs that it has left are forgotten. The error is about the first Static address
// that cannot be; everything else is done all the same.
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
		b.regroup(n, &p.settings)
	}
	b.removeStatics(n, old.Static)
	return b.addStatics(n, s.Static)
}

// regroup gives port n other VLANs.
func (b *Bridge) regroup(n int, s *PortSettings) {
	b.vlans.leave(n)
	b.vlans.enroll(n, s, b.settings.VLANFiltering)
	b.forget(func(e *entry) bool {
		return e.port() == n && !e.static() && !b.vlans.of(e.vlan()).members.has(n)
	})
}

// RemovePort takes port n out, and all addresses at it. The number may be used again. It takes
// as long as Flush.
func (b *Bridge) RemovePort(n int) {
	if b.port(n) == nil {
		return
	}
	b.forget(func(e *entry) bool { return e.port() == n })
	b.vlans.leave(n)
	b.ports[n] = nil
	for i := range b.bouts {
		if b.bouts[i].has(n) {
			b.bouts[i] = bout{}
		}
	}
}

// Blocked tells whether the loop guard has blocked port n.
func (b *Bridge) Blocked(n int) bool {
	p := b.port(n)
	return p != nil && p.blocked
}

// port is port n, or nil when there is none.
func (b *Bridge) port(n int) *port {
	if uint(n) >= MaxPorts {
		return nil
	}
	return b.ports[n]
}

// configure takes over settings. A limit that stays is not filled up again.
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

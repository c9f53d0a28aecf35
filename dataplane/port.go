package dataplane

import (
	"uelink/dataplane/frame"
	"uelink/dataplane/netif"
	"uelink/dataplane/pfc"
	"uelink/llr"
	"uelink/wire"
)

// batch is the number of frames handled at once in one direction of a port.
const batch = 64

// prefetched is the number of octets of a frame that touch reads. The CPU prefetches the rest of a long frame during
// the copy.
const prefetched = 256

// port is the worker's state of one interface, and the queues of frames to send. sources is empty while the interface
// is absent; frames leave by the first source.
type port struct {
	// Fields read in every round.
	sources   []*source
	caught    []*source // nil, or one source: frames caught while the sockets were reopened
	slots     slots
	link      *link // the port as a link; nil on an edge
	ring      int   // entries free in the TX ring, as of the last complete
	unsent    int   // posted since the last flush
	outLen    int   // of these, not yet passed to the device
	up        bool
	stalled   bool // no room for its frames elsewhere: they stay in the RX rings
	blocked   bool // work is left that waits for room
	suspended bool // the sockets are being reopened: frames to send wait

	egress
	still    still
	drops    drops
	pause    pause
	dcb      DCB
	settings PortSettings // in force, with the result of DCBX
	number   int          // number in its domain
	other    *port        // the other port of an xconnect; nil in a bridge
	mac      wire.MAC
	mtu      int // of the interface, octets
	maxFrame int // longest frame of the interface, octets
	speed    int // of the interface, Mb/s; 0 = not known
	counters PortCounters

	out     [batch]frame.Desc
	rx      [batch]frame.Desc
	done    [batch]uint64
	edited  [netif.LargestFrame + wire.VLANTagLen]byte // a frame whose VLAN tag was changed or added
	touched byte                                       // sink for touch's reads, so that the compiler cannot remove them
}

// newPort returns a port without devices. p is the LLR profile of a link; drain is the most time for LLR to deliver
// after it was switched off, ns.
func newPort(s PortSettings, p llr.Profile, drain, now int64) *port {
	if s.Role == RoleLink {
		return &newLink(s, p, newIdentity(), drain, now).port
	}
	e := &port{}
	e.set(s, now)
	return e
}

// configure takes new settings.
func (p *port) configure(s PortSettings, profile llr.Profile, drain, now int64) {
	if p.link != nil {
		p.link.configure(s, profile, drain, now)
		return
	}
	p.set(s, now)
}

// clear sets the counters to zero.
func (p *port) clear(now int64) {
	trimmed := p.counters.TrimCounters
	trimmed.clear()
	p.counters = PortCounters{TrimCounters: trimmed}
	p.egress.clear()
	*p.pause.pauser.Counters() = pfc.PauserCounters{}
	p.pause.paused.ClearCounters(now)
	if p.link != nil {
		*p.link.llr.Counters() = llr.Counters{}
		p.link.llr.Tx.ClearFlush()
		p.link.cbfc.Clear()
	}
}

// set takes the settings, as far as DCBX does not say otherwise.
func (p *port) set(s PortSettings, now int64) {
	s = p.dcb.operative(s)
	p.settings = s
	p.egress.configure(s.Scheduler)
	p.pause.configure(s.PFC, now)
	if !p.pause.on {
		p.halted = 0
	}
}

// attach gives the port its devices, one for each RX queue.
func (p *port) attach(devices []frame.Device, mac wire.MAC, mtu int) {
	p.mac = mac
	p.sources = p.sources[:0]
	for _, d := range devices {
		p.sources = append(p.sources, newSource(p, d))
	}
	if p.slots.kept != nil {
		p.slots.restore(devices[0].Geometry(), devices[0].Area())
	} else {
		p.slots = newSlots(devices[0].Geometry())
	}
	p.outLen, p.unsent, p.ring = 0, 0, devices[0].TxRoom()
	p.setMTU(mtu)
}

// detach removes the devices; the caller closes them.
func (p *port) detach() {
	p.letGo()
	p.slots, p.suspended = slots{}, false
	if p.link != nil {
		p.link.holding = false
	}
}

// letGo removes the devices and leaves the slots unchanged.
func (p *port) letGo() {
	p.sources, p.caught, p.up, p.stalled, p.blocked = nil, nil, false, false, false
	p.outLen, p.unsent, p.ring = 0, 0, 0
	if p.link != nil {
		p.link.dataFrom = nil
	}
}

func (p *port) setMTU(mtu int) {
	p.mtu, p.maxFrame = mtu, mtu+netif.Slack
	if p.attached() {
		p.maxFrame = min(p.maxFrame, p.device().Geometry().SlotSize())
	}
}

// setSpeed notes how fast the interface is, Mb/s; 0 is not known.
func (p *port) setSpeed(mbps int) {
	p.speed = mbps
	if p.link != nil {
		p.link.llr.Tx.SetSpeed(int64(mbps) * 1e6)
	}
}

// longestCarried returns the longest frame through the port, in the form it has outside of links, octets.
func (p *port) longestCarried() int {
	if p.link != nil {
		return wire.Preamble{FCS: p.settings.FCS, To: wire.To{Addressed: p.settings.addressed()}}.CarriedLen(p.maxFrame)
	}
	return p.maxFrame
}

// attached reports whether the interface exists.
func (p *port) attached() bool { return len(p.sources) > 0 }

// device returns the device that frames leave by; the port must be attached.
func (p *port) device() frame.Device { return p.sources[0].device }

func (p *port) ready() bool { return p.up && p.attached() && !p.suspended }

// txRoom returns how many more frames can be posted now, each in a free slot.
func (p *port) txRoom() int { return min(p.slots.pool.Len(), p.ring) }

// postRoom returns how many used slots can be posted again now.
func (p *port) postRoom() int { return p.ring }

// slot removes and returns a free slot; txRoom must have returned more than 0.
func (p *port) slot() (uint32, []byte) {
	slot, chunk := p.next()
	p.slots.pool.Take()
	return slot, chunk
}

// next returns the slot that slot would return, without removing it.
func (p *port) next() (uint32, []byte) {
	slot := p.slots.pool.Next()
	addr := p.slots.addr(slot)
	return slot, p.sources[0].area[addr : addr+p.slots.size]
}

// post puts a slot in line for the device.
func (p *port) post(slot uint32) {
	d := p.slots.post(slot)
	p.counters.TxFrames++
	p.counters.TxOctets += uint64(d.Len)
	p.ring--
	p.unsent++
	p.out[p.outLen] = d
	if p.outLen++; p.outLen == batch {
		p.submit()
	}
}

// submit passes the posted frames to the device, which has room for them.
func (p *port) submit() {
	if p.device().Transmit(p.out[:p.outLen]) != p.outLen {
		panic("dataplane: more frames were posted than the device has room for")
	}
	p.outLen = 0
}

// flush makes the kernel send all posted frames and notice refilled chunks: one system call. Errors of Kick are left to
// the watch of the interface.
func (p *port) flush() {
	if p.outLen > 0 {
		p.submit()
	}
	p.unsent = 0
	for _, s := range p.sources {
		_ = s.device.Kick()
	}
}

// complete begins a round: it releases the slots whose posting has completed.
func (p *port) complete() {
	p.blocked = false
	if p.slots.posted == 0 {
		return
	}
	for {
		n := p.device().Completed(p.done[:])
		for _, addr := range p.done[:n] {
			p.slots.completed(addr)
		}
		if n < batch {
			p.ring = p.device().TxRoom() - p.outLen
			return
		}
	}
}

// receive receives up to limit frames from one of the port's sockets.
func (p *port) receive(s *source, limit int) []frame.Desc {
	n := s.device.Receive(p.rx[:min(limit, batch)])
	p.counters.RxFrames += uint64(n)
	for _, d := range p.rx[:n] {
		p.counters.RxOctets += uint64(d.Len)
		p.touched += touch(s.area[d.Addr : d.Addr+uint64(d.Len)])
	}
	return p.rx[:n]
}

// untaken empties the RX rings and returns the number of frames found.
func (p *port) untaken() (n int) {
	for _, s := range p.sources {
		for descs := p.receive(s, batch); len(descs) > 0; descs = p.receive(s, batch) {
			n += len(descs)
			s.device.Recycle(descs)
		}
	}
	return n
}

// touch reads an octet of every cache line at a frame's beginning. Another CPU has written the frame; the reads fetch
// the lines of a batch in parallel instead of one after the other.
func touch(f []byte) (sum byte) {
	for i := 0; i < min(len(f), prefetched); i += 64 {
		sum += f[i]
	}
	return sum
}

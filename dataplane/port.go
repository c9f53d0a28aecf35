package dataplane

import (
	"crypto/rand"
	"encoding/binary"

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
	ring      int   // free entries of the TX ring: as of the last complete, less those posted since
	unsent    int   // posted since the last flush
	outLen    int   // posted, and not yet passed to the device
	up        bool
	stalled   bool // the frames of the port have no room to wait: they stay in the RX rings
	blocked   bool // work waits for room: the domain steps again soon
	suspended bool // the sockets are being reopened: frames to send wait

	egress
	still    still
	drops    drops
	pause    pause
	dcb      DCB          // result of DCBX
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
	edited  [netif.LargestFrame + wire.VLANTagLen]byte // scratch: a frame with a VLAN tag changed or added
	touched byte                                       // sink for the reads of touch, so the compiler keeps the reads
}

// newPort returns a port without devices. p is the LLR profile of a link; drain is the longest time for LLR to deliver
// frames after LLR was switched off, ns.
func newPort(s PortSettings, p llr.Profile, drain, now int64) *port {
	if s.Role == RoleLink {
		return &newLink(s, p, newIdentity(), drain, now).port
	}
	e := &port{}
	e.set(s, now)
	return e
}

// configure applies new settings; profile and drain are those of a link.
func (p *port) configure(s PortSettings, profile llr.Profile, drain, now int64) {
	if p.link != nil {
		p.link.configure(s, profile, drain, now)
		return
	}
	p.set(s, now)
}

// clear sets the counters of the port, and of its PFC, LLR and CBFC machines, to zero.
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

// set applies the settings. A result of DCBX takes precedence over the settings of PFC and of the scheduler.
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

// detach removes the devices, which the caller closes, and all slots.
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

// setSpeed records the speed of the interface, Mb/s; 0: not known.
func (p *port) setSpeed(mbps int) {
	p.speed = mbps
	if p.link != nil {
		p.link.llr.Tx.SetSpeed(int64(mbps) * 1e6)
	}
}

// longestCarried returns the octets of the longest frame through the port, without the shim of a link.
func (p *port) longestCarried() int {
	if p.link != nil {
		return wire.Preamble{FCS: p.settings.FCS, To: wire.To{Addressed: p.settings.addressed()}}.CarriedLen(p.maxFrame)
	}
	return p.maxFrame
}

// attached reports whether the port has devices: its interface is present and open.
func (p *port) attached() bool { return len(p.sources) > 0 }

// device returns the device by which frames leave; the port must be attached.
func (p *port) device() frame.Device { return p.sources[0].device }

func (p *port) ready() bool { return p.up && p.attached() && !p.suspended }

// txRoom returns the number of frames that can be posted now, each in a free slot.
func (p *port) txRoom() int { return min(p.slots.pool.Len(), p.ring) }

// postRoom returns the number of used slots that can be posted again now, for replays.
func (p *port) postRoom() int { return p.ring }

// slot removes a free slot from the pool and returns the slot and its chunk; txRoom must have returned more than 0.
func (p *port) slot() (uint32, []byte) {
	slot, chunk := p.next()
	p.slots.pool.Take()
	return slot, chunk
}

// next returns the next free slot and its chunk, and leaves the slot in the pool.
func (p *port) next() (uint32, []byte) {
	slot := p.slots.pool.Next()
	addr := p.slots.addr(slot)
	return slot, p.sources[0].area[addr : addr+p.slots.size]
}

// post counts the frame in a slot as sent, and queues the slot for the device.
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

// submit passes the posted frames to the device, which must have room for all.
func (p *port) submit() {
	if p.device().Transmit(p.out[:p.outLen]) != p.outLen {
		panic("dataplane: more frames were posted than the device has room for")
	}
	p.outLen = 0
}

// flush makes the kernel send all posted frames and use refilled chunks, by system calls only where the kernel needs
// one. It ignores errors of Kick: the watch of the interface finds an interface that fails.
func (p *port) flush() {
	if p.outLen > 0 {
		p.submit()
	}
	p.unsent = 0
	for _, s := range p.sources {
		_ = s.device.Kick()
	}
}

// complete releases the slots whose frames the kernel has sent, at the beginning of a round.
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

// receive receives and counts up to limit frames, and at most a batch, from a socket of the port.
func (p *port) receive(s *source, limit int) []frame.Desc {
	n := s.device.Receive(p.rx[:min(limit, batch)])
	p.counters.RxFrames += uint64(n)
	for _, d := range p.rx[:n] {
		p.counters.RxOctets += uint64(d.Len)
		p.touched += touch(s.area[d.Addr : d.Addr+uint64(d.Len)])
	}
	return p.rx[:n]
}

// untaken discards all frames in the RX rings, and returns their number.
func (p *port) untaken() (n int) {
	for _, s := range p.sources {
		for descs := p.receive(s, batch); len(descs) > 0; descs = p.receive(s, batch) {
			n += len(descs)
			s.device.Recycle(descs)
		}
	}
	return n
}

// touch reads an octet of every cache line at the beginning of a frame. Another CPU has written the frame: the reads
// fetch the cache lines of a batch in parallel, instead of one after another during processing.
func touch(f []byte) (sum byte) {
	for i := 0; i < min(len(f), prefetched); i += 64 {
		sum += f[i]
	}
	return sum
}

// replace gives a port other devices with the same memory and rings: taps on its devices, or the devices themselves.
func (p *port) replace(devices []frame.Device) {
	for i, s := range p.sources {
		s.device = devices[i]
	}
}

// newIdentity returns a random identity. Frames of an earlier process, still on the wire, do not match the random first
// sequence number; and the partner learns from the random start id that this end has restarted and forgotten the old
// numbers. Each start of a link has a new identity, also after a reload reopens the link.
func newIdentity() (id identity) {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program rather
	_, _ = rand.Read(id.nonce[:])
	id.seq = binary.LittleEndian.Uint32(b[:]) & wire.SeqMask
	id.start = binary.LittleEndian.Uint32(b[4:]) & wire.StartMask
	return id
}

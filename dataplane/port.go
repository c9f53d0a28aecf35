package dataplane

import (
	"uelink/dataplane/frame"
	"uelink/dataplane/netif"
	"uelink/wire"
)

// batch is how many frames are worked on at once in one direction of a port.
const batch = 64

// prefetched is how many octets of a frame touch reads. The CPU fetches the rest of
// a long one ahead while it is copied.
const prefetched = 256

// port is what a worker knows of one interface. devices is empty while the
// interface is absent; frames leave by the first of them.
type port struct {
	settings PortSettings
	mac      wire.MAC
	mtu      int // of the interface, octets
	maxFrame int // longest frame that the interface carries, octets
	up       bool

	devices []frame.Device
	areas   [][]byte // of the devices
	slots   slots
	ring    int               // entries free in the TX ring, as of the last complete
	stalled bool              // there was no room for its frames elsewhere: they stay in the RX rings
	out     [batch]frame.Desc // posted, not yet handed to the device
	outLen  int
	unsent  int // posted since the last flush

	counters PortCounters
	rx       [batch]frame.Desc
	touched  byte // what touch has read, so that it has to
	done     [batch]uint64
}

// attach gives the port its devices, one for each RX queue.
func (p *port) attach(devices []frame.Device, mac wire.MAC, mtu int) {
	p.devices, p.mac = devices, mac
	p.setMTU(mtu)
	p.slots = newSlots(devices[0].Geometry())
	p.outLen, p.unsent, p.ring = 0, 0, devices[0].TxRoom()
	p.areas = p.areas[:0]
	for _, d := range devices {
		p.areas = append(p.areas, d.Area())
	}
}

// detach forgets the devices; the caller closes them.
func (p *port) detach() {
	p.devices, p.areas, p.up, p.stalled = nil, nil, false, false
	p.slots, p.outLen, p.unsent, p.ring = slots{}, 0, 0, 0
}

func (p *port) setMTU(mtu int) {
	p.mtu, p.maxFrame = mtu, mtu+netif.Slack
	if len(p.devices) > 0 {
		p.maxFrame = min(p.maxFrame, p.devices[0].Geometry().ChunkSize)
	}
}

func (p *port) ready() bool { return p.up && len(p.devices) > 0 }

// txRoom is how many more frames can be posted now, each in a slot of its own.
func (p *port) txRoom() int { return min(p.slots.pool.Len(), p.ring) }

// postRoom is how many slots that are taken already can be posted again now.
func (p *port) postRoom() int { return p.ring }

// slot takes a free slot; txRoom has said that there is one.
func (p *port) slot() (uint32, []byte) {
	slot, chunk := p.next()
	p.slots.pool.Take()
	return slot, chunk
}

// next is the slot that slot takes next.
func (p *port) next() (uint32, []byte) {
	slot := p.slots.pool.Next()
	addr := p.slots.geometry.SlotAddr(slot)
	return slot, p.areas[0][addr : addr+uint64(p.slots.geometry.ChunkSize)]
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

// submit hands what is in line to the device, which has room for it.
func (p *port) submit() {
	if p.devices[0].Transmit(p.out[:p.outLen]) != p.outLen {
		panic("dataplane: more frames were posted than the device has room for")
	}
	p.outLen = 0
}

// flush has everything posted sent and refilled chunks noticed: one system call.
// What Kick says of the interface is left to the watch of its state.
func (p *port) flush() {
	if p.outLen > 0 {
		p.submit()
	}
	p.unsent = 0
	for _, dev := range p.devices {
		_ = dev.Kick()
	}
}

// complete takes back the slots whose posting is over.
func (p *port) complete() {
	if p.slots.posted == 0 {
		return
	}
	for {
		n := p.devices[0].Completed(p.done[:])
		for _, addr := range p.done[:n] {
			p.slots.completed(addr)
		}
		if n < batch {
			p.ring = p.devices[0].TxRoom() - p.outLen
			return
		}
	}
}

// receive takes up to limit frames from one queue.
func (p *port) receive(queue, limit int) []frame.Desc {
	n := p.devices[queue].Receive(p.rx[:min(limit, batch)])
	p.counters.RxFrames += uint64(n)
	area := p.areas[queue]
	for _, d := range p.rx[:n] {
		p.counters.RxOctets += uint64(d.Len)
		p.touched += touch(area[d.Addr : d.Addr+uint64(d.Len)])
	}
	return p.rx[:n]
}

// touch reads an octet of every cache line of a frame's beginning. The frame was
// written by another CPU: so the lines of a batch come over side by side, and not
// one by one as their octets are needed.
func touch(f []byte) (sum byte) {
	for i := 0; i < min(len(f), prefetched); i += 64 {
		sum += f[i]
	}
	return sum
}

package path

import (
	"crypto/rand"
	"encoding/binary"
	"time"

	"uelink/dataplane/acd"
	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/pfc"
	"uelink/llr"
	"uelink/wire"
)

// A system call that sends live frames costs 11 µs, and 165 ns for each frame: it pays to send several rounds' frames
// by one call. Frames that leave by AF_XDP are held back as well. heldLeast is the least number of frames that a round
// posts for a port whose frames are held back for more; heldMost the number of posted frames from which none are held
// back.
const (
	heldLeast = batch / 2
	heldMost  = 256
)

// batch is the number of frames handled at once in one direction of a port.
const batch = 64

// fetchAhead makes the CPU load the first prefetched octets of a frame into its cache headAhead frames before the frame
// is handled, and the rest of the frame restAhead frames before. Another CPU has written the frames: a copy that finds
// the frame in the cache takes half the time. A CPU has few cache lines under way at once, so frames far ahead delay
// the next one: with the first octets of all 64 frames of a batch fetched at once, link Tx took 3 to 10 % longer for
// frames of 3400 octets.
const (
	prefetched = 256
	headAhead  = 3
	restAhead  = 2
)

// Port is the worker's state of one interface, and the queues of frames to send. sources is empty while the interface
// is absent; frames leave by the first source.
type Port struct {
	// Fields read in every round.
	sources     []*source
	caught      []*source // nil, or one source: frames caught while the sockets were reopened
	Slots       slots
	Link        *Link    // the port as a link that speaks LLR, else nil
	HIPPI       *HIPPI   // the port as a link that speaks HIPPI-6400-PH, else nil
	link        protocol // one of these; nil on an edge
	ring        int      // free entries of the TX ring: as of the last complete, less those posted since
	unsent      int      // posted and not flushed yet
	held        int      // of unsent: posted in earlier rounds, and held back for more
	outLen      int      // posted, and not yet passed to the device
	up          bool
	stalled     bool // the frames of the port have no room to wait: they stay in the RX rings
	blocked     bool // work waits for room: the domain steps again soon
	completions int  // of postings, at the beginning of this round
	Suspended   bool // the sockets are being reopened: frames to send wait

	egress
	still     still
	drops     drops
	pause     pause
	DCB       model.DCB          // result of DCBX
	stopsTold model.QueueStops   // stops of queues, as last reported
	asked     acd.Asked          // IP addresses for which the host of an edge asks
	conflicts string             // text of the IP addresses that a host here and one elsewhere use
	settings  model.PortSettings // in force, with the result of DCBX
	Number    int                // number in its domain
	Other     *Port              // the other port of an xconnect; nil in a bridge
	twin      twin
	mac       wire.MAC
	MTU       int // of the interface, octets
	maxFrame  int // longest frame of the interface, octets
	tagRoom   int // part of MTU that is room for a second VLAN tag, octets
	speed     int // of the interface, Mb/s; 0 = not known
	Counters  model.PortCounters

	out    [batch]frame.Desc
	rx     [batch]frame.Desc
	done   [batch]uint64
	edited [netif.LargestFrame + wire.VLANTagLen]byte // scratch: a frame with a VLAN tag changed or added
}

// NewPort returns a port without devices. p is the LLR profile of a link; drain is the longest time for LLR to
// deliver frames after LLR was switched off.
func NewPort(s model.PortSettings, p llr.Profile, drain time.Duration, now wire.Time) *Port {
	if s.Role == model.RoleLink {
		return newLinkPort(s, p, drain, now)
	}
	e := &Port{tagRoom: wire.VLANTagLen}
	e.Set(s, now)
	return e
}

// configure applies new settings to a port; profile and drain (as in NewPort) are for a link only.
func (p *Port) configure(s model.PortSettings, profile llr.Profile, drain time.Duration, now wire.Time) {
	if p.link != nil {
		p.link.configure(s, profile, drain, now)
		return
	}
	p.Set(s, now)
}

// Clear sets the counters of the port, and of its PFC, LLR and CBFC machines, to zero.
func (p *Port) Clear(now wire.Time) {
	trimmed := p.Counters.TrimCounters
	trimmed.Clear()
	p.Counters = model.PortCounters{TrimCounters: trimmed}
	p.egress.clear()
	*p.pause.pauser.Counters() = pfc.PauserCounters{}
	p.pause.paused.ClearCounters(now)
	if p.link != nil {
		p.link.clear()
	}
}

// Set applies settings to an edge port. A result of DCBX takes precedence over the settings of PFC and of the
// scheduler.
func (p *Port) Set(s model.PortSettings, now wire.Time) {
	s = p.DCB.Operative(s)
	p.settings = s
	p.egress.configure(s.Scheduler)
	p.pause.configure(s.PFC, now)
	if !p.pause.on {
		p.pause.stopped = 0
	}
	p.gate()
}

// attach gives the port its devices, one for each RX queue.
func (p *Port) attach(devices []frame.Device, mac wire.MAC, mtu int) {
	p.mac = mac
	p.sources = p.sources[:0]
	for _, d := range devices {
		p.sources = append(p.sources, newSource(p, d))
	}
	if p.HIPPI != nil {
		p.sources = append(p.sources, p.HIPPI.assembled())
	}
	if p.Slots.kept != nil {
		p.Slots.restore(devices[0].Geometry(), devices[0].Area())
	} else {
		p.Slots = newSlots(devices[0].Geometry())
	}
	p.outLen, p.unsent, p.held, p.ring = 0, 0, 0, devices[0].TxRoom()
	p.setMTU(mtu)
}

// detach removes the devices, which the caller closes, and all TX slots with the frames in them.
func (p *Port) detach() {
	p.letGo()
	p.Slots, p.Suspended = slots{}, false
	if p.Link != nil {
		p.Link.Holding = false
	}
}

// letGo removes the devices from the port and leaves its TX slots unchanged.
func (p *Port) letGo() {
	p.sources, p.caught, p.up, p.stalled, p.blocked = nil, nil, false, false, false
	p.outLen, p.unsent, p.held, p.ring = 0, 0, 0, 0
	if p.Link != nil {
		p.Link.dataFrom = nil
	}
}

func (p *Port) setMTU(mtu int) {
	p.MTU, p.maxFrame = mtu, mtu+netif.Slack
	if p.Attached() {
		p.maxFrame = min(p.maxFrame, p.device().Geometry().SlotSize())
	}
}

// SetSpeed records the speed of the interface, Mb/s; 0: not known.
func (p *Port) SetSpeed(mbps int) {
	p.speed = mbps
	if p.Link != nil {
		p.Link.LLR.Tx.SetSpeed(int64(mbps) * 1e6)
	}
}

// longestCarried returns the length, in octets, of the longest frame that can pass the port, without the shim of a
// link.
func (p *Port) longestCarried() int {
	if p.HIPPI != nil {
		return netif.LargestFrame
	}
	if p.Link != nil {
		return wire.Preamble{FCS: p.settings.FCS, To: wire.To{Addressed: p.settings.Addressed()}}.CarriedLen(p.maxFrame)
	}
	return p.maxFrame
}

// Attached reports whether the port has devices: its interface is present and open.
func (p *Port) Attached() bool { return len(p.sources) > 0 }

// device returns the device by which frames leave; the port must be attached.
func (p *Port) device() frame.Device { return p.sources[0].device }

// Ready reports whether the port can send: its interface is attached and has its carrier, and its sockets are open.
func (p *Port) Ready() bool { return p.up && p.Attached() && !p.Suspended }

// Carrying reports whether the partner of a link gets the frames that are sent now: the carrier is there, a partner is
// known where one is awaited, and the link's protocol has begun. Only the worker may call it.
func (p *Port) Carrying() bool {
	switch {
	case !p.Ready():
		return false
	case p.HIPPI != nil:
		return p.HIPPI.End.Ready()
	case p.Link == nil:
		return false
	}
	switch p.Link.LLR.Tx.State() {
	case llr.TxAdvance, llr.TxReplay:
		return true
	case llr.TxOff:
		return !p.Link.remote() && (p.Link.Partner.Present() || !p.Link.awaitsPartner())
	case llr.TxInit, llr.TxFlush:
	}
	return false
}

// txRoom returns the number of new frames that can be posted for sending now, each in a free slot.
func (p *Port) txRoom() int { return min(p.Slots.pool.Len(), p.ring) }

// postRoom returns the number of frames in used slots that can be posted again now, for replays.
func (p *Port) postRoom() int { return p.ring }

// slot removes a free TX slot from the pool and returns the slot and its chunk; txRoom must have returned more
// than 0.
func (p *Port) slot() (uint32, []byte) {
	slot, chunk := p.next()
	p.Slots.pool.Take()
	return slot, chunk
}

// next returns the TX slot that slot would return next, and its chunk, and leaves the slot in the pool.
func (p *Port) next() (uint32, []byte) {
	slot := p.Slots.pool.Next()
	addr := p.Slots.addr(slot)
	return slot, p.sources[0].area[addr : addr+p.Slots.size]
}

// post counts the frame in a TX slot as sent, and queues the slot for the device.
func (p *Port) post(slot uint32) {
	d := p.Slots.post(slot)
	p.Counters.TxFrames++
	p.Counters.TxOctets += uint64(d.Len)
	p.ring--
	p.unsent++
	p.out[p.outLen] = d
	if p.outLen++; p.outLen == batch {
		p.submit()
	}
}

// submit passes the posted frames to the device, which must have room for all.
func (p *Port) submit() {
	if p.device().Transmit(p.out[:p.outLen]) != p.outLen {
		panic("path: more frames were posted than the device has room for")
	}
	p.outLen = 0
}

// flush makes the kernel send all posted frames and use refilled chunks, by system calls only where the kernel needs
// one. It ignores errors of Kick: the watch of the interface finds an interface that fails.
func (p *Port) flush() {
	if p.outLen > 0 {
		p.submit()
	}
	p.unsent, p.held = 0, 0
	for _, s := range p.sources {
		_ = s.device.Kick()
	}
}

// holdBack reports whether the posted frames shall wait for those of the next round, which comes at once: many
// were posted in this round, a system call would send more, and the ring has room for more. The frames are then
// marked as held.
func (p *Port) holdBack() bool {
	if p.unsent-p.held < heldLeast || p.unsent >= heldMost || p.ring <= batch+controlReserve {
		return false
	}
	p.held = p.unsent
	return true
}

// complete releases the TX slots whose frames the kernel has sent, at the beginning of a round.
func (p *Port) complete() {
	p.blocked, p.completions = false, 0
	if p.Slots.Posted == 0 {
		return
	}
	for {
		n := p.device().Completed(p.done[:])
		p.completions += n
		for _, addr := range p.done[:n] {
			p.Slots.completed(addr)
		}
		if n < batch {
			p.ring = p.device().TxRoom() - p.outLen
			return
		}
	}
}

// receive receives and counts up to limit frames, and at most a batch, from a socket of the port.
func (p *Port) receive(s *source, limit int) []frame.Desc {
	n := s.device.Receive(p.rx[:min(limit, batch)])
	p.Counters.RxFrames += uint64(n)
	for i := range p.rx[:n] {
		p.Counters.RxOctets += uint64(p.rx[i].Len)
	}
	return p.rx[:n]
}

// Untaken discards all frames in the RX rings, and returns their number.
func (p *Port) Untaken() (n int) {
	for _, s := range p.sources {
		for descs := p.receive(s, batch); len(descs) > 0; descs = p.receive(s, batch) {
			n += len(descs)
			s.device.Recycle(descs)
		}
	}
	return n
}

// fetchAhead makes the CPU load frames that are handled soon after frame i of a batch into its cache, and does not wait
// for them.
func (s *source) fetchAhead(descs []frame.Desc, i int) {
	if i == 0 {
		for j := range min(headAhead, len(descs)) {
			s.fetchHead(&descs[j])
		}
	}
	if j := i + headAhead; j < len(descs) {
		s.fetchHead(&descs[j])
	}
	if j := i + restAhead; j < len(descs) && descs[j].Len > prefetched {
		d := &descs[j]
		frame.Prefetch(s.area[d.Addr+prefetched : d.Addr+uint64(d.Len)])
	}
}

// fetchHead makes the CPU load the first octets of a frame into its cache.
func (s *source) fetchHead(d *frame.Desc) {
	frame.Prefetch(s.area[d.Addr : d.Addr+uint64(min(d.Len, prefetched))])
}

// Replace gives a port other devices with the same memory and rings: taps that record the frames, or again the
// devices without taps.
func (p *Port) Replace(devices []frame.Device) {
	for i, d := range devices {
		p.sources[i].use(d)
	}
}

// newIdentity returns a random identity of a link: first sequence number and start id. Frames of an earlier
// process, still on the wire, do not match the random first sequence number; and the partner learns from the
// random start id that this end has restarted and forgotten the old numbers. Each start of a link has a new
// identity, also after a reload reopens the link.
func newIdentity() (id Identity) {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program rather
	_, _ = rand.Read(id.Nonce[:])
	id.Seq = binary.LittleEndian.Uint32(b[:]) & wire.SeqMask
	id.Start = binary.LittleEndian.Uint32(b[4:]) & wire.StartMask
	return id
}

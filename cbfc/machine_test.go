package cbfc

import (
	"math/rand/v2"
	"time"

	"uelink/llr"
	"uelink/wire"
)

// simVCs is how many channels are used.
const simVCs = 4

// plainRoom is how many frames without credits a channel's buffer has room for.
const plainRoom = 50

// What is known of a frame that was sent.
const (
	arrived uint8 = 1 << iota // the other end has it
	excused                   // it may be missing: LLR gave it up, or it was sent without LLR or without credits
)

// machine is one end of a link: a port and its LLR, put together as the data plane does, with
// queues before it and buffers behind it. It survives a restart of what it is made of.
type machine struct {
	name     string
	net      *network
	peer     *machine
	settings Settings
	profile  llr.Profile
	local    bool   // LLR, in the direction to this end
	remote   bool   // from this end
	bare     uint32 // channels whose frames are not sequenced
	start    uint32
	dead     bool

	port    *Port
	link    *llr.Link
	env     Env
	present bool
	heard   wire.Time // when the last control frame came
	sentAt  wire.Time // when STATION was said last
	station wire.Station
	slots   []packet
	free    []uint32
	pushed  []uint32 // slots that LLR holds, oldest first
	flushed uint64   // frames that it gave up
	unacked [simVCs + 1]int
	offered [simVCs]int
	next    [simVCs]int
	fates   [simVCs][]uint8
	first   uint8 // the channel that may send first
	wake    wire.Time
	inbox   []packet
	list    [wire.MaxCtlOS]wire.CtlOS
	buffer  [simVCs]drainer
	last    [simVCs]int // the last frame that came
	got     int
	dropped int // frames without credits that found no room
	renews  *rand.Rand
}

// boot restarts the machine; the frames of its former start are gone.
func (m *machine) boot(seq uint32) {
	for _, slot := range m.pushed {
		m.excuse(&m.slots[slot])
	}
	m.start++
	m.port, m.link = NewPort(m.settings), llr.NewLink(m.profile, seq, [2]byte{byte(m.start >> 8), byte(m.start)})
	m.env, m.present, m.sentAt, m.station = Env{}, false, 0, wire.Station{}
	m.pushed, m.free, m.flushed, m.unacked = m.pushed[:0], m.free[:0], 0, [simVCs + 1]int{}
	for i := range m.slots {
		m.free = append(m.free, uint32(i))
	}
	for vc := range m.buffer {
		m.buffer[vc].held = m.buffer[vc].held[:0]
	}
	m.link.Rx.SetMode(m.local)
	m.link.Tx.SetMode(m.remote, m.net.now)
	m.wake = m.net.now
}

func (m *machine) excuse(p *packet) {
	if p.counts == nil {
		m.fates[p.vc][p.id] |= excused
	}
}

// work is a round of the worker.
func (m *machine) work() {
	m.wake = wire.Never
	if m.dead {
		return
	}
	now := m.net.now
	for i := range m.inbox {
		m.renew()
		if p := &m.inbox[i]; p.control != nil {
			m.hears(p.control)
		}
	}
	for i := range m.inbox {
		m.renew()
		if p := &m.inbox[i]; p.control == nil {
			m.receive(p)
		}
	}
	m.read()
	m.reclaim()
	m.replay()
	m.renew()
	m.speak()
	m.renew()
	m.sendCounts()
	m.sendFrames()
	m.renew()
	m.reclaim()
	if d := m.port.Deadline(); d <= now {
		m.net.failed("%s: it wants to be called at %d, which has just been done", m.name, d)
	}
	m.wake = min(m.wake, m.port.Deadline(), max(m.link.Deadline(), now+1000), m.sentAt+second)
	for vc := range m.buffer {
		m.wake = min(m.wake, m.buffer[vc].wake())
	}
}

// hears handles a control frame.
func (m *machine) hears(list []wire.CtlOS) {
	now := m.net.now
	m.heard = now
	m.link.ReceivedControl(now, list...)
	if start, ok := m.link.PartnerStart(); ok {
		m.present, m.env.Start = true, start
		m.look()
		m.port.ReceivedControl(list, &m.env, now)
	}
}

// look returns the port's view of the link.
func (m *machine) look() {
	e := &m.env
	if m.present && m.net.now.Sub(m.heard) > 3*second {
		m.present = false
		m.port.PartnerLost()
	}
	e.Known, e.CBFC, e.Bare, e.Largest, e.Unacked = m.present, true, m.bare, 1514, 0
	e.LLR = m.remote && (m.link.Tx.State() == llr.TxAdvance || m.link.Tx.State() == llr.TxReplay)
	for vc := range simVCs {
		if m.unacked[vc]+m.unacked[simVCs] > 0 {
			e.Unacked |= 1 << vc
		}
	}
}

// receive handles a frame.
func (m *machine) receive(p *packet) {
	fcs := wire.FCSGood
	if p.bad {
		fcs = wire.FCSBad
	}
	switch {
	case p.sequenced && m.link.Rx.Receive(p.seq, fcs, p.octets) != llr.Deliver, p.bad:
	case p.counts != nil:
		m.port.ReceivedCCUpdate(p.counts, wire.DialectSeed)
	default:
		m.accept(p)
	}
	m.env.Octets += uint64(p.octets)
}

// accept stores a frame in its buffer.
func (m *machine) accept(p *packet) {
	fates := m.peer.fates[p.vc]
	if p.sequenced {
		m.inOrder(p, fates)
	}
	fates[p.id] |= arrived
	m.got++
	credits := m.port.Rx.Store(p.vc, p.octets)
	if credits == 0 && len(m.buffer[p.vc].held) >= plainRoom {
		m.dropped++
		return
	}
	m.buffer[p.vc].store(credits, m.net.now)
}

// inOrder checks that a frame is the next one: none twice, none too late, none missing that may not be.
func (m *machine) inOrder(p *packet, fates []uint8) {
	if fates[p.id]&arrived != 0 || p.id <= m.last[p.vc] {
		m.net.failed("%s got frame %d of VC %d behind frame %d", m.name, p.id, p.vc, m.last[p.vc])
	}
	for id := m.last[p.vc] + 1; id < p.id; id++ {
		if fates[id] == 0 {
			m.net.failed("%s got frame %d of VC %d, but never frame %d", m.name, p.id, p.vc, id)
		}
	}
	m.last[p.vc] = p.id
}

// read empties the buffers as far as their readers have come.
func (m *machine) read() {
	for vc := range m.buffer {
		for {
			credits, ok := m.buffer[vc].read(m.net.now)
			if !ok {
				break
			}
			m.port.Rx.Free(uint8(vc), credits)
		}
	}
}

// reclaim takes back the slots that LLR no longer needs. Of those that it gave up the frames may be missing.
func (m *machine) reclaim() {
	total := m.link.Counters().TxFlushedFrames
	for _, slot := range m.pushed[len(m.pushed)-int(total-m.flushed):] {
		m.excuse(&m.slots[slot])
	}
	m.flushed = total
	for {
		slot, ok := m.link.Tx.Free()
		if !ok {
			return
		}
		m.pushed = m.pushed[1:]
		m.unacked[m.account(&m.slots[slot])]--
		m.free = append(m.free, slot)
	}
}

// account returns the account of a frame in the replay buffer.
func (m *machine) account(p *packet) int {
	if p.counts != nil {
		return simVCs
	}
	return int(p.vc)
}

// sizeOf returns the length of a frame in octets.
func sizeOf(id int) int { return 60 + id*7919%1455 }

// done reports whether all that was offered was sent and acknowledged.
func (m *machine) done() bool { return m.next == m.offered && len(m.pushed) == 0 }

// configure applies settings.
func (m *machine) configure(s Settings) {
	m.settings = s
	m.port.Configure(s, m.net.now)
	m.wake = m.net.now
}

// simProfile is LLR's profile in the simulation, apart from the values that are drawn.
func simProfile(frames int, timer time.Duration) llr.Profile {
	return llr.Profile{
		MaxOutstandingFrames: frames, MaxOutstandingBytes: 1 << 20, MaxReplayTimer: timer, MaxReplayCount: llr.NoReplayLimit,
		InitAction: llr.Block, FlushAction: llr.Block, ReInitOnFlush: true, CtlOSSpacingBytes: 2048,
	}
}

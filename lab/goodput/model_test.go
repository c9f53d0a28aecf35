package goodput

import (
	"fmt"
	"slices"
	"time"

	"uelink/dataplane/fault"
	"uelink/llr"
	"uelink/wire"
)

// quiet is the time without a received frame after which an end acknowledges at once, as the frame path has it.
const quiet = 40 * time.Microsecond

// station is one end of the link, with the line by which it sends.
type station struct {
	link  *llr.Link
	start uint32 // start id
	out   *line
	heard wire.Time // when the last packet arrived
}

// model carries numbered frames from end A to end B. An end handles each packet at the time of its arrival.
type model struct {
	cell
	now  wire.Time
	a, b station

	origin wire.Time // when the frames began
	first  uint32    // sequence number of the frame with number 0
	pushed int       // frames given to LLR
	want   uint32    // number of the frame that B has to deliver next
	sent   uint64    // data frames on the wire, replays too
	lost   uint64    // of these
	back   uint64    // octets of control frames
	saved  int       // most frames that B has kept behind a gap
	most   int       // most frames that were outstanding
	taken  uint32    // frames delivered or kept when the last frame was sent
	full   wire.Time // when that was
	delays []time.Duration
	wrong  string // the first frame that came twice, or out of order
	list   [llr.PollMax]wire.CtlOS
}

// figures are the results of a run.
type figures struct {
	goodput float64 // share of the rate that delivered frames have, with their framing
	steady  float64 // the same of the frames delivered or kept until the last was sent: without the end of the run
	copies  float64 // data frames sent for each that was delivered
	saved   int     // most frames kept behind a gap
	most    int     // most frames outstanding

	delivered int
	window    int // most outstanding frames, as it is in the end
	timer     time.Duration
	delays    []time.Duration // with a load or pauses: from the time at which a frame was offered, beyond that of an idle wire
	sender    llr.Counters
}

// newModel returns two ends that have completed the handshake and know each other, on a wire that still loses nothing.
func newModel(c cell) *model {
	m := &model{cell: c, now: 1}
	p := c.settings()
	m.a = station{link: llr.NewLink(p, uint32(c.seed)&wire.SeqMask, [2]byte{1, 2}), start: 1}
	m.b = station{link: llr.NewLink(p, 77, [2]byte{3, 4}), start: 2}
	for _, e := range []*station{&m.a, &m.b} {
		e.out = &line{delay: c.loop / 2, model: fault.NewModel(fault.Config{})}
		e.link.Tx.SetSpeed(int64(c.rate))
		if c.profile == "auto" {
			e.link.Tx.SetRoom(llr.AutoReplaySlotsMost) // which the data plane does where a loop needs it
		}
		e.link.Tx.SetMode(true, m.now)
		e.link.Rx.SetMode(true)
	}
	return m
}

// establish completes the handshake, with a STATION of each end every few milliseconds.
func (m *model) establish() error {
	const patience, every = time.Second, 2500 * time.Microsecond
	for limit := m.now.Add(patience); m.now < limit; {
		m.introduce(&m.a)
		m.introduce(&m.b)
		m.run(m.now.Add(every), func() bool { return false })
		if m.a.link.Tx.State() == llr.TxAdvance && m.b.link.Tx.State() == llr.TxAdvance && m.now > 20*wire.Time(every) {
			return nil
		}
	}
	return fmt.Errorf("no handshake within %v: %v and %v", patience, m.a.link.Tx.State(), m.b.link.Tx.State())
}

// introduce sends the STATION of an end.
func (m *model) introduce(e *station) {
	m.sendControl(e, m.description(e))
}

// description returns the items by which an end describes itself.
func (m *model) description(e *station) []wire.CtlOS {
	s := wire.Station{Start: e.start, Local: true, Remote: true, Live: e.link.Rx.Live(), FCS: true, VCs: 1, Nacks: true,
		Keeps: m.settings().Keeps()}
	return s.Items(nil)
}

// worsen makes the wire lose and reorder, each way by a seed of its own.
func (m *model) worsen() {
	for i, e := range []*station{&m.a, &m.b} {
		e.out.model = fault.NewModel(fault.Config{Loss: m.loss, Burst: m.burst, Reorder: m.reorder,
			Seed: fault.Stream(m.seed, i)})
	}
}

// sendControl sends a control frame.
func (m *model) sendControl(e *station, list []wire.CtlOS) {
	const headers, perItem = 16, 8
	octets := max(wire.MinFrameLen, headers+perItem*len(list)) + framing
	if e == &m.b {
		m.back += uint64(octets)
	}
	e.out.send(packet{controls: slices.Clone(list)}, m.serial(octets), m.now)
}

// poll runs the timers of an end and sends its control ordered sets. Those of the handshake go with the STATION, which
// vouches for them.
func (m *model) poll(e *station) {
	list := e.link.Poll(m.now, m.now.Sub(e.heard) >= quiet, m.list[:0])
	if len(list) == 0 {
		return
	}
	if list[0].Type == wire.LLRInit || list[0].Type == wire.LLRInitEcho {
		list = append(m.description(e), list...)
	}
	m.sendControl(e, list)
}

// carry sends frames over the bad wire until all are delivered, or the virtual time of patience has passed.
func (m *model) carry(patience time.Duration) {
	m.worsen()
	m.origin, m.first = m.now, m.a.link.Tx.NextSeq()
	*m.a.link.Counters() = llr.Counters{}
	m.pump()
	m.run(m.now.Add(patience), func() bool { return int(m.want) >= m.frames || m.wrong != "" })
}

// run handles the events up to an instant, or until done.
func (m *model) run(until wire.Time, done func() bool) {
	for !done() {
		forth, back := m.a.out.next(), m.b.out.next()
		next := min(forth, back, m.deadline(&m.a), m.deadline(&m.b), m.sendable())
		if next > until {
			m.now = until
			return
		}
		m.now = max(m.now, next)
		switch {
		case forth <= m.now && forth <= back:
			m.arriveAtB(m.a.out.pop())
		case back <= m.now:
			m.arriveAtA(m.b.out.pop())
		default:
			m.poll(&m.a)
			m.poll(&m.b)
		}
		m.pump()
	}
}

// deadline returns when an end has to be polled next: a little later than now at the earliest, since time goes on.
func (m *model) deadline(e *station) wire.Time {
	at := e.link.Deadline()
	if e.link.Rx.OwesAck() {
		at = min(at, e.heard.Add(quiet))
	}
	if at == wire.Never {
		return at
	}
	return max(at, m.now+1)
}

// sendable returns when A may send a data frame next if nothing arrives: when its TX queue has room, or the next frame
// is offered. wire.Never: when something arrives.
func (m *model) sendable() wire.Time {
	tx := m.a.link.Tx
	at := wire.Never
	switch {
	case m.origin == 0:
	case tx.Replaying():
		at = m.now
	case m.pushed < m.frames && tx.Admit(m.carried()) == llr.Sequence:
		at = max(m.now, m.offered(m.pushed))
	}
	if at == wire.Never {
		return at
	}
	return max(at, m.now+1, wire.Time(m.a.out.free-float64(m.places())*m.frameTime())+1)
}

// offered returns when the frame with a number is there to be sent.
func (m *model) offered(number int) wire.Time {
	switch {
	case m.group > 0:
		return m.origin.Add(time.Duration(number/m.group) * m.pause)
	case m.load == 0:
		return m.origin
	}
	return m.origin + wire.Time(float64(number)*m.frameTime()/m.load)
}

// pump posts frames of A while its TX queue has room: those of a replay first.
func (m *model) pump() {
	tx := m.a.link.Tx
	for {
		if _, ok := tx.Free(); !ok {
			break
		}
	}
	for m.room() && tx.Replaying() {
		id, ok := tx.Replay()
		if !ok {
			break
		}
		m.post(id)
	}
	for m.origin != 0 && m.pushed < m.frames && m.room() && m.offered(m.pushed) <= m.now &&
		tx.Admit(m.carried()) == llr.Sequence {
		id := uint32(m.pushed)
		m.pushed++
		tx.Push(id, m.carried(), false, m.now)
		m.post(id)
		outstanding, _ := tx.Outstanding()
		m.most = max(m.most, outstanding)
		if m.pushed == m.frames {
			m.full, m.taken = m.now, m.want+uint32(m.b.link.Rx.CountKept())
		}
	}
}

// room reports whether the TX queue of A takes another frame.
func (m *model) room() bool { return m.a.out.backlog(m.now) < float64(m.places())*m.frameTime() }

// places returns the frames that may wait in the TX queue of A.
func (m *model) places() int { return min(m.queue, m.a.link.Tx.PostLimit()) }

// post puts a data frame on the wire.
func (m *model) post(id uint32) {
	m.sent++
	p := packet{data: true, seq: (m.first + id) & wire.SeqMask, id: id, fcs: wire.FCSGood}
	if m.a.out.send(p, m.frameTime(), m.now) {
		m.lost++
	}
}

// arriveAtA handles a control frame of B.
func (m *model) arriveAtA(p packet) {
	m.a.heard = m.now
	m.a.link.ReceivedControl(m.now, p.controls...)
	m.poll(&m.a)
}

// arriveAtB handles a frame of A, and checks that frames are delivered in their order, each once.
func (m *model) arriveAtB(p packet) {
	m.b.heard = m.now
	if !p.data {
		m.b.link.ReceivedControl(m.now, p.controls...)
	} else {
		m.receive(p)
	}
	m.poll(&m.b)
}

// receive handles a data frame. The handle of a kept frame is its number among the frames of the run.
func (m *model) receive(p packet) {
	rx := m.b.link.Rx
	switch rx.Receive(p.seq, p.fcs, m.carried()) {
	case llr.Keep:
		rx.Keep(p.seq, p.id)
		m.saved = max(m.saved, rx.CountKept())
	case llr.Deliver:
		m.deliver(p.id)
	case llr.DeliverPoisoned, llr.Ignore:
	}
	for id, ok := rx.NextKept(); ok; id, ok = rx.NextKept() {
		m.deliver(id)
	}
}

// deliver takes the account of a delivered frame.
func (m *model) deliver(id uint32) {
	if id != m.want && m.wrong == "" {
		m.wrong = fmt.Sprintf("frame %d is delivered instead of frame %d", id, m.want)
	}
	m.want = id + 1
	if m.load > 0 || m.group > 0 {
		m.delays = append(m.delays, m.now.Sub(m.offered(int(id)))-m.loop/2-time.Duration(m.frameTime()))
	}
}

// measure returns the figures of a cell, or an error if a frame was not delivered once and in order.
func measure(c cell) (figures, error) {
	const patience = 20 * time.Second // of virtual time: the slowest cells carry less
	m := newModel(c)
	if err := m.establish(); err != nil {
		return figures{}, fmt.Errorf("%v: %w", c, err)
	}
	m.carry(patience)
	if m.wrong != "" || m.want == 0 {
		return figures{}, fmt.Errorf("%v: %d frames delivered in %v; %s", c, m.want, m.now.Sub(m.origin), m.wrong)
	}
	took := float64(m.now.Sub(m.origin) - c.loop/2)
	f := figures{
		steady:  float64(m.taken) * c.serial(c.carried()+framing) / float64(m.full.Sub(m.origin)-c.loop/2),
		goodput: float64(m.want) * c.serial(c.carried()+framing) / took,
		copies:  float64(m.sent) / float64(m.want),
		saved:   m.saved,
		most:    m.most,

		delivered: int(m.want),
		sender:    *m.a.link.Counters(),
		delays:    m.delays,
	}
	f.window, f.timer = m.a.link.Tx.Limits()
	return f, nil
}

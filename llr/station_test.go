package llr

import (
	"slices"

	"uelink/wire"
)

// What is known of a frame that a station was given to send.
const (
	delivered uint8 = 1 << iota // the other station has it, or has taken its place for poisoned
	excused                     // LLR gave it up, so it may be missing
)

// posted is the content of a slot.
type posted struct {
	packet
	held bool // by LLR
}

// station is one end, driven as a frame path would, and everything that must
// hold for it checked after every step. It survives a restart of its LLR.
type station struct {
	name string
	link *Link
	net  *network
	peer *station

	offered int           // frames to be sent
	next    int           // the first of them that LLR was not given
	size    func(int) int // octets of a frame
	bad     map[int]bool  // frames that are poisoned from the start
	fates   []uint8       // of the frames that LLR was given
	pushed  []uint32      // slots that LLR holds, oldest first
	slots   []posted
	free    []uint32
	kept    map[uint32]packet // frames behind a gap, by their handles
	handle  uint32            // of the last of them
	stopped bool              // the edge behind the station has no room for them
	flushed uint64            // TxFlushedFrames when last looked at

	got     int // frames delivered here
	last    int // number of the last one
	bareGot int
	down    bool                         // carrier lost
	older   bool                         // it does not know STATION, as versions without it: it neither sends nor reads it
	dead    bool                         // its process is not there: nothing is taken, nothing sent
	turn    func(at wire.Time) wire.Time // when it next has the CPU, at a time or after it; nil = always
	fixed   bool                         // its replay timer lasts REPLAY_TIMER_MAX, whatever the partner was like
	wake    wire.Time
	inbox   []packet
	out     []wire.CtlOS
	limits  Profile // window within which the outstanding frames must be

	announcer announcer
}

// newStation has its LLR off. slots is how many frames it can hold.
func newStation(name string, p Profile, initSeq uint32, nonce [2]byte, slots int) *station {
	s := &station{name: name, last: -1, wake: wire.Never, size: func(int) int { return 100 }}
	s.slots = make([]posted, slots)
	s.out = make([]wire.CtlOS, 0, PollMax)
	s.boot(p, initSeq, nonce)
	return s
}

// boot starts LLR again, as a process that comes up; what the former one held is
// gone.
func (s *station) boot(p Profile, initSeq uint32, nonce [2]byte) {
	for _, slot := range s.pushed {
		s.fates[s.slots[slot].id] |= excused
	}
	s.pushed, s.free, s.flushed, s.limits = s.pushed[:0], s.free[:0], 0, p
	for i := range s.slots {
		s.slots[i] = posted{}
		s.free = append(s.free, uint32(len(s.slots)-1-i))
	}
	s.link, s.kept, s.stopped = NewLink(p, initSeq, nonce), nil, false
	if s.down {
		s.link.Tx.SetCarrier(false, s.net.now)
	}
}

// modes switches both directions on or off.
func (s *station) modes(local, remote bool) {
	s.link.Rx.SetMode(local)
	s.link.Tx.SetMode(remote, s.net.now)
	s.managed()
}

// managed is to be called after any command to the link.
func (s *station) managed() {
	s.noteFlush()
	s.wake = s.net.now
}

// setCarrier takes the carrier away or gives it back.
func (s *station) setCarrier(up bool) {
	s.down = !up
	s.link.Tx.SetCarrier(up, s.net.now)
	s.managed()
}

// done reports whether everything offered was sent and acknowledged.
func (s *station) done() bool {
	n, _ := s.link.Tx.Outstanding()
	return s.next == s.offered && n == 0
}

// work is one turn of a worker.
func (s *station) work(in []packet, idle bool) {
	if s.dead {
		s.wake = wire.Never
		return
	}
	tx, rx := s.link.Tx.State(), s.link.Rx.State()
	for i := range in {
		s.renew()
		if in[i].ctl.Type != 0 {
			for _, c := range append(in[i].with, in[i].ctl) {
				s.net.log.control(s, "gets", c)
			}
			s.link.ReceivedControl(s.net.now, s.known(append(in[i].with, in[i].ctl))...)
		}
	}
	if s.fixed {
		s.link.Tx.patience.slow = 0
	}
	s.noteFlush()
	s.freeKept()
	for i := range in {
		if in[i].ctl.Type == 0 {
			s.renew()
			s.receive(&in[i])
		}
	}
	s.popKept()
	s.reclaim()
	s.renew()
	s.net.log.states(s, tx, rx)
	tx, rx = s.link.Tx.State(), s.link.Rx.State()
	room := s.replay(s.net.room)
	s.renew()
	room = s.push(room)
	s.renew()
	s.out = s.link.Poll(s.net.now, idle, s.out[:0])
	if len(s.out) > PollMax {
		s.net.failed("%s: one poll gave %d control ordered sets", s.name, len(s.out))
	}
	s.noteFlush()
	s.net.log.states(s, tx, rx)
	s.say()
	s.reclaim()
	s.check(idle)
	s.wake = min(s.link.Deadline(), s.announcer.wake())
	if room == 0 || s.link.Tx.Replaying() || s.next < s.offered && s.link.Tx.State() != tx {
		s.wake = s.net.now.Add(s.net.pace)
	}
	if s.turn != nil && s.wake != wire.Never {
		s.wake = s.turn(s.wake)
	}
}

// known returns what a station knows of a control frame.
func (s *station) known(list []wire.CtlOS) []wire.CtlOS {
	if !s.older {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(c wire.CtlOS) bool {
		return c.Type == wire.StationCtlOS || c.Type == wire.GapCtlOS
	})
}

// say sends the control ordered sets of LLR, and STATION with an LLR_INIT.
func (s *station) say() {
	items := s.announcer.items(s.link, s.out, s.net.now)
	says := func(p packet) {
		for _, c := range append(p.with, p.ctl) {
			s.net.log.control(s, "sends", c)
		}
		s.net.send(s, p)
	}
	if len(items) > 0 && len(s.out) == 0 {
		last := len(items) - 1
		says(packet{with: items[:last:last], ctl: items[last]})
	}
	report := s.report()
	for i, c := range s.out {
		p := packet{ctl: c}
		if len(report) > 0 && (c.Type == wire.StationCtlOS || c.Type == wire.GapCtlOS) {
			continue // goes with the LLR_ACK or LLR_NACK
		}
		if c.Type == wire.LLRAck || c.Type == wire.LLRNack {
			p.with = report
		}
		if c.Type == wire.LLRInit || i == len(s.out)-1 {
			p.with, items = slices.Concat(p.with, items), nil
		}
		says(p)
	}
}

// report returns what goes in the control frame of an LLR_ACK or LLR_NACK of selective replay.
func (s *station) report() (list []wire.CtlOS) {
	if !s.link.Rx.reorder.on {
		return nil
	}
	for _, c := range s.out {
		if c.Type == wire.StationCtlOS || c.Type == wire.GapCtlOS {
			list = append(list, c)
		}
	}
	return list
}

// receive handles a frame.
func (s *station) receive(p *packet) {
	if p.bare {
		s.bareGot++
		s.net.log.frame(s, "gets bare", uint32(p.id))
		return
	}
	verdict := s.link.Rx.Receive(p.seq, p.fcs, p.length)
	s.net.log.frame(s, receiptOf[verdict], p.seq)
	if verdict == Ignore {
		s.popKept()
		return
	}
	if p.fcs == wire.FCSBad {
		s.net.failed("%s accepted a damaged frame, number %d", s.name, p.seq)
	}
	if verdict == Keep {
		s.keep(p)
		return
	}
	s.account(p.id)
	if verdict == Deliver {
		s.got++
	}
	s.popKept()
}

// keep keeps a frame behind a gap.
func (s *station) keep(p *packet) {
	if s.handle++; s.kept == nil {
		s.kept = map[uint32]packet{}
	}
	s.kept[s.handle] = *p
	s.link.Rx.Keep(p.seq, s.handle)
}

// popKept delivers the kept frames whose turn has come.
func (s *station) popKept() {
	for !s.stopped {
		handle, ok := s.link.Rx.NextKept()
		if !ok {
			break
		}
		p, held := s.kept[handle]
		if !held {
			s.net.failed("%s: LLR returns frame %d, which is not kept", s.name, handle)
		}
		delete(s.kept, handle)
		s.net.log.frame(s, "delivers kept", p.seq)
		s.account(p.id)
		if p.fcs == wire.FCSGood {
			s.got++
		}
	}
}

// freeKept drops the kept frames that LLR has given up.
func (s *station) freeKept() {
	for handle, ok := s.link.Rx.FreeKept(); ok; handle, ok = s.link.Rx.FreeKept() {
		if _, held := s.kept[handle]; !held {
			s.net.failed("%s: LLR gives up frame %d, which is not kept", s.name, handle)
		}
		delete(s.kept, handle)
	}
}

// receiptOf returns the log line of a received frame.
var receiptOf = map[RxVerdict]string{Deliver: "delivers", DeliverPoisoned: "takes poisoned", Keep: "keeps",
	Ignore: "ignores"}

// account checks that the frame is the next one: none twice, none too late, none
// missing that LLR did not give up.
func (s *station) account(id int) {
	fates := s.peer.fates
	if fates[id]&delivered != 0 {
		s.net.failed("%s got frame %d twice", s.name, id)
	}
	if id <= s.last {
		s.net.failed("%s got frame %d after frame %d", s.name, id, s.last)
	}
	for missing := s.last + 1; missing < id; missing++ {
		if fates[missing] == 0 {
			s.net.failed("%s got frame %d, but never frame %d", s.name, id, missing)
		}
	}
	fates[id] |= delivered
	s.last = id
}

// replay posts again what LLR asks for and returns the room that is left.
func (s *station) replay(room int) int {
	for room > 0 && s.link.Tx.Replaying() {
		slot, ok := s.link.Tx.Replay()
		if !ok || !s.slots[slot].held {
			s.net.failed("%s: replay of slot %d, which LLR does not hold", s.name, slot)
		}
		s.net.log.frame(s, "replays", s.slots[slot].seq)
		s.net.send(s, s.slots[slot].packet)
		room--
	}
	return room
}

// push gives LLR the frames that wait, as far as it takes them.
func (s *station) push(room int) int {
	for ; room > 0 && s.next < s.offered; room-- {
		length := s.size(s.next)
		switch s.link.Tx.Admit(length) {
		case Wait:
			return room
		case Drop:
			s.net.log.frame(s, "discards", uint32(s.next))
			s.fates = append(s.fates, excused)
		case Bare:
			s.net.log.frame(s, "sends bare", uint32(s.next))
			s.fates = append(s.fates, excused)
			s.net.send(s, packet{id: s.next, length: length, bare: true})
		case Sequence:
			s.sequence(length)
		}
		s.next++
	}
	return room
}

func (s *station) sequence(length int) {
	if len(s.free) == 0 {
		s.net.failed("%s: LLR holds every slot, yet admits a frame", s.name)
	}
	slot := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	p := packet{id: s.next, length: length}
	if s.bad[p.id] {
		p.fcs = wire.FCSPoisoned
	}
	want := s.link.Tx.NextSeq()
	p.seq = s.link.Tx.Push(slot, length, s.bad[p.id], s.net.now)
	if p.seq != want || p.seq > wire.SeqMask {
		s.net.failed("%s: frame got number %d, not %d", s.name, p.seq, want)
	}
	s.slots[slot] = posted{packet: p, held: true}
	s.pushed = append(s.pushed, slot)
	s.fates = append(s.fates, 0)
	s.net.log.frame(s, "sends", p.seq)
	s.net.send(s, p)
}

// noteFlush excuses the frames that LLR has just given up: the last ones pushed.
func (s *station) noteFlush() {
	total := s.link.Counters().TxFlushedFrames
	for _, slot := range s.pushed[len(s.pushed)-int(total-s.flushed):] {
		s.fates[s.slots[slot].id] |= excused
	}
	s.flushed = total
}

// reclaim takes back the slots that LLR no longer needs: in order, each once, and
// none of a frame that neither arrived nor was given up.
func (s *station) reclaim() {
	for {
		slot, ok := s.link.Tx.Free()
		if !ok {
			break
		}
		if len(s.pushed) == 0 || s.pushed[0] != slot {
			s.net.failed("%s: slot %d was freed out of turn; held: %v", s.name, slot, s.pushed)
		}
		s.pushed = s.pushed[1:]
		p := &s.slots[slot]
		if s.fates[p.id] == 0 {
			s.net.failed("%s: frame %d was freed, but has not arrived", s.name, p.id)
		}
		p.held = false
		s.free = append(s.free, slot)
	}
	if n, _ := s.link.Tx.Outstanding(); n != len(s.pushed) {
		s.net.failed("%s: %d outstanding, %d slots held", s.name, n, len(s.pushed))
	}
}

// check checks the invariants whenever a worker goes to sleep.
func (s *station) check(idle bool) {
	frames, octets := s.link.Tx.Outstanding()
	poisoned := s.link.Rx.CountKept() - len(s.kept)
	if poisoned < 0 || poisoned > len(s.peer.bad) {
		s.net.failed("%s: LLR keeps %d frames, the station %d", s.name, s.link.Rx.CountKept(), len(s.kept))
	}
	if frames > s.limits.MaxOutstandingFrames || frames > 1 && octets > s.limits.MaxOutstandingBytes {
		s.net.failed("%s: window exceeded: %d frames, %d octets", s.name, frames, octets)
	}
	if d := s.link.Deadline(); idle && d <= s.net.now && !s.link.Tx.Replaying() {
		s.net.failed("%s: polled at %d, wants to be polled at %d again", s.name, s.net.now, d)
	}
	if state := s.link.Tx.State(); frames > 0 && state != TxAdvance && state != TxReplay && !s.link.Tx.resume.on {
		s.net.failed("%s: %d frames outstanding in %v", s.name, frames, state)
	}
}

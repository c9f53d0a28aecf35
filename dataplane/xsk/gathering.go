package xsk

import (
	"uelink/bpf"
	"uelink/dataplane/frame"
)

// The numbers of frames that leave live together with those of other Sockets.
const (
	// gatherLeast is the least number of frames of several Sockets that leave live by one system call; fewer leave by a
	// call of each Socket. With one frame of each Socket, one call for all is cheaper from 8 to 10 frames on.
	gatherLeast = 10
	// gatherMost is the number of pending frames from which on a Socket sends them by a call of its own.
	gatherMost = 64
)

// Gathering sends the frames of several Sockets as live XDP frames by one system call, where each Socket has too few
// for a call of its own. A Gathering and its Sockets belong to one goroutine at a time. The zero value is ready.
//
//  1. Socket.KickTogether leaves the Socket's frames pending, and adds the Socket to the Gathering.
//  2. Flush sends the pending frames of all these Sockets by the Transmitter of one of them.
//  3. Frames that have not left by this call leave as after Kick.
type Gathering struct {
	sockets []*Socket // with pending frames
	members []*Socket // scratch: Sockets whose frames leave by the present call
	frames  int       // upper bound of the pending frames
	turn    bool      // with alternating: the latest frames left together
}

var _ frame.Gathering = (*Gathering)(nil)

// KickTogether kicks like Kick, but may leave a small batch pending for the next Flush of g, a *Gathering. left reports
// whether the batch is pending.
func (s *Socket) KickTogether(g frame.Gathering) (left bool, err error) {
	if !s.gathers() {
		return false, s.Kick()
	}
	if s.fill.wantsWakeup() {
		err = s.wakeRX()
	}
	g.(*Gathering).add(s)
	return true, err
}

// gathers reports whether the pending frames can leave together with those of other Sockets, and are few.
func (s *Socket) gathers() bool {
	l := s.live
	return l != nil && len(l.pending) > 0 && len(l.pending) < gatherMost && l.longest.Load() > 0 &&
		s.tx.unread() == 0
}

// add adds a Socket with pending frames. If the frames of all Sockets are too many for a call, those of the Sockets
// added before are sent first.
func (g *Gathering) add(s *Socket) {
	n := len(s.live.pending)
	if g.frames+n > bpf.MostPosted {
		g.Flush()
	}
	g.frames += n
	if !s.gathered {
		s.gathered = true
		g.sockets = append(g.sockets, s)
	}
}

// Flush sends all pending frames of the Sockets that KickTogether has added: by one call if they are enough, and what
// is left by a call of each Socket. Then the Gathering is empty.
func (g *Gathering) Flush() {
	if len(g.sockets) == 0 {
		return
	}
	if n, longest := g.choose(); g.goesTogether(n) {
		g.send(n, longest)
	}
	for _, s := range g.sockets {
		s.gathered = false
		if len(s.live.pending) > 0 {
			_ = s.kickPending() // the next Kick returns the error again
		}
	}
	g.sockets, g.frames = g.sockets[:0], 0
}

// choose sets g.members to the Sockets whose frames can leave by one call: those with pending frames, none too long for
// live frames, with nothing left in the TX ring, and for which the first member's Transmitter can send. It returns the
// number n of their frames, at most bpf.MostPosted, and the length of the longest one.
func (g *Gathering) choose() (n int, longest uint32) {
	g.members = g.members[:0]
	for _, s := range g.sockets {
		length := s.live.longestPending()
		if len(s.live.pending) == 0 || length > s.live.longest.Load() || s.tx.unread() > 0 ||
			len(g.members) > 0 && !g.members[0].live.tx.SendsFor(s.live.tx) {
			continue
		}
		g.members = append(g.members, s)
		n, longest = n+len(s.live.pending), max(longest, length)
	}
	return min(n, bpf.MostPosted), longest
}

// goesTogether reports whether n frames of several Sockets leave by one call: if they are enough, or with alternating
// every second time.
func (g *Gathering) goesTogether(n int) bool {
	if alternating == "" {
		return n >= gatherLeast
	}
	g.turn = !g.turn
	return g.turn && n > 0
}

// send sends the first n pending frames of the members by the Transmitter of the first member. longest is the length
// of the longest frame.
func (g *Gathering) send(n int, longest uint32) {
	sender := g.members[0].live
	left := n
	for _, s := range g.members {
		share := min(left, len(s.live.pending))
		s.postBy(sender.tx, s.live.pending[:share])
		left -= share
	}
	g.leave(n - sender.run(longest))
}

// leave moves the first n pending frames of the members, which have left live, to the frames for Completed.
func (g *Gathering) leave(n int) {
	for _, s := range g.members {
		share := min(n, len(s.live.pending))
		s.live.leave(share)
		n -= share
	}
}

// postBy posts frames of the Socket, by the numbers of their slots, to tx, the Transmitter of this or of another
// Socket.
func (s *Socket) postBy(tx *bpf.Transmitter, batch []frame.Desc) {
	first, size := s.geometry.SlotAddr(0), uint64(s.geometry.ChunkSize)
	for i := range batch {
		tx.PostFor(s.live.tx, uint32((batch[i].Addr-first)/size), batch[i].Len)
	}
}

// longestPending returns the length of the longest pending frame, octets.
func (l *live) longestPending() (longest uint32) {
	for i := range l.pending {
		longest = max(longest, l.pending[i].Len)
	}
	return longest
}

// leave moves the first n pending frames, which have left live, to done.
func (l *live) leave(n int) {
	for i := range l.pending[:n] {
		l.done = append(l.done, l.pending[i].Addr)
	}
	l.pending = l.pending[:copy(l.pending, l.pending[n:])]
	l.frames.Add(uint64(n))
}

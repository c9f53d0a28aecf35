package path

import (
	"uelink/dataplane/frame"
	"uelink/llr"
	"uelink/wire"
)

// Selective replay keeps a frame that arrives behind a gap in the RX chunk of its arrival, until the missing frame is
// here. The link's sockets have chunks for as many frames as LLR may keep (frame.Geometry.Kept), apart from the chunks
// in which frames wait for their egress. Such a frame was received and is not accepted yet: it has no credits, no place
// in a queue, and nobody but the partner would miss it. So where the chunks go away (closed sockets, another process,
// another domain) the kept frames are given up, and the partner sends them again.

// keeping is the frames that a link keeps behind a gap, by the handle that LLR has for each.
type keeping struct {
	frames []keptFrame
	free   []uint32       // handles
	kind   llr.ReplayKind // kind of replay by the settings; for want of memory LLR may use go-back-N
}

// keptFrame is a frame in carried form that the link keeps.
type keptFrame struct {
	source *source // RX queue whose chunk holds the frame; nil: a poisoned frame, of which only the sequence number counts
	desc   frame.Desc
	vc     uint8
	length uint16 // octets of the carried frame
	toThis bool   // the frame is for this end itself
}

// setRoom makes room for n kept frames. The caller makes sure that no frame is kept.
func (k *keeping) setRoom(n int) {
	k.frames, k.free = make([]keptFrame, n), make([]uint32, n)
	for i := range k.free {
		k.free[i] = uint32(n - 1 - i)
	}
}

// take removes the kept frame with a handle and returns it. The handle is free again.
func (k *keeping) take(handle uint32) (f keptFrame) {
	f = k.frames[handle]
	k.frames[handle] = keptFrame{}
	k.free = append(k.free, handle)
	return f
}

// provideKept makes room for the frames that LLR may keep behind a gap, as many as each socket of the link has chunks
// for, and offers selective replay to the partner if the room suffices. A link without sockets offers what it has
// offered before.
func (l *Link) provideKept() {
	if !l.Port.Attached() {
		return
	}
	room := 0
	for i, s := range l.Port.sources {
		n := s.device.Geometry().Kept
		if room = min(room, n); i == 0 {
			room = n
		}
	}
	if room != len(l.buffered.frames) {
		l.buffered.setRoom(room)
	}
	l.offerReplay()
}

// offerReplay gives LLR the kind of replay of the settings, or go-back-N if the memory of the sockets does not suffice
// for the frames that LLR would keep.
func (l *Link) offerReplay() {
	p := l.LLR.Tx.Profile()
	if p.Replay = l.buffered.kind; p.KeptFrames() > len(l.buffered.frames) {
		p.Replay = llr.GoBackN
	}
	l.LLR.SetReplay(p.Replay)
}

// replayReason returns why a direction of the link goes back N; empty if frames are replayed selectively both ways.
func (l *Link) replayReason() llr.ReplayReason {
	p := l.LLR.Tx.Profile()
	p.Replay = l.buffered.kind
	switch {
	case l.LLR.Tx.Replays() == llr.Selective && l.LLR.Rx.Replays() == llr.Selective:
		return llr.ReplaySelective
	case l.buffered.kind == llr.GoBackN:
		return llr.ReplayConfigured
	case p.KeptFrames() == 0:
		return llr.ReplayWindow
	case l.LLR.Rx.Keeps() == 0:
		return llr.ReplayMemory
	case !l.LLR.PartnerKeeps():
		return llr.ReplayPartner
	}
	return llr.ReplayNextInit
}

// keep keeps a data frame on which LLR has decided Keep, with preamble p and n octets carried, in its chunk. It reports
// whether the chunk must be kept: not for a poisoned frame (fcs is not good), of which only the number is kept. A frame
// without room is lost, and sent again; so is a frame caught while the sockets were reopened, whose memory goes away
// soon.
func (l *Link) keep(s *source, desc *frame.Desc, p wire.Preamble, fcs wire.FCS, n int) (retained bool) {
	k := &l.buffered
	last := len(k.free) - 1
	if last < 0 || l.Port.caught != nil {
		return false
	}
	f := keptFrame{vc: p.VC, length: uint16(n), toThis: p.Partner}
	if retained = fcs == wire.FCSGood; retained {
		strip(s.area, desc, p, n)
		f.source, f.desc = s, *desc
	}
	handle := k.free[last]
	k.free, k.frames[handle] = k.free[:last], f
	l.LLR.Rx.Keep(p.Seq, handle)
	return retained
}

// keptAtOnce is the most kept frames that a link delivers in a round: twice as many as arrive in one, so that frames
// which arrive meanwhile, and are kept behind these, do not add up.
const keptAtOnce = 2 * batch

// deliverKept delivers the kept frames whose turn has come, in order, at most keptAtOnce and while there is room for
// them behind the link, and returns their number.
func (l *Link) deliverKept(d *Domain, now wire.Time) (n int) {
	for ; n < keptAtOnce; n++ {
		handle, ok := l.LLR.Rx.PeekKept()
		if !ok {
			break
		}
		f := &l.buffered.frames[handle]
		if f.source != nil && l.refusesKept(d, f) {
			l.Port.blocked = true
			break
		}
		l.LLR.Rx.NextKept()
		l.Bookmark.place.Advance(l.LLR.Rx.NextSeq())
		l.forwardKept(d, l.buffered.take(handle), now)
	}
	if n > 0 {
		l.recycleKept()
	}
	return n
}

// refusesKept reports whether a kept frame must stay in its chunk, because the edge of an xconnect has no room, as for
// an arriving frame. A bridge drops the frame instead. With CBFC no check is needed: credits reserve the room.
func (l *Link) refusesKept(d *Domain, f *keptFrame) bool {
	return d.Bridge == nil && !f.toThis && l.cbfc.Rx.Off() &&
		l.Port.Other.chunk(int(f.length), f.vc) == nil && l.pushback.refuses(l.Port.Other, f.source)
}

// forwardKept forwards a frame that LLR has accepted after it was kept, as receiveData does with a frame that arrives
// in order, and releases its chunk unless the frame waits there. A poisoned frame has no chunk: only its credits go
// back.
func (l *Link) forwardKept(d *Domain, f keptFrame, now wire.Time) {
	s := f.source
	if s == nil {
		l.passing(f.vc, int(f.length))
		return
	}
	follows := d.trace.follows(&l.Port) && d.trace.receiveKept(d, l, &f, now)
	if !l.forwardKeptFrame(d, &f, now) {
		s.giveBack(f.desc.Addr)
	}
	if follows {
		d.trace.forwarded(d, s, f.desc, now)
	}
}

// forwardKeptFrame forwards a kept frame in a chunk, and reports whether the frame waits in the chunk. A frame of an
// unknown channel is counted and dropped, and a frame for this end itself is handled here.
func (l *Link) forwardKeptFrame(d *Domain, f *keptFrame, now wire.Time) (waits bool) {
	s, n := f.source, int(f.length)
	carried := s.area[f.desc.Addr : f.desc.Addr+uint64(f.desc.Len)]
	switch {
	case int(f.vc) >= l.vcs():
		l.Port.Counters.RxVC++
		return false
	case f.toThis:
		l.receivedNote(carried[wire.AddressesLen:])
		return false
	case d.Bridge != nil:
		l.arrive(s, f.vc, n)
		return l.settle(s, d.switched(s, &f.desc, f.vc, now))
	case d.uncarried(&l.Port, carried, now):
		l.passing(f.vc, n)
		return false
	}
	l.arrive(s, f.vc, n)
	return l.settle(s, d.pass(s, &f.desc, l.Port.Other, f.vc, wire.Retag{}, now))
}

// freeKept releases the chunks of the kept frames that LLR has given up.
func (l *Link) freeKept() {
	for handle, ok := l.LLR.Rx.FreeKept(); ok; handle, ok = l.LLR.Rx.FreeKept() {
		if f := l.buffered.take(handle); f.source != nil {
			f.source.giveBack(f.desc.Addr)
		}
	}
	l.recycleKept()
}

// giveUpKept gives up all kept frames, because their chunks go away or change hands: the partner sends them again.
func (l *Link) giveUpKept() {
	l.LLR.Rx.GiveUpKept()
	l.freeKept()
}

// recycleKept gives the chunks of frames that were kept back to their sockets.
func (l *Link) recycleKept() {
	for _, s := range l.Port.sources {
		s.recycle()
	}
}

package dataplane

import (
	"fmt"

	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

// The window of a profile with max_outstanding_frames: auto follows the loop time, and each outstanding frame has a
// slot in the memory of the link's sockets. A link begins with room for 2048 frames (llr.AutoReplaySlots). While a long
// loop keeps the window full, the sockets are reopened with more room, as in a reload: LLR and waiting frames go on.
// Room is never taken back while the port goes on.

// When the room for replay slots grows, and up to which size.
const (
	roomLooks = 3 // looks in a row, a second apart, with a full window before the room grows
	roomShare = 4 // the room takes at most 1/roomShare of the free memory, because no setting gives its size
)

// replayRoom is the room for the frames of LLR in the memory of a link's sockets.
type replayRoom struct {
	window int  // replay slots given to its devices
	chunks int  // RX chunks given to its devices for frames that LLR keeps behind a gap
	slots  int  // TX slots of its devices, or of its last devices
	looks  int  // looks in a row that found the window full
	denied bool // a notice has named the lack of memory
	failed bool // the sockets could not be reopened with more room: no second attempt
}

// update counts the looks in a row at which LLR wants more room, and reports whether the room must grow: after
// roomLooks such looks, unless an attempt has failed. wanted is the room that LLR wants, in frames; 0: no more than it
// has.
func (r *replayRoom) update(wanted int) (due bool) {
	if r.looks++; wanted == 0 || r.failed {
		r.looks = 0
	}
	if due = r.looks == roomLooks; due {
		r.looks = 0
	}
	return due
}

// survey gives LLR of a link more replay slots if its window follows the loop time, and the room was too small for
// it at some looks in a row.
func (r *replayRoom) survey(g *group, a *attachment) {
	if a.port.Link == nil {
		return
	}
	wanted := 0
	g.worker.Do(func(wire.Time) { wanted = a.port.Link.LLR.Tx.RoomWanted() })
	if r.update(wanted) {
		r.enlarge(g, a, wanted)
	}
}

// enlarge reopens the sockets of a link with replay slots for the given number of frames. If the host has too little
// memory, a notice says so once, and the room stays.
func (r *replayRoom) enlarge(g *group, a *attachment, frames int) {
	old, more := r.window, r.cost(a, frames)
	if have, ok := availableMemory(); ok && more > have/roomShare {
		r.deny(g, a, frames, more, have)
		return
	}
	r.window = frames
	if !g.renew(a, func() error { return a.host.reopen(a.geometry()) }) {
		r.window, r.failed = old, true // reconcile attaches the interface with the room of before
		return
	}
	// The slots come first: LLR may fill the room at once.
	g.worker.Do(func(wire.Time) { a.port.Link.LLR.Tx.SetRoom(frames) })
	r.denied = false
	g.notify(a, model.NoticeRoom, fmt.Sprintf("%d outstanding frames are too few for the long loop time: the sockets are "+
		"reopened with room for %d outstanding frames, which takes %d MB of memory more", old, frames, more>>20))
}

// deny publishes once that the host has too little memory for replay slots for the given number of frames. have is the
// free memory in octets. more is the number of octets that these slots need beyond the present slots.
func (r *replayRoom) deny(g *group, a *attachment, frames, more, have int) {
	if r.denied {
		return
	}
	r.denied = true
	g.notify(a, model.NoticeMemory, fmt.Sprintf("%d outstanding frames are too few for the long loop time, but room for "+
		"%d would take %d MB of memory more, and only a quarter of the %d MB that are free on the host may be taken: the "+
		"window stays as it is; set max_outstanding_frames to choose another", r.window, frames, more>>20, have>>20))
}

// cost returns how many octets of memory replay slots for the given number of frames need beyond the present slots.
func (r *replayRoom) cost(a *attachment, frames int) int {
	g := a.host.sockets[0].Geometry()
	return (a.settings.Geometry(frames, r.chunks).TX - g.TX) * g.SlotSize()
}

// roomFor returns how much room LLR needs on a port with settings s and profile p: slots for frames that it may have
// to send again, and RX chunks for frames that it keeps behind a gap. A port without LLR needs none.
func roomFor(s *model.PortSettings, p llr.Profile) (slots, chunks int) {
	if s.Role != model.RoleLink || s.Protocol != model.LLR {
		return 0, 0
	}
	return p.ReplaySlots(), p.KeptFrames()
}

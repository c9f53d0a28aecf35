package llr

import "math/bits"

// A window that follows the loop time is limited by the room of the replay buffer, too. The owner of the slots decides
// how much memory the room may cost: the transmitter says how much it wants, and is told how much there is.

// SetRoom gives the replay buffer room for at least n frames, at most MaxOutstandingFrames: the caller has as many
// slots. A window that follows the loop time may use all of the room, at once; other windows do not change. Room is
// never taken back. SetRoom allocates.
func (t *Tx) SetRoom(n int) {
	t.grow(min(n, MaxOutstandingFrames))
	t.adapt()
}

// RoomWanted returns the number of frames, a power of two up to AutoReplaySlotsMost, for which the replay buffer should
// have room, or 0 if it has enough. It wants more if the window follows the loop time, a frame has waited since the
// last call because the window was full, and frames as long as those in the window fill a loop only if there is more
// room. A partner that stands still is no reason; nor is room for more frames than a partner keeps in selective replay.
func (t *Tx) RoomWanted() (frames int) {
	length := int(t.room.crowd)
	t.room.crowd = 0
	l, ok := t.LoopTime()
	if !ok || length == 0 || t.profile.MaxOutstandingFrames != 0 {
		return 0
	}
	wanted := min(t.adviseFrames(t.loopBits(l), length), AutoReplaySlotsMost, int(t.sel.most))
	if wanted <= t.window.room() {
		return 0
	}
	return 1 << bits.Len(uint(wanted-1))
}

// noteCrowd records how long the outstanding frames are, for RoomWanted, if they are as many as the window allows.
// While the partner is busy, or a replay has brought no progress, the window is full whatever its size.
func (t *Tx) noteCrowd() {
	n := t.window.outstanding()
	if t.state == TxAdvance && n >= t.limits.frames && t.now >= t.busy && t.replay.row == 0 {
		t.room.crowd = max(minimumFrame, t.window.octets/int64(n))
	}
}

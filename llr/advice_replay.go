package llr

// replayGain is how many times as many of the frames sent must be new ones by selective replay as by go-back-N, until
// selective replay is advised.
const replayGain = 1.1

// Goodput returns the share of the frames sent by go-back-N that are new ones, by the losses of late and the frames
// outstanding behind each, and the share expected of selective replay, which sends the lost frame alone again. ok is
// false while fewer than burstLosses losses were seen, and under selective replay, which does not measure them.
func (t *Tx) Goodput() (goBackN, selective float64, ok bool) {
	r := &t.replay
	if t.sel.on || r.burst.former == 0 {
		return 0, 0, false
	}
	apart := float64(max(r.apart, r.acked)) + 1
	return apart / (apart + float64(r.behind) + 1), apart / (apart + 1), true
}

// AdviseReplay returns the kind of replay that suits the losses of late: Selective where it pays, else the profile's.
func (t *Tx) AdviseReplay() ReplayKind {
	if goBackN, selective, ok := t.Goodput(); ok && t.profile.Replay == GoBackN && selective > replayGain*goBackN {
		return Selective
	}
	return t.profile.Replay
}

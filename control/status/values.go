package status

import (
	"fmt"
	"time"

	"uelink/control/api"
)

// A replay timer longer than timerFactor times the recommended one, and longer than slowTimer, is a problem: hosts wait
// for it after a loss.
const (
	timerFactor = 64
	slowTimer   = 100 * time.Millisecond
)

// fewReplays is the number of replays up to which a replay timer below the loop time is no problem yet: the loop time
// may be that of a handshake alone, on a machine that was busy with its starts.
const fewReplays = 8

// replayTimer adds the problem of a replay timer that does not suit the loop time of a link: a timer shorter than the
// shortest loop time sends each frame again before its acknowledgement can be there.
func (l *problems) replayTimer(p api.Port) {
	r := p.LLR
	timer, command := r.MaxReplayTimer, profileKey(r.Profile, "max_replay_timer", "auto")
	switch {
	case r.LoopTime == nil || timer <= 0:
	case timer < time.Duration(r.LoopTime.Min) && r.Counters.TxReplay > fewReplays:
		l.add(Warning, command,
			fmt.Sprintf("max_replay_timer %v is shorter than the loop time (from a frame to its acknowledgement), at least "+
				"%v: frames are sent again before their acknowledgement can arrive", timer, time.Duration(r.LoopTime.Min)))
	case timer > slowTimer && timer/timerFactor > r.RecommendedReplayTimer && r.RecommendedReplayTimer > 0:
		l.add(Warning, command, fmt.Sprintf("max_replay_timer %v is much longer than the link needs: if the last frame of a "+
			"burst is lost, the receiver waits %v for this frame, and %v is enough", timer, timer, r.RecommendedReplayTimer))
	}
}

// profileKey returns the commands that set a key of an LLR profile in the configuration file, and put the file in
// force.
func profileKey(profile, key, value string) string {
	return fmt.Sprintf("uelink config set llr_profiles.%s.%s %s && %s", profile, key, value, api.ReloadCommand)
}

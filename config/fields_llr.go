package config

import (
	"math"
	"time"

	"uelink/llr"
)

// profileFields is the ten attributes of SAI_PORT_LLR_PROFILE (SAI-LLR) under
// their SONiC names. Timers are Go durations with wider ranges than SAI's
// hardware units, because a round trip here takes tens of microseconds and more.
func profileFields() []field[llr.Profile] {
	type profile = llr.Profile
	return []field[profile]{
		value("max_outstanding_frames", orAuto(whole(1, llr.MaxOutstandingFrames)), "512",
			"Frames that may wait for their acknowledgement. `auto`: as many of the smallest size as the interface sends at its speed in two of "+
				"the shortest loop times, 64 to 2048; 512 while no loop time is known.",
			func(p *profile) *int { return &p.MaxOutstandingFrames }),
		value("max_outstanding_bytes", size(1, math.MaxUint32), "8MiB", "Octets that may wait for their acknowledgement; a single frame always may.",
			func(p *profile) *int64 { return &p.MaxOutstandingBytes }),
		value("max_replay_timer", orAuto(duration(1, time.Minute)), "2ms",
			"Replay when no acknowledgement made progress for this long. The first time it may be up to 16 times as long, while the partner is slow. "+
				"`auto`: four times the loop time that 99 of 100 stay below, and 100us; 2ms while no loop time is known.",
			func(p *profile) *time.Duration { return &p.MaxReplayTimer }),
		value("max_replay_count", whole[uint8](1, llr.NoReplayLimit), "100",
			"Replays without progress before a flush, at least `max_replay_timer` apart; 255 = no limit.",
			func(p *profile) *uint8 { return &p.MaxReplayCount }),
		value("pcs_lost_timeout", duration(0, time.Hour), "0", "Flush when the carrier is lost for this long; 0 = never.",
			func(p *profile) *time.Duration { return &p.PCSLostTimeout }),
		value("data_age_timeout", duration(0, time.Hour), "0", "Flush when the oldest unacknowledged frame is this old; 0 = never.",
			func(p *profile) *time.Duration { return &p.DataAgeTimeout }),
		value("init_action", frameAction(), "best_effort", "Frames during the handshake: `discard`, `block` (hold back) or `best_effort` (send without retry).",
			func(p *profile) *llr.FrameAction { return &p.InitAction }),
		value("flush_action", frameAction(), "best_effort", "Frames after a flush: the same.",
			func(p *profile) *llr.FrameAction { return &p.FlushAction }),
		value("re_init_on_flush", boolean(), "true", "Start again after a flush without being told.",
			func(p *profile) *bool { return &p.ReInitOnFlush }),
		value("ctlos_spacing_bytes", whole(400, 16384), "2048", "Octets received between two acknowledgements under load.",
			func(p *profile) *int { return &p.CtlOSSpacingBytes }),
	}
}

// frameAction is SAI's sai_llr_frame_action_t in words.
func frameAction() kind[llr.FrameAction] { return choice(llr.Discard, llr.Block, llr.BestEffort) }

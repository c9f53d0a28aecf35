package config

import (
	"math"
	"time"

	"uelink/config/schema"
	"uelink/llr"
)

// profileFields returns the schema of the configuration keys of an LLR profile: the ten attributes of
// SAI_PORT_LLR_PROFILE (SAI-LLR) under their SONiC names, and hold_timeout and replay, extensions of uelink. Timers are
// Go durations with wider ranges than SAI's hardware units, because a round trip here takes tens of microseconds and
// more.
// Clauses: UE-LINK/ack.5, SAI-LLR/rx.4, SAI-LLR/profile.1-10, SAI-LLR/workflow.1.
func profileFields() schema.Section[llr.Profile] {
	type profile = llr.Profile
	return schema.Section[profile]{
		schema.Value("max_outstanding_frames", schema.OrAuto(schema.Whole(1, llr.MaxOutstandingFrames)), "512",
			"Frames that may wait for their acknowledgement. `auto`: as many frames of the smallest size as the interface can send in twice the shortest "+
				"loop time (from a frame to its acknowledgement), 64 to 2048, and up to 32768 where a longer loop time needs more frames and memory is free; 512 while the loop time is not known.",
			func(p *profile) *int { return &p.MaxOutstandingFrames }),
		schema.Value("max_outstanding_bytes", schema.Size(1, math.MaxUint32), "8MiB", "Octets that may wait for their acknowledgement; a single frame always may.",
			func(p *profile) *int64 { return &p.MaxOutstandingBytes }),
		schema.Value("max_replay_timer", schema.OrAuto(schema.Duration(1, time.Minute)), "2ms",
			"Replay when no acknowledgement made progress for this long. While the partner is slow, the first replay may wait up to 16 times as long. "+
				"`auto`: four times the 99th percentile of the loop time (from a frame to its acknowledgement), and 100us more; 2ms while the loop time is not known.",
			func(p *profile) *time.Duration { return &p.MaxReplayTimer }),
		schema.Value("max_replay_count", schema.Whole[uint8](1, llr.NoReplayLimit), "100",
			"Replays without progress before a flush, at least `max_replay_timer` apart; 255 = no limit.",
			func(p *profile) *uint8 { return &p.MaxReplayCount }),
		schema.Value("hold_timeout", schema.Duration(0, time.Minute), "2s",
			"With a silent partner, a flush by `max_replay_count` waits until this long after the last frame from the partner; 0 = no wait.",
			func(p *profile) *time.Duration { return &p.HoldTimeout }),
		schema.Value("pcs_lost_timeout", schema.Duration(0, time.Hour), "0", "Flush when the carrier is lost for this long; 0 = never.",
			func(p *profile) *time.Duration { return &p.PCSLostTimeout }),
		schema.Value("data_age_timeout", schema.Duration(0, time.Hour), "0", "Flush when the oldest unacknowledged frame is this old; 0 = never.",
			func(p *profile) *time.Duration { return &p.DataAgeTimeout }),
		schema.Value("init_action", frameAction(), "best_effort", "Frames during the handshake: `discard`, `block` (hold back) or `best_effort` (send without retry).",
			func(p *profile) *llr.FrameAction { return &p.InitAction }),
		schema.Value("flush_action", frameAction(), "best_effort", "Frames after a flush: `discard`, `block` or `best_effort`, as in `init_action`.",
			func(p *profile) *llr.FrameAction { return &p.FlushAction }),
		schema.Value("re_init_on_flush", schema.Boolean(), "true", "Start the handshake again after a flush, without a command.",
			func(p *profile) *bool { return &p.ReInitOnFlush }),
		schema.Value("replay", schema.Choice(llr.GoBackN, llr.Auto, llr.Selective), "go_back_n",
			"`go_back_n`, as in SAI: a lost frame is sent again with all frames after it. `selective` and `auto`: lost frames alone are sent again, if the partner "+
				"is a uelink with `selective` or `auto`, too. Each end then has additional memory to keep frames behind a lost frame, as many as its window. With a window of more than "+
				"262144 frames, `auto` uses go-back-N, and `selective` is refused. A reload changes the kind of replay without a loss.",
			func(p *profile) *llr.ReplayKind { return &p.Replay }),
		schema.Value("ctlos_spacing_bytes", schema.Whole(400, 16384), "2048", "Octets received between two acknowledgements under load.",
			func(p *profile) *int { return &p.CtlOSSpacingBytes }),
	}
}

// frameAction returns the schema.Kind that parses SAI's sai_llr_frame_action_t by its word.
func frameAction() schema.Kind[llr.FrameAction] {
	return schema.Choice(llr.Discard, llr.Block, llr.BestEffort)
}

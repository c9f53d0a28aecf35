package store

import (
	"uelink/llr"

	"uelink/sai"
)

// Numbers of the attributes of an LLR profile.
const (
	llrFrames = iota
	llrBytes
	llrTimer
	llrCount
	llrPCSLost
	llrDataAge
	llrInit
	llrFlush
	llrReInit
	llrSpacing
)

// profileAttributes returns the table of an LLR profile's attributes.
func profileAttributes() []Attribute {
	actions := []Enumerator{{"SAI_LLR_FRAME_ACTION_DISCARD", 0}, {"SAI_LLR_FRAME_ACTION_BLOCK", 1},
		{"SAI_LLR_FRAME_ACTION_BEST_EFFORT", 2}}
	const floor = "nanoseconds; a shorter time is raised to "
	return []Attribute{
		{ID: llrFrames, Name: "OUTSTANDING_FRAMES_MAX", Kind: sai.U32, Flags: Mandatory | CreateOnly, Least: 1,
			Most: llr.MaxOutstandingFrames, Can: creates, Acts: "most frames sent and not yet acknowledged; further frames wait"},
		{ID: llrBytes, Name: "OUTSTANDING_BYTES_MAX", Kind: sai.U32, Flags: Mandatory | CreateOnly, Least: 1, Most: 1<<32 - 1,
			Can: creates, Acts: "most octets of frames sent and not yet acknowledged; a single frame may always be sent"},
		{ID: llrTimer, Name: "REPLAY_TIMER_MAX", Kind: sai.U32, Flags: CreateAndSet, Can: all,
			Acts: floor + "8 loop times (measured times from a frame to its acknowledgement), or to 2 ms before the first measurement; " +
				"0: computed from the loop time"},
		{ID: llrCount, Name: "REPLAY_COUNT_MAX", Kind: sai.U8, Flags: CreateAndSet, Default: 1, Least: 1, Most: llr.NoReplayLimit,
			Can: all, Acts: "replays without progress before FLUSH; 255: no limit"},
		{ID: llrPCSLost, Name: "PCS_LOST_TIMEOUT", Kind: sai.U32, Flags: CreateAndSet, Can: all,
			Acts: floor + "1 s; LLR enters FLUSH when the carrier is lost for longer; 0: never"},
		{ID: llrDataAge, Name: "DATA_AGE_TIMEOUT", Kind: sai.U32, Flags: CreateAndSet, Can: all,
			Acts: floor + "1 s; LLR enters FLUSH when a frame is in the replay buffer for longer; 0: never"},
		{ID: llrInit, Name: "INIT_LLR_FRAME_ACTION", Kind: sai.Enum, Flags: CreateAndSet, Default: 2, Enum: actions, Can: all,
			Acts: "frames in INIT are discarded, wait, or leave without LLR"},
		{ID: llrFlush, Name: "FLUSH_LLR_FRAME_ACTION", Kind: sai.Enum, Flags: CreateAndSet, Default: 2, Enum: actions, Can: all,
			Acts: "frames in FLUSH are discarded, wait, or leave without LLR"},
		{ID: llrReInit, Name: "RE_INIT_ON_FLUSH", Kind: sai.Bool, Flags: CreateAndSet, Can: all,
			Acts: "true: LLR goes from FLUSH to INIT; false: LLR stays in FLUSH"},
		{ID: llrSpacing, Name: "CTLOS_TARGET_SPACING", Kind: sai.U16, Flags: CreateAndSet, Default: 2048, Least: 400, Most: 16384,
			Can: all, Acts: "octets received between two LLR_ACK under load"},
	}
}

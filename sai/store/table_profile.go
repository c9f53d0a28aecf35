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
	const floor = "nanoseconds; in force is at least "
	return []Attribute{
		{ID: llrFrames, Name: "OUTSTANDING_FRAMES_MAX", Kind: sai.U32, Flags: Mandatory | CreateOnly, Least: 1,
			Most: llr.MaxOutstandingFrames, Can: creates, Acts: "frames sent and not acknowledged; more wait"},
		{ID: llrBytes, Name: "OUTSTANDING_BYTES_MAX", Kind: sai.U32, Flags: Mandatory | CreateOnly, Least: 1, Most: 1<<32 - 1,
			Can: creates, Acts: "octets of these frames; a single frame always fits"},
		{ID: llrTimer, Name: "REPLAY_TIMER_MAX", Kind: sai.U32, Flags: CreateAndSet, Can: all,
			Acts: floor + "8 loop times as measured, 2 ms before the first measurement; 0: by the loop time"},
		{ID: llrCount, Name: "REPLAY_COUNT_MAX", Kind: sai.U8, Flags: CreateAndSet, Default: 1, Least: 1, Most: llr.NoReplayLimit,
			Can: all, Acts: "replays without progress before FLUSH; 255: no limit"},
		{ID: llrPCSLost, Name: "PCS_LOST_TIMEOUT", Kind: sai.U32, Flags: CreateAndSet, Can: all,
			Acts: floor + "1 s; a longer loss of the carrier is a FLUSH; 0: never"},
		{ID: llrDataAge, Name: "DATA_AGE_TIMEOUT", Kind: sai.U32, Flags: CreateAndSet, Can: all,
			Acts: floor + "1 s; an older frame in the replay buffer is a FLUSH; 0: never"},
		{ID: llrInit, Name: "INIT_LLR_FRAME_ACTION", Kind: sai.Enum, Flags: CreateAndSet, Default: 2, Enum: actions, Can: all,
			Acts: "frames in INIT are discarded, wait, or leave without LLR"},
		{ID: llrFlush, Name: "FLUSH_LLR_FRAME_ACTION", Kind: sai.Enum, Flags: CreateAndSet, Default: 2, Enum: actions, Can: all,
			Acts: "frames in FLUSH are discarded, wait, or leave without LLR"},
		{ID: llrReInit, Name: "RE_INIT_ON_FLUSH", Kind: sai.Bool, Flags: CreateAndSet, Can: all,
			Acts: "true: a FLUSH leads to INIT; false: FLUSH stays"},
		{ID: llrSpacing, Name: "CTLOS_TARGET_SPACING", Kind: sai.U16, Flags: CreateAndSet, Default: 2048, Least: 400, Most: 16384,
			Can: all, Acts: "octets received between two LLR_ACK under load"},
	}
}

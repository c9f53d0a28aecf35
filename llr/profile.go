package llr

import "time"

// FrameAction is the treatment of an LLR-desired frame while the transmitter is in INIT or FLUSH (SAI-LLR,
// sai_llr_frame_action_t).
type FrameAction uint8

// The frame actions, in SAI's order.
const (
	Discard    FrameAction = iota // drop the frame, count TX_DISCARD
	Block                         // keep the frame waiting
	BestEffort                    // send the frame LLR-ineligible
)

// String returns the action's name in the configuration: discard, block or best_effort.
func (a FrameAction) String() string {
	return [...]string{"discard", "block", "best_effort", "?"}[min(a, BestEffort+1)]
}

// NoReplayLimit, as MaxReplayCount, means: replay for ever.
const NoReplayLimit = 255

// MaxOutstandingFrames is the largest window: half of the sequence space.
const MaxOutstandingFrames = 1 << 19

// Profile holds the ten attributes of SAI_PORT_LLR_PROFILE (SAI-LLR) under their SONiC names, and our HoldTimeout,
// TimerFloor and Replay.
// Clauses: SAI-LLR/profile.1-10.
type Profile struct {
	MaxOutstandingFrames int           // OUTSTANDING_FRAMES_MAX, 1..MaxOutstandingFrames; 0 = follows the loop time, within the room of the replay buffer
	MaxOutstandingBytes  int64         // OUTSTANDING_BYTES_MAX, octets of carried frames, at least 1; a single frame always fits
	MaxReplayTimer       time.Duration // REPLAY_TIMER_MAX; 0 = follows the loop time; the first expiry comes later while the partner is slow
	TimerFloor           bool          // the replay timer in force is at least timerFloor loop times, because MaxReplayTimer is a value for hardware
	MaxReplayCount       uint8         // REPLAY_COUNT_MAX, replays without progress, at least MaxReplayTimer apart, before FLUSH; 255 = no limit
	HoldTimeout          time.Duration // FLUSH by REPLAY_COUNT_MAX waits until a silent partner has been silent for this long; 0 = no waiting
	PCSLostTimeout       time.Duration // PCS_LOST_TIMEOUT, carrier lost for longer = FLUSH; 0 = off
	DataAgeTimeout       time.Duration // DATA_AGE_TIMEOUT, oldest unacknowledged frame older = FLUSH; 0 = off
	InitAction           FrameAction   // INIT_LLR_FRAME_ACTION
	FlushAction          FrameAction   // FLUSH_LLR_FRAME_ACTION
	ReInitOnFlush        bool          // RE_INIT_ON_FLUSH
	Replay               ReplayKind    // how lost frames are sent again; changes at an LLR_INIT
	CtlOSSpacingBytes    int           // CTLOS_TARGET_SPACING, octets of received frames between two LLR_ACK under load
}

// ReplaySlots returns the number of frames that the replay buffer must hold: OUTSTANDING_FRAMES_MAX limited to its
// range, or AutoReplaySlots, the room at first, if the window follows the loop time.
func (p Profile) ReplaySlots() int {
	if p.MaxOutstandingFrames == 0 {
		return AutoReplaySlots
	}
	return max(1, min(p.MaxOutstandingFrames, MaxOutstandingFrames))
}

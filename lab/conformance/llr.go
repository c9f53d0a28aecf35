package conformance

// llrCases returns the cases LLR-01 to LLR-10, numbered as in draft 0.4 of the standard.
func llrCases() []Case {
	return []Case{
		{ID: "LLR-01", Title: "Frames of a good wire are counted at both ends", memory: goodFrames, veth: goodFramesVeth},
		{ID: "LLR-02", Title: "A dropped frame is retried once", memory: droppedFrame},
		{ID: "LLR-03", Title: "REPLAY_COUNT_MAX retries without progress end in FLUSH", memory: replayCount},
		{ID: "LLR-04", Title: "A bad frame, and a gap, are replayed in order", memory: badFrame, veth: badFramesVeth},
		{ID: "LLR-05", Title: "A poisoned frame is not replayed", memory: poisonedFrame},
		{ID: "LLR-06", Title: "OUTSTANDING_FRAMES_MAX bounds what is replayed", memory: outstandingFrames},
		{ID: "LLR-07", Title: "Full rate over 500 m of cable", memory: fullRate},
		{ID: "LLR-08", Title: "RE_INIT_ON_FLUSH leads from FLUSH to INIT", memory: reInit},
		{ID: "LLR-09", Title: "Frames of every size", memory: everySize, veth: everySizeVeth},
		{ID: "LLR-10", Title: "LLR-eligible frames mixed with ineligible frames", memory: mixed},
	}
}

// countSizes returns the frame sizes of cases that count exactly, in octets with FCS: the smallest, the usual, the
// largest.
func countSizes() []int { return []int{64, 1518, 9216} }

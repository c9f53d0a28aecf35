package traffic

import "fmt"

// Direction is what became of the frames of one direction.
type Direction struct {
	From               string `json:"from"`
	To                 string `json:"to"`
	Priority           uint8  `json:"priority"`
	Kind               string `json:"uet,omitempty"` // of UET packets: the header that they are about
	Sent               uint64 `json:"sent"`
	Delivered          uint64 `json:"delivered"`           // different frames that arrived as they were sent
	Lost               uint64 `json:"lost"`                // sent and not delivered
	Duplicated         uint64 `json:"duplicated"`          // arrivals of a frame that had been delivered
	Reordered          uint64 `json:"reordered"`           // deliveries after one that was sent later
	CorruptedDelivered uint64 `json:"corrupted_delivered"` // arrivals with other octets than were sent
	// Frames that the receiving end had no room for; of ours, they are among the lost. With several
	// priorities those of all are told with the first.
	EdgeOverrun uint64  `json:"edge_overrun"`
	GoodputBPS  uint64  `json:"goodput_bps"` // bits of the delivered frames a second
	PPS         uint64  `json:"pps"`         // delivered frames a second
	Seconds     float64 `json:"seconds"`     // from the first sending to the last delivery
	Latency     Latency `json:"latency_us"`

	// Of the delivered, those while a priority stood still at the To end.
	DeliveredInStall uint64 `json:"delivered_in_stall"`

	// By the sender: PFC and PAUSE for this priority, and for how long they have stopped it.
	PausesReceived  uint64  `json:"pauses_received"`
	ResumesReceived uint64  `json:"resumes_received"`
	PausedSeconds   float64 `json:"paused_seconds"`
	HeldBack        uint64  `json:"held_back"` // frames of an open loop that were due meanwhile; they are not sent later
	// By the receiver, a slow sink.
	PausesSent  uint64 `json:"pauses_sent"`
	ResumesSent uint64 `json:"resumes_sent"`

	LostSizes []LostSize `json:"lost_sizes,omitempty"` // at the end of a run
	longest   int        // octets of the longest frame that was sent, if any was lost
}

// paused says whether PFC had a part in it.
func (d *Direction) paused() bool {
	return d.HeldBack+d.PausesReceived+d.ResumesReceived+d.PausesSent+d.ResumesSent > 0
}

// Clean says whether every frame sent was delivered exactly once, in order and
// unchanged.
func (d *Direction) Clean() bool {
	return d.Lost == 0 && d.Duplicated == 0 && d.Reordered == 0 && d.CorruptedDelivered == 0
}

// Result is what Run found: of each priority and each kind of UET packet two directions, From to To
// first.
type Result struct {
	Directions  []Direction `json:"directions"`
	OtherFrames uint64      `json:"other_frames"` // that were not ours, such as neighbour discovery; ignored
}

// text is what the table does not say: which lengths were lost, and other frames that were seen.
func (r *Result) text() (text string) {
	for i := range r.Directions {
		text += r.Directions[i].lostText()
	}
	if r.OtherFrames > 0 {
		text += fmt.Sprintf("%s other frames were seen and ignored.\n", Count(r.OtherFrames))
	}
	return text
}

// Clean says whether both directions are.
func (r *Result) Clean() bool {
	for i := range r.Directions {
		if !r.Directions[i].Clean() {
			return false
		}
	}
	return true
}

// Progress is how far Run has come.
type Progress struct {
	Result
	Planned uint64 // frames each way, 0 = no limit
	Seconds float64
}

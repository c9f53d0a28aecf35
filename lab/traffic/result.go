package traffic

import (
	"fmt"
	"time"
)

// Direction is the result of one flow.
type Direction struct {
	From               string `json:"from"`
	To                 string `json:"to"`
	Priority           uint8  `json:"priority"`
	Kind               string `json:"uet,omitempty"` // kind of the UET packets: the header under test
	Sent               uint64 `json:"sent"`
	Delivered          uint64 `json:"delivered"`           // different frames that arrived unchanged
	Lost               uint64 `json:"lost"`                // sent and not delivered
	Duplicated         uint64 `json:"duplicated"`          // arrivals of a frame that had been delivered
	Reordered          uint64 `json:"reordered"`           // deliveries after the delivery of a frame sent later
	CorruptedDelivered uint64 `json:"corrupted_delivered"` // arrivals of changed frames
	// Frames for which the receiving end had no room; frames of this run are also in Lost. With several priorities,
	// the first has the count of all.
	EdgeOverrun uint64  `json:"edge_overrun"`
	GoodputBPS  uint64  `json:"goodput_bps"` // bits of the delivered frames a second
	PPS         uint64  `json:"pps"`         // delivered frames a second
	Seconds     float64 `json:"seconds"`     // time from the first sending to the last delivery
	Latency     Latency `json:"latency_us"`

	// Longest time between two deliveries since the last Progress.
	Gap time.Duration `json:"-"`

	// Deliveries while the To end stalled a priority.
	DeliveredInStall uint64 `json:"delivered_in_stall"`

	// At the sender: PFC and PAUSE for this priority, and how long they have stopped it.
	PausesReceived  uint64  `json:"pauses_received"`
	ResumesReceived uint64  `json:"resumes_received"`
	PausedSeconds   float64 `json:"paused_seconds"`
	HeldBack        uint64  `json:"held_back"` // frames of an open loop that came due in a pause; never sent
	// At the receiver, if it is a slow sink: PFC frames sent that pause this priority, and that resume it.
	PausesSent  uint64 `json:"pauses_sent"`
	ResumesSent uint64 `json:"resumes_sent"`

	LostSizes []LostSize `json:"lost_sizes,omitempty"` // lengths of which frames were lost; at the end of a run
	longest   int        // octets of the longest frame sent, if any was lost
}

// paused reports whether PFC or PAUSE was sent or received for this direction, or frames were given up because of
// a pause.
func (d *Direction) paused() bool {
	return d.HeldBack+d.PausesReceived+d.ResumesReceived+d.PausesSent+d.ResumesSent > 0
}

// Clean reports whether every frame of the direction was delivered exactly once, in order and unchanged.
func (d *Direction) Clean() bool {
	return d.Lost == 0 && d.Duplicated == 0 && d.Reordered == 0 && d.CorruptedDelivered == 0
}

// Result is the result of Run: for each priority and each kind of UET packet two directions, From to To first.
type Result struct {
	Directions  []Direction `json:"directions"`
	OtherFrames uint64      `json:"other_frames"` // frames of other senders, such as neighbour discovery; ignored
}

// text returns the remarks below the table: frame lengths of which frames were lost, and the number of frames of
// other senders.
func (r *Result) text() (text string) {
	for i := range r.Directions {
		text += r.Directions[i].lostText()
	}
	if r.OtherFrames > 0 {
		text += fmt.Sprintf("%s other frames were seen and ignored.\n", Count(r.OtherFrames))
	}
	return text
}

// Clean reports whether every frame of all directions was delivered exactly once, in order and unchanged.
func (r *Result) Clean() bool {
	for i := range r.Directions {
		if !r.Directions[i].Clean() {
			return false
		}
	}
	return true
}

// Progress is the result of Run so far.
type Progress struct {
	Result
	Planned uint64 // frames to send each way, of each priority and kind; 0 = no limit
	Seconds float64
}

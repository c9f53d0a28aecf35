package path

import (
	"math/bits"
	"strconv"
	"strings"

	"uelink/dataplane/model"
)

// A client of SAI may stop a queue (PKT_DEQUEUE_ENABLE false): its frames wait, as far as there is room. Or it closes
// a queue (PKT_ENQUEUE_ENABLE false): new frames are dropped and counted, and waiting frames leave. Both are bitmaps in
// the settings. Replays, control frames and frames to the partner itself do not pass the queues, and go on.

// gate updates which queues send nothing and which take no frames, by PFC of the host and by the settings.
func (p *Port) gate() {
	p.egress.halted = uint32(p.pause.stopped) | p.settings.Stops.Stopped
	p.egress.closed = p.settings.Stops.Closed
}

// reportStops publishes an event when SAI has stopped or closed queues of the port, or has opened them again.
func (p *Port) reportStops(h *model.Hub) {
	stops := p.settings.Stops
	if stops == p.findings.reportedStops {
		return
	}
	p.findings.reportedStops = stops
	text := stopsText(stops)
	if text == "" {
		text = "all queues send and take frames again"
	}
	h.PublishAt(model.WarnIf(stops != model.QueueStops{}), p.settings.Name, model.EventQueue, text)
}

// stopsText returns in words which queues of a port SAI has stopped or closed; empty if none.
func stopsText(s model.QueueStops) string {
	var texts []string
	if s.Stopped != 0 {
		texts = append(texts, "a client of SAI has stopped queue "+numbers(s.Stopped)+
			" (PKT_DEQUEUE_ENABLE false): frames wait there as far as there is room")
	}
	if s.Closed != 0 {
		texts = append(texts, "a client of SAI has closed queue "+numbers(s.Closed)+
			" (PKT_ENQUEUE_ENABLE false): new frames for it are dropped (tx_drop_queue_closed)")
	}
	return strings.Join(texts, "; ")
}

// numbers returns the numbers of the queues in a bitmap, separated by commas.
func numbers(queues uint32) string {
	var list []string
	for rest := queues; rest != 0; rest &= rest - 1 {
		list = append(list, strconv.Itoa(bits.TrailingZeros32(rest)))
	}
	return strings.Join(list, ", ")
}

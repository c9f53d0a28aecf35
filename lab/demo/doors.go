package demo

import (
	"fmt"
	"strings"

	"uelink/control/api"
	"uelink/lab/traffic"
)

// door is how many frames the edge of a station dropped in one direction, and by which counters.
type door struct {
	frames  uint64
	reasons string
}

// doorIn returns how many frames from its host an edge port dropped before the link, and the counters that say so.
func doorIn(edge api.Port) door {
	return door{edge.RxDropped, reasons([]reason{
		{"rx_ring_full", edge.Socket.RxRingFull}, {"rx_dropped", edge.Socket.RxDropped},
		{"rx_drop_no_buffer", edge.Counters.RxDropNoBuffer}, {"rx_oversized", edge.Counters.RxOversized},
		{"rx_drop_detached", edge.Counters.RxDropDetached}, {"rx_no_socket", edge.Counters.RxNoSocket},
	})}
}

// doorOut returns how many frames for its host an edge port dropped after they had crossed the link, and the counters
// that say so.
func doorOut(edge api.Port) door {
	return door{edge.TxDropped, reasons([]reason{
		{"tx_drop_down", edge.Counters.TxDropDown}, {"tx_drop_queue_full", edge.Counters.TxDropQueueFull},
		{"tx_errors", edge.Device.TxErrors}, {"tx_dropped", edge.Device.TxDropped},
		{"tx_invalid_descs", edge.Socket.TxInvalidDescs},
	})}
}

// reason is a counter of dropped frames.
type reason struct {
	key    string
	frames uint64
}

// reasons returns the names and values of those counters that are not 0, as text: "rx_ring_full 12, rx_dropped 3".
func reasons(all []reason) string {
	var list []string
	for _, r := range all {
		if r.frames > 0 {
			list = append(list, r.key+" "+traffic.Count(r.frames))
		}
	}
	return strings.Join(list, ", ")
}

// lost returns how many frames were lost in one direction (0: from host A, 1: from host B), over all priorities.
func (r *Result) lost(way int) (frames uint64) {
	for i := way; i < len(r.Directions); i += 2 {
		frames += r.Directions[i].Lost
	}
	return frames
}

// onlyDoors reports whether the link itself lost nothing: no frame came twice, out of order or changed, and in
// each direction the edge ports and hosts dropped at least as many frames as are missing.
func (r *Result) onlyDoors() bool {
	for i := range r.Directions {
		d := &r.Directions[i].Direction
		if d.Duplicated+d.Reordered+d.CorruptedDelivered > 0 {
			return false
		}
	}
	for way := range min(2, len(r.Directions)) {
		d := &r.Directions[way]
		if r.lost(way) > d.EdgeRxDropped+d.EdgeTxDropped+d.EdgeOverrun {
			return false
		}
	}
	return true
}

// doorsText returns a line of text for each place outside the link where frames were dropped: the edge port before
// the link, the edge port behind it, the receiving host. It is empty for directions without loss.
func (r *Result) doorsText() string {
	var text strings.Builder
	for way := range min(2, len(r.Directions)) {
		d, stations := &r.Directions[way], [2]string{"A", "B"}
		if r.lost(way) == 0 {
			continue
		}
		if d.EdgeRxDropped > 0 {
			fmt.Fprintf(&text, "The edge of station %s dropped %s frames of %s before they reached the link (%s): "+
				"the daemon got too little CPU, or a burst was longer than the RX ring of the edge (rx_ring_size).\n",
				stations[way], traffic.Count(d.EdgeRxDropped), d.From, d.edgeRxWhy)
		}
		if d.EdgeTxDropped > 0 {
			fmt.Fprintf(&text, "The edge of station %s dropped %s frames for %s after they had crossed the link (%s).\n",
				stations[1-way], traffic.Count(d.EdgeTxDropped), d.To, d.edgeTxWhy)
		}
		if d.EdgeOverrun > 0 {
			fmt.Fprintf(&text, "%s dropped %s frames that had reached it, for want of room: this program got too little CPU.\n",
				d.To, traffic.Count(d.EdgeOverrun))
		}
	}
	return text.String()
}

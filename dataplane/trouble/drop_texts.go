package trouble

import (
	"fmt"

	"uelink/dataplane/model"
)

// repaired returns the words "; LLR sends them again", for the text of dropped frames, if LLR repeats these frames of
// the port, or "; the link sends them again" for HIPPI-6400-PH; else "". on reports whether LLR is on in the direction
// of the frames: LLR_MODE_LOCAL for received ones, LLR_MODE_REMOTE for those to be sent.
func repaired(s *model.PortSettings, on bool) string {
	if s.Protocol == model.HIPPI6400 {
		return "; the link sends them again"
	}
	if s.Role == model.RoleLink && s.LLR.Mode != model.LLROff && on {
		return "; LLR sends them again"
	}
	return ""
}

// ringText returns the text, with cause and cure, of frames dropped because the RX ring is full.
func ringText(f *Drops) string {
	s := f.Settings
	text := fmt.Sprintf("frames are dropped because the RX ring of %d entries is full (rx_ring_full)%s: they come in "+
		"longer bursts, or the daemon gets too little CPU: raise rx_ring_size, ", s.RxRing(), repaired(s, s.LLR.Local))
	if s.Role == model.RoleLink && s.Protocol == model.LLR {
		return text + "lower max_outstanding_frames of the partner's profile below the size of the RX ring, or give the " +
			"daemon a core"
	}
	return text + "bound the window of TCP at the host that receives (ip route change ... window N), or give the daemon " +
		"a core"
}

// chunksText returns the text, with cause and cure, of frames dropped because the kernel had no chunk for
// them.
func chunksText(f *Drops) string {
	if f.RxFillRingEmpty == 0 && f.Pieces == 1 {
		return longerText(f, "rx_dropped")
	}
	if f.RxQueueBounded > 0 {
		return fmt.Sprintf("frames are dropped because no chunk is free (rx_dropped): more arrive than the "+
			"daemon forwards, and as long as that lasts no more than %d frames may wait in an RX queue "+
			"(rx_queue_bounded), or too many wait to leave by other ports: give the daemon a core, have the "+
			"host wait (push_back: on, for an edge on a veth), or raise ring_size", f.Bound)
	}
	return fmt.Sprintf("frames are dropped because no chunk is free (rx_dropped)%s: too many wait to leave by other "+
		"ports, or the daemon gets too little CPU: raise rx_ring_size and ring_size, or give the daemon a core",
		repaired(f.Settings, f.Settings.LLR.Local))
}

// piecesText returns the text, with cause and cure, of dropped frames that are longer than the MTU.
func piecesText(f *Drops) string {
	return longerText(f, "rx_pieces_too_long")
}

// longerText returns the text of dropped frames that are longer than the MTU. A host puts several segments into
// a frame where its offload of segmentation is on, and the edge is in generic mode or on the tap of a virtual machine.
func longerText(f *Drops, counter string) string {
	text := fmt.Sprintf("received frames are longer than the MTU of %d, and are dropped (%s): the other end of the wire "+
		"has a larger MTU: lower the MTU of that end, or raise the MTU of %s", f.MTU, counter, f.Interface)
	if f.Settings.Role == model.RoleEdge && f.Settings.Host == nil {
		text += "; or the host puts several segments into a frame: type at the host: ethtool -K IF tso off gso off"
	}
	return text
}

// placesText returns the text, with cure, of dropped frames of several chunks for which no memory to join
// the chunks was free.
func placesText(*Drops) string {
	return "frames of several chunks arrive faster than the daemon forwards them, and are dropped " +
		"(rx_pieces_no_place): raise rx_ring_size"
}

// missedText returns the text, with cause and cure, of a NIC that drops received frames for want of
// memory.
func missedText(f *Drops) string {
	return fmt.Sprintf("the NIC drops frames for want of memory (rx_missed)%s: the kernel or the daemon gets too little "+
		"CPU: raise the NIC's RX ring (ethtool -G %s rx N) and rx_ring_size, or give the daemon a core",
		repaired(f.Settings, f.Settings.LLR.Local), f.Interface)
}

// driverText returns the text of a driver that does not send frames.
func driverText(f *Drops) string {
	return fmt.Sprintf("the driver drops frames to be sent (tx_errors, tx_dropped)%s: see ip -s link show dev %s; the "+
		"queue of a NIC is full: raise its TX ring (ethtool -G %[2]s tx N); or the other end of a veth takes no frames: "+
		"raise the MTU of that end, or give the process that reads from it more CPU",
		repaired(f.Settings, f.Settings.LLR.Remote), f.Interface)
}

// descriptorsText returns the text, with cure, of AF_XDP descriptors that the kernel refuses.
func descriptorsText(*Drops) string {
	return "the kernel refuses descriptors, and their frames are lost (rx_invalid_descs, tx_invalid_descs), which is an " +
		"error of uelink: restart uelinkd, and report it with the file that uelink support writes"
}

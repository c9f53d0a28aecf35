package mem

import "uelink/dataplane/frame"

// Host uses an end of a wire like a station that knows frames and not rings: it sends frames one by one and
// receives frames one by one.
type Host struct {
	end  *Device
	last [1]frame.Desc // the frame that Recv returned last; Len 0: none
}

// NewHost returns a host, which sends and receives whole frames, at the given end of a wire; the end must have no
// other receiver.
func NewHost(end *Device) *Host { return &Host{end: end} }

// Send carries a copy of a frame to the other end at once. Send returns false, and sends and counts nothing, if an
// end is not up, the frame is too long for the other end's chunks, or no chunk or ring entry is free there.
func (h *Host) Send(octets []byte) bool {
	h.end.lock()
	defer h.end.wire.Unlock()
	to := h.end.peer
	before := to.stats
	if h.end.state != up || len(octets) == 0 || !to.arrive(octets) {
		to.stats = before
		return false
	}
	return true
}

// Recv returns the next frame that has arrived, or nil. The octets are valid until the next Recv.
func (h *Host) Recv() []byte {
	if h.last[0].Len > 0 {
		h.end.Recycle(h.last[:])
		h.last[0] = frame.Desc{}
	}
	if h.end.Receive(h.last[:]) == 0 {
		return nil
	}
	d := h.last[0]
	return h.end.Area()[d.Addr:][:d.Len:d.Len]
}

// Pending returns how many frames have arrived that Recv has not returned yet.
func (h *Host) Pending() int { return h.end.Pending() }

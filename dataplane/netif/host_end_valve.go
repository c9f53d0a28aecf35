package netif

// When the XDP program leaves a veth, the kernel frees the frames in the ring of the veth, and nobody counts them. So
// before that, the discipline of the other end is shut, which keeps the frames with the host, and the ring is emptied.
// The next PushBack.Start, or the end of push back, opens the discipline.

// setValve makes the queueing discipline, which this process has added to the other end of the veth, hand on all frames
// (valveOpen), no frame (valveShut), or only those that wait already (valveRefuses). e is the state of the other end,
// and longest the length of the longest frame in octets. A pfifo (kernels without tbf) cannot be shut, and stays open.
func (h *HostEnd) setValve(e HostEndState, longest int, v valve) error {
	kind, options := cutting, cutAt(longest, v)
	if !e.Cuts {
		kind, options = uncutting, holds(hostLimit)
		if v == valveRefuses {
			options = holds(0)
		}
	}
	if err := addLeaves(e.index, e.queues, kind, options); err != nil {
		return err
	}
	if h.shut && v != valveShut {
		wake(e)
	}
	h.shut = v == valveShut && e.Cuts
	return nil
}

// wake makes the disciplines of an interface hand on their frames again after their rate was raised: the kernel looks
// at a tbf only when its timer fires, which was set for the old rate, or when a frame enters. So wake sends frames,
// which reach no socket, and which their UDP ports spread over the TX queues. After an error the host's next frame
// wakes the discipline.
func wake(e HostEndState) {
	for n := range uint16(attempts * e.queues) {
		_ = sendFrames(e.index, pumpFrame(1024+n, discard), 1)
	}
}

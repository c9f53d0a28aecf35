package netif

import (
	"fmt"
	"time"

	"github.com/vishvananda/netlink"
)

// drained is the longest wait until the frames have left a queueing discipline that push back will delete.
// HostEnd.empty waits so long twice.
const drained = 100 * time.Millisecond

// putBack removes the queueing discipline and restores gso_max_segs of the other end of the veth, where nobody has
// changed them since. An end that was moved into another network namespace has lost its discipline by the move.
func (h *HostEnd) putBack() {
	const subject = "queueing discipline and gso_max_segs of the other end of the veth"
	err := atPeer(h.index, func(ifname string) error {
		e, err := readHostEnd(ifname)
		if err != nil {
			return err
		}
		if h.record.PeerQdisc {
			if err := h.putBackQdisc(e); err != nil {
				return err
			}
		}
		return h.putBackSegments(e)
	})
	switch {
	case err == nil:
	case h.cutAt > 0 && h.namespaceID() != h.changedAt && h.record.PeerSegments == nil:
		h.record.PeerQdisc = false
	default:
		h.logNotPutBack(subject, err)
	}
}

// putBackQdisc deletes the queueing discipline of the other end of the veth, whose state is e, if push back has added
// the discipline. First the waiting frames leave. If the host goes on sending, some frame always waits: then the
// discipline refuses and counts new frames until the others have left.
func (h *HostEnd) putBackQdisc(e HostEndState) (err error) {
	switch {
	case e.Ours:
		left, err := h.empty(e)
		if err != nil {
			return err
		}
		n, err := deleteQdisc(e.index, e.queues)
		if err != nil {
			return fmt.Errorf("delete the queueing discipline %s: %w", e.Qdisc, err)
		}
		h.drops.end(n + uint64(left))
		h.logPutBack(fmt.Sprintf("queueing discipline that the daemon had added at the other end of the veth, %s: removed",
			e.Name))
	case e.Qdisc != noQdisc:
		h.logLeft(fmt.Sprintf("queueing discipline of %s is %s", e.Name, e.Qdisc))
	}
	h.record.PeerQdisc = false
	return nil
}

// empty waits until the frames in the queueing discipline of the other end of the veth have left, first with the
// discipline open, then with a discipline that refuses new frames, each time for at most drained. It returns how many
// frames have not left, and are lost when the discipline is deleted.
func (h *HostEnd) empty(e HostEndState) (left int, err error) {
	longest, err := h.longest(e)
	if err != nil {
		return 0, err
	}
	for _, v := range []valve{valveOpen, valveRefuses} {
		if err := h.setValve(e, longest, v); err != nil {
			return 0, err
		}
		for end := time.Now().Add(drained); ; time.Sleep(drained / 100) {
			now, err := readHostEnd(e.Name)
			if err != nil {
				return 0, err
			}
			if left = now.Backlog; left == 0 || time.Now().After(end) {
				break
			}
		}
	}
	return left, nil
}

// Free gives the host's end of the veth its previous settings, after the frames there have left, or after 2 * drained
// at the latest. Meanwhile another goroutine may call Ask of the pumps, so that frames arrive no faster than the calls
// ask for. The caller must call PushBack.End afterwards, which ends the pumps.
func (h *HostEnd) Free() {
	if h.record.PeerQdisc || h.record.PeerSegments != nil {
		h.putBack()
		_ = h.save(&h.record)
	}
}

// Stuck returns how many frames wait in this process's queueing discipline at the other end of the veth and would be
// lost by Free: those that leave too slowly for the time that Free gives them. Stuck takes up to the time drained.
func (h *HostEnd) Stuck() (frames int) {
	first, err := h.State()
	if err != nil || !first.Ours {
		return 0
	}
	for end := time.Now().Add(drained); ; time.Sleep(drained / 20) {
		now, err := h.State()
		if err != nil || now.Outpaces(&first) {
			return 0
		}
		if time.Now().After(end) {
			return now.Backlog
		}
	}
}

// putBackSegments puts gso_max_segs of the other end of the veth back, unless somebody has changed it since.
func (h *HostEnd) putBackSegments(e HostEndState) error {
	s := h.record.PeerSegments
	switch {
	case s == nil:
	case e.Segments == s.Set:
		end := &netlink.Device{LinkAttrs: netlink.LinkAttrs{Index: e.index}}
		if err := netlink.LinkSetGSOMaxSegs(end, s.Before); err != nil {
			return fmt.Errorf("set gso_max_segs: %w", err)
		}
		h.logPutBack(fmt.Sprintf("gso_max_segs of the other end of the veth, %s, from %d to %d", e.Name, s.Set, s.Before))
	case e.Segments != s.Before:
		h.logLeft(fmt.Sprintf("gso_max_segs of %s is %d, and the daemon had set it to %d", e.Name, e.Segments, s.Set))
	}
	h.record.PeerSegments = nil
	return nil
}

package xsk

import (
	"errors"

	"uelink/bpf"
	"uelink/dataplane/frame"
)

// tagLen is the length of a VLAN tag, in octets.
const tagLen = 4

// tagged is the way of a Socket to send full frames with two VLAN tags by a veth whose other end has an MTU without
// room for the second tag: the outer tag leaves beside the frame, as from the kernel's own senders. The zero value
// sends nothing.
//
//  1. Transmit kicks the frames posted before, so that the order stays, and sends the frame by a call of its own.
//  2. The kernel has copied the frame at the end of the call: its slot is in done, for Completed.
type tagged struct {
	sender *bpf.TagSender
	plain  uint32   // octets of the longest frame that the other end takes with its tags inside
	done   []uint64 // slots of frames that have left
}

// SendTagged makes frames with a VLAN tag that exceed plain octets, by one tag at most, leave by sender; nil: no
// frames. The caller closes the TagSender, after another call of SendTagged or Close. Frames in several chunks leave as
// before.
func (s *Socket) SendTagged(sender *bpf.TagSender, plain int) {
	s.tagged.sender, s.tagged.plain = sender, uint32(plain)
	if s.tagged.done == nil {
		s.tagged.done = make([]uint64, 0, s.geometry.TX)
	}
}

// postTagged does the work of Transmit on a socket that has a TagSender: a frame that takes selects leaves by a call of
// the TagSender, after the frames before it; all others are posted. It returns how many frames were posted or have
// left.
func (s *Socket) postTagged(tx []frame.Desc) int {
	n, posted := min(len(tx), s.TxRoom()), 0 // tx[:posted] are posted, or have left
	for i := range tx[:n] {
		if !s.tagged.takes(tx[i], s.area) {
			continue
		}
		s.post(tx[posted:i])
		_ = s.Kick() // the next Kick returns the error again
		if posted = i; s.tagged.send(tx[i], s.area) {
			posted++
		}
	}
	s.post(tx[posted:n])
	return n
}

// takes reports whether a frame is too long for the other end with all its tags inside, and short enough with the outer
// tag beside it.
func (t *tagged) takes(d frame.Desc, area []byte) bool {
	return d.Len > t.plain && d.Len <= min(t.plain+tagLen, bpf.MostTagged) && len(t.done) < cap(t.done) &&
		hasTag(area[d.Addr:])
}

// hasTag reports whether a frame begins with a tag of IEEE 802.1Q, of a C-VLAN or an S-VLAN.
func hasTag(f []byte) bool {
	return f[12] == 0x81 && f[13] == 0x00 || f[12] == 0x88 && f[13] == 0xa8
}

// send sends a frame, and reports whether the frame has left its slot. A frame that the veth refuses has left, too; the
// veth counts it. If the kernel refuses the call, the frame is left to the TX ring, and the veth drops and counts the
// frame.
func (t *tagged) send(d frame.Desc, area []byte) bool {
	if err := t.sender.Send(area[d.Addr : d.Addr+uint64(d.Len)]); err != nil && !errors.Is(err, bpf.ErrNotSent) {
		return false
	}
	t.done = append(t.done, d.Addr)
	return true
}

// completed fills into with the slots of frames that have left, and returns their number.
func (t *tagged) completed(into []uint64) int {
	n := copy(into, t.done)
	t.done = t.done[:copy(t.done, t.done[n:])]
	return n
}

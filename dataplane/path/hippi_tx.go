package path

import (
	"time"

	"uelink/hippi"
	"uelink/wire"
	"uelink/wire/micropacket"
)

// suspendedPoll is the least time to the next service of a link that cannot send, such as while its sockets are
// reopened: its timers may be due already, and would keep the worker awake.
const suspendedPoll = time.Millisecond

// send hands a frame to the machine as a Message on a virtual channel, and puts its micropackets into frames as far as
// credit and window go. While the last Message of the channel has not left, the frame must wait. During a shutdown the
// machine takes the frame, and discards it. A frame too long for the channel is dropped, and counted at from, the
// ingress.
func (h *HIPPI) send(carried []byte, vc uint8, from *Port, now wire.Time) outcome {
	switch {
	case int64(len(carried)-wire.HeaderLen) > hippi.LongestMessage(vc) || len(carried) > len(h.out.staged[vc&3]):
		from.Counters.RxOversized++
		return dropped
	case h.busy(vc, now):
		return starved
	case !h.Port.Ready():
		return waits
	}
	m := hippi.FromFrame(h.out.staged[vc&3][:copy(h.out.staged[vc&3], carried)])
	if h.End.TransferRequest(vc, m, now) != nil {
		return waits // a Link Reset runs, or there is no signal
	}
	h.out.leaves |= 1 << (vc & 3)
	h.pump(now)
	h.confirm()
	return sent
}

// channelOf returns the virtual channel for a frame of n octets of a queue: the queue, but VC1 for a frame that is too
// long for VC0 (HIPPI-6400 §6.2), or would be with one VLAN tag more. Frames for VC3 go as those for VC0 until both
// ends allow VC3.
func (h *HIPPI) channelOf(queue uint8, n int) uint8 {
	if queue == 0 || queue == 3 && !h.End.VC3() {
		return hippi.ChannelOf(n + wire.VLANTagLen)
	}
	return queue
}

// busy tries to send more of the Message of a virtual channel, and reports whether a part of the Message has still not
// left. A waiting Admin micropacket of the administrator goes before the next Message.
func (h *HIPPI) busy(vc uint8, now wire.Time) bool {
	if h.out.leaves>>(vc&3)&1 != 0 {
		h.pump(now)
		h.confirm()
	}
	if h.admin.waiting>>(vc&3)&1 != 0 {
		h.offerAdmin(vc&3, now)
	}
	return h.out.leaves>>(vc&3)&1 != 0
}

// confirm reads the outcomes (Confirms) of Messages that were sent completely, or dropped by a Link Reset or a
// shutdown, so that their virtual channels can take the next frame.
func (h *HIPPI) confirm() {
	for vc := range uint8(hippi.VCs) {
		if h.out.leaves>>vc&1 == 0 {
			continue
		}
		if _, ok := h.End.TransferConfirm(vc); ok {
			h.out.leaves &^= 1 << vc
			h.Port.egress.shut &^= 1 << vc
		}
	}
}

// serve runs the machine's timers, and sends what is due before new frames: retransmissions, and the rest of Messages.
// It also lets the frames get shorter or longer (lengthFinder.look). It returns the number of frames of micropackets
// that were posted.
func (h *HIPPI) serve(now wire.Time) (n int) {
	h.End.Expire(now)
	h.recover(now)
	for vc := range uint8(hippi.VCs) {
		if h.admin.waiting>>vc&1 != 0 {
			h.offerAdmin(vc, now)
		}
	}
	if retries := h.End.Source().Retries(); retries > 0 || h.out.length.good > 0 {
		h.out.length.look(retries, h.longest(), lengthPatience*h.End.ACKTimeout(), now)
	} else {
		h.out.length.retries = 0
	}
	if h.Port.Ready() {
		before := h.count.TxMicropacketFrames
		h.pump(now)
		n = int(h.count.TxMicropacketFrames - before)
	}
	h.confirm()
	return n
}

// served sends, at the end of a round, everything that is due and was not sent with Messages: credits, ACK
// indications and link control. The open frame of micropackets is posted, however few it has.
func (h *HIPPI) served(now wire.Time) {
	if !h.Port.Ready() {
		return
	}
	for h.begin() && h.End.Transmit(now, &h.out.scrap) {
		h.put()
	}
	h.leave()
	h.confirm()
}

// pump puts micropackets of Messages and retransmissions into frames until credit, window or TX room are used up.
func (h *HIPPI) pump(now wire.Time) {
	for h.End.Pending(now) && h.begin() {
		n := h.End.TransmitBurst(now, h.out.open[micropacket.FrameLen(h.out.filled,
			false):micropacket.FrameLen(h.out.most, false)])
		h.out.asks = h.out.asks || n > 0
		if h.out.filled += n; h.out.filled >= h.out.most {
			h.leave()
		} else if n == 0 {
			return
		}
	}
}

// begin opens a frame of micropackets unless one is open, and reports whether one is open now. A port that is not
// ready opens none: served posts frames of ready ports only, and a frame left open would keep a chunk of devices that
// may be closed.
func (h *HIPPI) begin() bool {
	if h.out.open != nil {
		return true
	}
	if !h.Port.Ready() {
		return false
	}
	if h.Port.txRoom() == 0 {
		h.Port.blocked = true
		return false
	}
	h.out.into, h.out.open = h.Port.slot()
	h.out.filled, h.out.most, h.out.asks = 0, h.perFrame(), false
	return true
}

// put adds the micropacket in field scrap to the open frame of micropackets, and posts the frame if it is full.
func (h *HIPPI) put() {
	h.out.asks = h.out.asks || h.out.scrap.Control.Type().Sequenced()
	h.out.scrap.Put(micropacket.At(h.out.open, h.out.filled))
	if h.out.filled++; h.out.filled >= h.out.most {
		h.leave()
	}
}

// lengthPatience is the least time for which longer frames are tried, in ACK timeouts: longer than the retransmissions
// that would end a failed trial take.
const lengthPatience = 20

// perFrame returns the most micropackets of a frame, at least 1.
func (h *HIPPI) perFrame() int { return h.out.length.most(h.longest()) }

// longest returns the number of micropackets that a frame of the interface holds, at least 1.
func (h *HIPPI) longest() int {
	return max(1, micropacket.InFrame(min(h.Port.iface.maxFrame, h.Port.MTU+wire.HeaderLen), h.Port.settings.FCS))
}

// leave posts the open frame of micropackets, or frees the frame's TX slot if the frame is empty. During a trial of
// longer frames the frame is padded to the tried length.
func (h *HIPPI) leave() {
	if h.out.open == nil {
		return
	}
	chunk := h.out.open
	if h.out.open = nil; h.out.filled == 0 {
		h.Port.Slots.pool.Give(h.out.into)
		return
	}
	for h.out.length.trying && h.out.asks && h.out.filled < h.out.most {
		h.End.Pad(&h.out.scrap)
		h.out.scrap.Put(micropacket.At(chunk, h.out.filled))
		h.out.filled++
	}
	outer := wire.AddressesOf(h.destination(), h.Port.iface.mac)
	n := micropacket.PutFrame(chunk, &outer, h.Port.settings.EtherTypeData, h.End.FrameHead(h.out.filled,
		h.Port.settings.FCS))
	h.Port.Slots.state[h.out.into].len = uint32(n)
	h.count.TxMicropacketFrames++
	h.out.length.sent(h.out.asks && h.out.filled >= h.perFrame())
	h.Port.post(h.out.into)
}

// destination returns where frames go: to the configured partner, to the partner heard in Normal, else to the group
// address of addressed links.
func (h *HIPPI) destination() wire.MAC {
	switch {
	case h.Port.settings.Partner != wire.MAC{}:
		return h.Port.settings.Partner
	case h.End.Ready() && h.partner != wire.MAC{}:
		return h.partner
	}
	return wire.DiscoveryDA
}

// deadline returns when the machine's next timer expires, or the next Link Reset out of a shutdown is due; while the
// port cannot send, not before suspendedPoll is over.
func (h *HIPPI) deadline(now wire.Time) wire.Time {
	at := min(h.End.Deadline(), h.recoverAt)
	if !h.Port.Ready() {
		at = max(at, now.Add(suspendedPoll))
	}
	return at
}

// recover begins a Link Reset of a shut-down link whenever one is due by the setting recover.
func (h *HIPPI) recover(now wire.Time) {
	every := h.Port.settings.HIPPI.Recover
	if every == 0 || h.End.State() != hippi.Shutdown {
		h.recoverAt = wire.Never
		return
	}
	if h.recoverAt == wire.Never {
		h.recoverAt = now.Add(every)
	}
	if now < h.recoverAt {
		return
	}
	h.recoverAt = now.Add(every)
	if h.End.ControlRequest(hippi.CommandReset, now) == nil {
		h.count.Recoveries++
	}
}

// Command runs a command of the administrator: a Link Reset, an Initialize, or to clear the logged events. Errors are
// those of hippi.Link.ControlRequest.
func (h *HIPPI) Command(c hippi.Command, now wire.Time) error { return h.End.ControlRequest(c, now) }

package path

import (
	"encoding/hex"
	"fmt"

	"uelink/dataplane/model"
	"uelink/hippi"
	"uelink/internal/events"
	"uelink/wire"
)

// adminKept is how many received Admin micropackets wait for their event. Those beyond are only counted.
const adminKept = 8

// admin is the Admin micropackets of a link: those of the administrator that wait for their virtual channel, and
// received ones that no event has reported yet.
type admin struct {
	waiting uint8 // virtual channels with a micropacket to send, as a bitmap
	data    [hippi.VCs]model.AdminData

	buffer [adminKept]adminReceived
	n      int    // received ones in buffer
	unkept uint64 // received since the last report, and not kept
}

// adminReceived is a received Admin micropacket.
type adminReceived struct {
	vc   uint8
	good bool // received without an error
	data model.AdminData
}

// received keeps an Admin micropacket that has arrived on a virtual channel, to be reported as an event.
func (a *admin) received(vc uint8, data model.AdminData, status hippi.Status) {
	if a.n == adminKept {
		a.unkept++
		return
	}
	a.buffer[a.n] = adminReceived{vc, status.Good(), data}
	a.n++
}

// report publishes an event for each Admin micropacket received and kept since the last report, a warning for a damaged
// one, and one event with the number of those not kept.
func (a *admin) report(hub *model.Hub, port string) {
	for _, r := range a.buffer[:a.n] {
		level, text := events.Info, ""
		if !r.good {
			level, text = events.Warning, ", damaged on its way"
		}
		kind := map[uint8]string{1: "command", 2: "response"}[r.vc]
		if kind == "" {
			kind = "micropacket"
		}
		hub.PublishAt(level, port, model.EventAdmin,
			fmt.Sprintf("Admin %s on VC%d%s: %s", kind, r.vc, text, hex.EncodeToString(r.data[:])))
	}
	if a.unkept > 0 {
		hub.PublishAt(events.Warning, port, model.EventAdmin, fmt.Sprintf("%d more Admin micropackets came in quick "+
			"succession, and are only counted (rx_admin)", a.unkept))
	}
	a.n, a.unkept = 0, 0
}

// SendAdmin sends an Admin micropacket: a command on VC1, or a response on VC2. The micropacket leaves after the frame
// that the virtual channel is sending now, and before all other frames of the channel. Errors: hippi.ErrNotReady;
// hippi.ErrTurn while an earlier Admin micropacket waits.
func (h *HIPPI) SendAdmin(vc uint8, data model.AdminData, now wire.Time) error {
	vc &= 3
	switch {
	case !h.End.Ready():
		return hippi.ErrNotReady
	case h.admin.waiting>>vc&1 != 0:
		return hippi.ErrTurn
	}
	h.admin.waiting |= 1 << vc
	h.admin.data[vc] = data
	h.offerAdmin(vc, now)
	return nil
}

// offerAdmin hands the Admin micropacket that waits for a virtual channel to the machine, if the channel is free. A
// link that is not in Normal drops it.
// Clauses: HIPPI-6400/fields.10.
func (h *HIPPI) offerAdmin(vc uint8, now wire.Time) {
	if h.out.leaves>>vc&1 != 0 {
		return
	}
	h.admin.waiting &^= 1 << vc
	if h.End.AdminRequest(vc, &h.admin.data[vc], now) == nil {
		h.out.leaves |= 1 << vc
	}
}

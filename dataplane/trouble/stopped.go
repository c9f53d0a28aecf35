package trouble

import (
	"fmt"
	"time"

	"uelink/dataplane/model"
)

// stillChecks is the number of checks in a row, one a second, without a departed frame before a NIC is restarted. The
// kernel restarts NICs too, for its own frames after 5 s or more, and comes first where it notices.
const stillChecks = 8

// departures checks whether frames passed to a NIC leave the NIC.
type departures struct {
	departed  uint64 // frames departed until the last check
	checks    int    // checks in a row without a departure although frames wait
	restarted bool   // the NIC was restarted after such checks
}

// update records how many frames wait to leave and how many have left so far. It returns true if frames wait and none
// has left for stillChecks calls: the NIC must be restarted. It does so once, until a frame has left.
func (d *departures) update(waiting int, departed uint64) (stands bool) {
	if waiting == 0 || departed != d.departed {
		*d = departures{departed: departed}
		return false
	}
	d.checks++
	if d.restarted || d.checks < stillChecks {
		return false
	}
	d.restarted = true
	return true
}

// deafAfter is how long nothing must come from a partner that sends each second, before the NIC is restarted. deafAfter
// is longer than the restart of the partner's NIC: 5 s, and up to 11 s after a reset.
const deafAfter = 15 * time.Second

// hearing checks whether a NIC still receives a partner that sends each second (STATION). spoke: the partner has sent
// since the last restart for silence.
type hearing struct{ spoke bool }

// update records whether the partner is known to send (speaks), and for how long nothing was received. It returns true
// if the NIC seems to receive nothing and must be restarted: once, until a frame of the partner arrives again.
func (h *hearing) update(speaks bool, silence time.Duration) (deaf bool) {
	if silence < deafAfter {
		h.spoke = h.spoke || speaks
		return false
	}
	deaf, h.spoke = h.spoke, false
	return deaf
}

// Traffic is the frames that a NIC has sent and received.
type Traffic struct {
	Waiting  int           // frames passed to the NIC that have not left it
	Departed uint64        // frames that have left it so far
	Speaks   bool          // the partner is known to send each second
	Silence  time.Duration // time since the last received frame
}

// CheckTraffic returns in words why the NIC must be restarted, because it sends nothing or receives nothing; "" if it
// works. It is called once a second. The caller restarts the NIC, and calls Restarted.
func (m *Monitor) CheckTraffic(t Traffic) (cause string) {
	stands, deaf := m.departures.update(t.Waiting, t.Departed), m.hearing.update(t.Speaks, t.Silence)
	switch {
	case stands:
		return fmt.Sprintf("%d frames wait in the NIC, and none has left it for %d s: was the NIC "+
			"reset?", t.Waiting, stillChecks)
	case deaf:
		return fmt.Sprintf("The NIC has received nothing for %v, and the partner sends each second: was the NIC reset, "+
			"or is the partner gone?", deafAfter)
	}
	return ""
}

// ResetTraffic forgets silence and waiting frames while the interface is down: no frame can leave or arrive.
func (m *Monitor) ResetTraffic() { m.departures.checks, m.hearing.spoke = 0, false }

// Restarted records that the NIC was restarted, for a cause of CheckTraffic, by an action in words, or could not be,
// for err.
func (m *Monitor) Restarted(cause, action string, err error) {
	if err != nil {
		m.Notify(model.NoticeNIC, fmt.Sprintf("%s The NIC cannot be restarted: %v", cause, err))
		return
	}
	m.Notify(model.NoticeNIC, cause+" "+action+", which restarts the NIC")
}

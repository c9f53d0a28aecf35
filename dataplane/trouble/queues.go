package trouble

import (
	"fmt"

	"uelink/dataplane/attach"
)

// quietChecks is the number of checks in a row without a frame on a queue without a socket, after which the trouble
// ends.
const quietChecks = 10

// uncaught detects frames that arrive by RX queues without a socket.
type uncaught struct {
	counts []uint64      // frames by RX queue, at the last check; nil: no check yet
	queues attach.Queues // queues of such frames since the trouble was reported
	quiet  int           // checks since the last such frame
}

// update compares the frames counted by RX queue with the last call's counts, and reports whether frames have arrived
// by a queue that is not in sockets, the queues with a socket. Frames before the first call arrived before the sockets
// were open.
func (u *uncaught) update(counts []uint64, sockets attach.Queues) (arrived bool) {
	for queue := range u.counts {
		if counts[queue] != u.counts[queue] && !sockets.Contains(queue) {
			u.queues.Add(queue, queue)
			arrived = true
		}
	}
	u.counts = counts
	if u.quiet++; arrived {
		u.quiet = 0
	}
	return arrived
}

// CheckQueues compares the frames that arrived by each RX queue of an interface and found no socket with those of the
// last call; sockets is the queues with a socket. It reports whether frames arrive by other queues. The caller then
// reads further facts, which takes a while, and begins the trouble by BeginQueues. CheckQueues itself ends the trouble.
func (m *Monitor) CheckQueues(counts []uint64, sockets attach.Queues) (arrived bool) {
	u := &m.uncaught
	if u.update(counts, sockets) {
		return true
	}
	if u.quiet >= quietChecks {
		u.queues = attach.Queues{}
		m.End(RxQueues, "no frames come by RX queues without a socket any more")
	}
	return false
}

// QueueCommands is how the frames of an interface could arrive by its queues with a socket alone.
type QueueCommands struct {
	Steer string // command that steers frames to these queues; "": the NIC cannot
	Fewer string // advice, with the command, to use only as many queues as there are sockets (on the first queues)
}

// BeginQueues begins the trouble of frames that arrive by RX queues without a socket. total is the interface's number
// of queues.
func (m *Monitor) BeginQueues(total int, sockets attach.Queues, c QueueCommands) {
	cure := "add these RX queues to the key queues, or "
	switch {
	case c.Steer != "":
		cure += "type: " + c.Steer
	case sockets == attach.FirstQueues(len(sockets.List())):
		cure += c.Fewer
	default:
		cure += "put the sockets on queue 0 and up, and have the interface use only as many queues (ethtool -L)"
	}
	m.Begin(RxQueues, fmt.Sprintf("frames come by RX queues that have no socket (%v), and go to the host's network: the "+
		"interface has %d RX queues, and the sockets are on %v (key queues): %s", m.uncaught.queues, total, sockets, cure))
}

// ResetQueues ends the trouble of frames without a socket without a notice: every queue has a socket, or the settings
// name other queues.
func (m *Monitor) ResetQueues() { m.uncaught, m.texts[RxQueues] = uncaught{}, "" }

// UncaughtQueues returns the RX queues without a socket by which frames arrive.
func (m *Monitor) UncaughtQueues() attach.Queues { return m.uncaught.queues }

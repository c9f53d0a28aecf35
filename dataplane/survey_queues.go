package dataplane

import (
	"fmt"

	"uelink/dataplane/attach"
	"uelink/dataplane/ethtool"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
)

// surveyQueues reopens the sockets, one for each RX queue, when the number of RX queues has changed. Where the
// settings choose the queues with sockets, it reports frames that arrive by other queues.
func (g *group) surveyQueues(a *attachment) {
	have, err := a.host.owned.RxQueues()
	if err != nil {
		return
	}
	was := len(a.host.sockets)
	if a.settings.Queues.Empty() && have != was {
		if g.renew(a, func() error { return a.host.reopen(a.geometry()) }) {
			g.notice(a, model.NoticeQueues, fmt.Sprintf("the RX queues were changed from %d to %d (ethtool -L): the sockets "+
				"are opened anew, one for each", was, have))
		}
		return
	}
	g.surveyUncaught(a, have)
}

// quietLooks is the number of checks in a row without a frame on a queue without a socket, after which the problem
// ends.
const quietLooks = 10

// uncaught detects frames that arrive by RX queues without a socket.
type uncaught struct {
	counts []uint64      // by RX queue, at the last check; nil: no check yet
	queues attach.Queues // queues of such frames since the problem was reported
	quiet  int           // checks since the last such frame
}

// look compares the frames counted by RX queue with the last call's counts, and reports whether frames have come
// by a queue that is not in with, the queues with a socket. Frames before the first call came before the sockets
// were open.
func (u *uncaught) look(counts []uint64, with attach.Queues) (came bool) {
	for queue := range u.counts {
		if counts[queue] != u.counts[queue] && !with.Contains(queue) {
			u.queues.Add(queue, queue)
			came = true
		}
	}
	u.counts = counts
	if u.quiet++; came {
		u.quiet = 0
	}
	return came
}

// surveyUncaught reports a problem while frames arrive by RX queues without a socket, and its end.
func (g *group) surveyUncaught(a *attachment, have int) {
	if have <= len(a.host.sockets) {
		a.uncaught = uncaught{}
		a.faults[troubleQueues] = ""
		return
	}
	counts, err := a.host.program.NoSocket()
	if err != nil {
		return
	}
	switch u := &a.uncaught; {
	case u.look(counts, a.host.queues()):
		g.trouble(a, troubleQueues, a.host.uncaughtText(u.queues, have))
	case u.quiet >= quietLooks:
		u.queues = attach.Queues{}
		g.over(a, troubleQueues, "no frames come by RX queues without a socket any more")
	}
}

// fewerQueues returns in words, with the command, how the interface gets frames by its first n RX queues alone. A veth
// gets them by the TX queues of its other end, and has to have as many RX queues as these while a program is on it.
func (h *host) fewerQueues(n int) string {
	if h.owned.IsVeth() {
		return fmt.Sprintf("have the other end of the veth send by no more queues than that: ethtool -L IF tx %d there", n)
	}
	return "have the interface use no more queues; type: " + ethtool.SteeringOf(h.settings.Interface).SetQueues(
		h.settings.Interface, n)
}

// uncaughtText returns the problem text of frames that arrive by RX queues without a socket, with the next step; have
// is the interface's number of queues.
func (h *host) uncaughtText(by attach.Queues, have int) string {
	name, with := h.settings.Interface, h.queues()
	do := "name these in queues, too, or "
	line := netif.Steer(name, ethtool.SteeringOf(name), with, h.txQueue(), h.settings.OwnEtherTypes()...)
	switch n := len(with.List()); {
	case line != "":
		do += "type: " + line
	case with == attach.FirstQueues(n):
		do += h.fewerQueues(n)
	default:
		do += "put the sockets on the first queues, and have the interface use no more than these (ethtool -L)"
	}
	return fmt.Sprintf("frames come by RX queues that have no socket (%v), and go to the host's network: the interface "+
		"has %d RX queues, and sockets are on %v (queues): %s", by, have, with, do)
}

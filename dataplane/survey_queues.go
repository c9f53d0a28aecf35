package dataplane

import (
	"fmt"

	"uelink/dataplane/ethtool"
	"uelink/dataplane/netif"
)

// surveyQueues opens a socket for each RX queue when their number has changed. Where the
// settings name those that get one, it tells when frames come by others.
func (g *group) surveyQueues(a *attachment) {
	have, err := a.host.owned.RxQueues()
	if err != nil {
		return
	}
	was := len(a.host.sockets)
	if a.settings.Queues.Empty() && have != was {
		if g.renew(a, func() error { return a.host.reopen(a.geometry()) }) {
			g.notice(a, NoticeQueues, fmt.Sprintf("the RX queues were changed from %d to %d (ethtool -L): the sockets are "+
				"opened anew, one for each", was, have))
		}
		return
	}
	g.surveyUncaught(a, have)
}

// quietLooks is how many looks that have seen no frame without a socket end the fault that tells of them.
const quietLooks = 10

// uncaught is what was seen of frames that found no socket.
type uncaught struct {
	counts []uint64     // by RX queue, as of the last look; nil: there was none
	queues netif.Queues // by which some came, since the fault is told
	quiet  int          // looks since the last one came
}

// look takes the counts by RX queue and tells whether frames have come since the last look by one that is not among
// those with a socket. What came before the first look came before the sockets were there.
func (u *uncaught) look(counts []uint64, with netif.Queues) (came bool) {
	for queue := range u.counts {
		if counts[queue] != u.counts[queue] && !with.Has(queue) {
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

// surveyUncaught tells that frames come by RX queues that have no socket, and when that is over.
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
		u.queues = netif.Queues{}
		g.over(a, troubleQueues, "no frames come by RX queues without a socket any more")
	}
}

// uncaughtText is that frames come by RX queues without a socket, of so many that the interface has, and what to do.
func (h *host) uncaughtText(by netif.Queues, have int) string {
	name, with := h.settings.Interface, h.queues()
	do := "name these in queues, too, "
	if line := netif.Steer(name, ethtool.SteeringOf(name), with, h.txQueue(), h.settings.OwnEtherTypes()...); line != "" {
		do += "or type: " + line
	} else {
		do += "or have the interface use fewer queues (ethtool -L " + name + ")"
	}
	return fmt.Sprintf("frames come by RX queues that have no socket (%v), and go to the host's network: the interface "+
		"has %d RX queues, and sockets are on %v (queues): %s", by, have, with, do)
}

// OwnEtherTypes is the EtherTypes of a link's own frames; an edge has none.
func (s *PortSettings) OwnEtherTypes() []uint16 {
	if s.Role != RoleLink {
		return nil
	}
	return []uint16{s.EtherTypeData, s.EtherTypeControl}
}

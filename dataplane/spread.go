package dataplane

import (
	"fmt"

	"uelink/dataplane/frame"
	"uelink/wire"
)

// Data of a link has to come by one RX queue: what comes by several overtakes each other, and LLR takes the gaps for
// losses and has frames sent again. A partner sends by its first queue, and a NIC has nothing in a frame of a link to
// spread it by: RSS looks at IP headers. So this is watched, and told where it is not so.

// spread counts when data frames begin to come by another RX queue than before.
func (l *link) spread(s *source, data []frame.Desc) {
	for _, d := range data {
		if wire.EtherType(s.area[d.Addr:]) != l.settings.EtherTypeData {
			continue
		}
		if l.dataFrom != nil && l.dataFrom != s {
			l.counters.RxQueueChanges++
		}
		l.dataFrom = s
		return
	}
}

// fewChanges is how many changes of the RX queue between two looks are no trouble: a NIC whose queues were changed has
// one, and a partner that has opened its sockets anew another.
const fewChanges = 4

// surveySpread tells that the data of a link comes by several RX queues.
func (g *group) surveySpread(a *attachment) {
	if a.settings.Role != RoleLink {
		return
	}
	var now uint64
	g.worker.do(func(int64) { now = a.port.counters.RxQueueChanges })
	was := min(a.changes, now) // less if the counters were cleared
	a.changes = now
	if now-was <= fewChanges {
		g.over(a, troubleSpread, "the data of the link comes by one RX queue")
		return
	}
	name := a.settings.Interface
	g.trouble(a, troubleSpread, fmt.Sprintf("the data of the link comes by several RX queues (rx_queue_changes), and "+
		"frames overtake each other, which LLR takes for losses: have the NIC put EtherType %#04x into one queue "+
		"(ethtool -N %s flow-type ether proto %#04x action %d), or give it one queue (ethtool -L %s combined 1)",
		a.settings.EtherTypeData, name, a.settings.EtherTypeData, a.host.txQueue(), name))
}

package dataplane

import (
	"fmt"

	"uelink/dataplane/ethtool"
	"uelink/wire"
)

// Data of a link must arrive by one RX queue. Frames of several queues overtake each other, and LLR takes the gaps for
// losses and asks for replays. A partner sends by its first queue, and a NIC finds nothing in a link frame to spread
// by, because RSS looks at IP headers. The survey reports data that arrives by several queues all the same.

// fewChanges is the number of changes of the RX queue between two checks that is no problem: a change of the NIC's
// queues causes one change, a partner that reopens its sockets another.
const fewChanges = 4

// surveySpread reports a problem while the data frames of a link arrive by several RX queues, so that they
// overtake each other, and its end.
func (g *group) surveySpread(a *attachment) {
	if a.port.Link == nil {
		return
	}
	var now uint64
	g.worker.Do(func(wire.Time) { now = a.port.Counters.RxQueueChanges })
	was := min(a.changes, now) // less if the counters were cleared
	a.changes = now
	if now-was <= fewChanges {
		g.over(a, troubleSpread, "the data of the link comes by one RX queue")
		return
	}
	name := a.ifname()
	do := ""
	if ethtool.SteeringOf(name).Rules {
		do = fmt.Sprintf("have the NIC put EtherType %#04x into one queue (ethtool -N %s flow-type ether proto %#04x action "+
			"%d), or ", a.settings.EtherTypeData, name, a.settings.EtherTypeData, a.host.txQueue())
	}
	g.trouble(a, troubleSpread, fmt.Sprintf("the data of the link comes by several RX queues (rx_queue_changes), and "+
		"frames overtake each other, which LLR takes for losses: %s%s", do, a.host.fewerQueues(1)))
}

package path

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
	"uelink/dataplane/trouble"
	"uelink/internal/events"
	"uelink/wire"
)

// dropsLast is the time without a dropped frame after which a port's drops are over, in nanoseconds.
const dropsLast = 1e9

// mistakesLast takes the place of dropsLast for drops that a mistake of the configuration causes, in nanoseconds: all
// frames of a host that tries once a second are dropped.
const mistakesLast = 10e9

// dropsEvery is the time between two checks for drops.
const dropsEvery = time.Millisecond

// drops holds the state of each kind of frame drops at a port.
type drops struct {
	leaving  trouble.Dropping // drops because the port's queues are full
	entering trouble.Dropping // drops because all chunks in which received frames may wait are in use
	long     trouble.Dropping // drops because frames do not fit the link, or the edge, of their egress
	changed  trouble.Dropping // drops because frames kept for a replay have changed in memory
	linkEnd  trouble.Dropping // drops of frames with an EtherType of the link, received by an edge
	vlan     trouble.Dropping // drops of frames that came in by a link in a VLAN that the port is not in
	noVLAN   uint64           // number of frames dropped as in vlan
	lastVLAN uint16           // VLAN of the last frame dropped as in vlan; 0: none
}

// reportDrops publishes an event, with cause and cure, when the port begins to drop frames of a kind, and one when that
// is over.
func (p *Port) reportDrops(h *model.Hub, now wire.Time) {
	d, c := &p.findings.drops, &p.Counters
	p.reportDrop(h, now, &d.leaving, c.TxDropQueueFull, dropsLast, "tx_drop_queue_full", (*Port).leavingText)
	p.reportDrop(h, now, &d.entering, c.RxDropNoBuffer, dropsLast, "rx_drop_no_buffer", (*Port).enteringText)
	p.reportDrop(h, now, &d.long, c.RxOversized, dropsLast, "rx_oversized", (*Port).longText)
	p.reportDrop(h, now, &d.changed, c.TxDropChanged, dropsLast, "tx_drop_changed", (*Port).changedText)
	p.reportDrop(h, now, &d.linkEnd, c.RxOwnEtherType, mistakesLast, "rx_own_ethertype", (*Port).linkEndText)
	p.reportDrop(h, now, &d.vlan, d.noVLAN, mistakesLast, "rx_drop_vlan", (*Port).vlanText)
}

// reportDrop publishes an event when frames of one kind begin to be dropped, and when none has been dropped for the
// time last. count is the value of the port's counter with the name counter; text returns the text of the first event.
func (p *Port) reportDrop(h *model.Hub, now wire.Time, d *trouble.Dropping, count uint64, last int64, counter string,
	text func(*Port) string,
) {
	switch began, over := d.Changes(count, int64(now), last); {
	case began:
		h.Publish(p.settings.Name, model.EventDrops, text(p))
	case over:
		h.PublishAt(events.Info, p.settings.Name, model.EventDrops, fmt.Sprintf("over: frames are no longer dropped (%s); "+
			"%d were dropped", counter, d.Lost()))
	}
}

// dropsText returns in words which frames the port drops now, why, and the cure; which queues SAI has stopped; and
// which IPv4 addresses two hosts use. It returns "" if there are none.
func (p *Port) dropsText() string {
	var all [8]string
	if p.findings.drops.leaving.Now {
		all[0] = p.leavingText()
	}
	if p.findings.drops.entering.Now {
		all[1] = p.enteringText()
	}
	if p.findings.drops.long.Now {
		all[2] = p.longText()
	}
	if p.findings.drops.changed.Now {
		all[3] = p.changedText()
	}
	if p.findings.drops.linkEnd.Now {
		all[4] = p.linkEndText()
	}
	all[5] = stopsText(p.settings.Stops)
	if p.findings.drops.vlan.Now {
		all[6] = p.vlanText()
	}
	all[7] = p.findings.conflicts
	return strings.Join(slices.DeleteFunc(all[:], func(s string) bool { return s == "" }), "; ")
}

// leavingText returns the problem text, with cure, of frames dropped because the port's queues are full.
func (p *Port) leavingText() string {
	return "frames to be sent by this port are dropped: more come than can leave (tx_drop_queue_full): have their " +
		"senders send less (a window of TCP, PFC), or, if they come in bursts, raise rx_ring_size of the ports by which " +
		"they come in, and queue_octets of a virtual channel that has one"
}

// enteringText returns the problem text, with cure, of frames received by the port and dropped for want of room to
// wait.
func (p *Port) enteringText() string {
	return fmt.Sprintf("frames received by this port are dropped: too many wait to leave by other ports "+
		"(rx_drop_no_buffer): have their senders send less (a window of TCP, PFC), or, if they come in bursts, raise "+
		"rx_ring_size of %s",
		p.settings.Name)
}

// longText returns the problem text, with cure, of frames received by the port and dropped because they are too
// long for the port they leave by.
func (p *Port) longText() string {
	text := "frames received by this port are dropped: the port they have to leave by carries only shorter ones " +
		"(rx_oversized): "
	if p.Other != nil {
		text = fmt.Sprintf("frames received by this port are dropped: port %s carries only shorter ones (rx_oversized): ",
			p.Other.settings.Name)
	}
	return text + "lower the MTU of their senders, or raise the MTU of that port and its wire"
}

// changedText returns the problem text, with cure, of frames dropped because their copy for replays has changed.
func (*Port) changedText() string { return changedText }

// linkEndText returns the problem text of frames of a link that come in by an edge.
func (*Port) linkEndText() string { return linkEndText }

// changedText is the problem text, with cure, of frames dropped because their copy for replays has changed.
const changedText = "frames kept for a replay have changed in memory, and are dropped (tx_drop_changed): the memory " +
	"of this host may be faulty, or a driver writes where it should not: look for EDAC and MCE in journalctl -k, and " +
	"test the memory"

// linkEndText is the problem text of frames of a link that come in by an edge.
const linkEndText = "frames come in with an EtherType of the link, and are dropped (rx_own_ethertype): is a link " +
	"port of uelink at the other end of this edge, because the interfaces of an edge and a link are exchanged here or " +
	"there? Or does the host use the EtherType?"

// vlanText returns the problem text, with cause and cure, of frames that came in by a link in a VLAN that the port is
// not in.
func (p *Port) vlanText() string {
	return fmt.Sprintf("frames come in that this bridge drops (rx_drop_vlan): the bridge at the other end has them in "+
		"VLAN %d, and this port is not in it: add the VLAN to the port here, or take it from the other end's port",
		p.findings.drops.lastVLAN)
}

// dropsReasons returns the present drops of frames as words for programs: queue full, no buffer, oversized, changed,
// link frames, VLAN, an IP address used twice, queue stopped.
func (p *Port) dropsReasons() (list []string) {
	d := &p.findings.drops
	for _, c := range []struct {
		now    bool
		reason string
	}{{d.leaving.Now, ReasonQueueFull}, {d.entering.Now, ReasonNoBuffer}, {d.long.Now, ReasonOversized},
		{d.changed.Now, ReasonChanged}, {d.linkEnd.Now, ReasonLinkFrames},
		{d.vlan.Now, ReasonVLAN}, {p.findings.conflicts != "", ReasonConflict},
		{p.settings.Stops != model.QueueStops{}, ReasonQueueStopped}} {
		if c.now {
			list = append(list, c.reason)
		}
	}
	return list
}

// Why a port drops frames, in words that programs compare (dropsReasons). The function named at each word returns the
// text for people.
const (
	ReasonQueueFull = "queue_full" // text by leavingText
	ReasonNoBuffer  = "no_buffer"  // text by enteringText
	ReasonOversized = "oversized"  // text by longText
	ReasonChanged   = "changed"    // text by changedText

	ReasonLinkFrames = "link_frames" // text by linkEndText
	ReasonVLAN       = "vlan"        // text by vlanText
	ReasonConflict   = "ip_conflict" // text by conflicts.text

	ReasonQueueStopped = "queue_stopped" // text by stopsText: a client of SAI has stopped or closed a queue
)

// noteBridgeDrop counts frames that the bridge drops by a mistake of configuration: control frames of a link that come
// in by an edge, and frames that come in by a link in a VLAN that the port is not in.
func (p *Port) noteBridgeDrop(f []byte, v *bridge.Verdict) {
	switch {
	case v.Drop == bridge.DropVLAN && p.link != nil:
		p.findings.drops.noVLAN++
		p.findings.drops.lastVLAN = v.VLAN
	case v.Drop == bridge.DropReserved && p.link == nil && wire.MAC(f) == wire.ControlDA && wire.LooksLikeControl(f):
		p.Counters.RxOwnEtherType++
	}
}

package dataplane

import (
	"fmt"
	"slices"
	"strings"
)

// dropsLast is the time without a dropped frame after which a port's drops are over, in nanoseconds.
const dropsLast = 1e9

// dropsEvery is the time between two checks for drops.
const dropsEvery = 1e6 // ns

// drops holds the state of each kind of drops of a port: for want of room, or because frames are too long.
type drops struct {
	leaving  dropping // drops because the port's queues are full
	entering dropping // drops because all chunks in which received frames may wait are in use
	long     dropping // drops because frames do not fit the link, or the edge, of their egress
}

// dropping detects the begin and the end of one kind of drops. Times are in any unit.
type dropping struct {
	from uint64 // the counter before frames began to be dropped
	seen uint64 // the counter at the last check
	at   int64  // time of the last check that found a drop
	now  bool   // frames are being dropped: quiet has not passed since the last
}

// look compares count with the last check's, and reports whether drops have begun since. Drops end when more than quiet
// has passed without a drop.
func (d *dropping) look(count uint64, now, quiet int64) (began bool) {
	switch {
	case count < d.seen: // cleared
		d.seen, d.from = count, count
	case count > d.seen:
		if began = !d.now; began {
			d.from = d.seen
		}
		d.seen, d.at, d.now = count, now, true
	case d.now && now-d.at > quiet:
		d.now = false
	}
	return began
}

// lost returns the number of frames dropped since the drops began.
func (d *dropping) lost() uint64 { return d.seen - d.from }

// reportDrops emits an event for each port that has begun to drop frames.
func (d *domain) reportDrops(h *hub, now int64) {
	for _, p := range d.ports {
		if p != nil {
			p.reportDrops(h, now)
		}
	}
}

// reportDrops emits an event when the port begins to drop frames.
func (p *port) reportDrops(h *hub, now int64) {
	d, c := &p.drops, &p.counters
	if d.leaving.look(c.TxDropQueueFull, now, dropsLast) {
		h.emit(p.settings.Name, EventDrops, p.leavingText())
	}
	if d.entering.look(c.RxDropNoBuffer, now, dropsLast) {
		h.emit(p.settings.Name, EventDrops, p.enteringText())
	}
	if d.long.look(c.RxOversized, now, dropsLast) {
		h.emit(p.settings.Name, EventDrops, p.longText())
	}
}

// dropsText returns which frames the port drops now, why, and the cure; empty: no drops.
func (p *port) dropsText() string {
	var all [3]string
	if p.drops.leaving.now {
		all[0] = p.leavingText()
	}
	if p.drops.entering.now {
		all[1] = p.enteringText()
	}
	if p.drops.long.now {
		all[2] = p.longText()
	}
	return strings.Join(slices.DeleteFunc(all[:], func(s string) bool { return s == "" }), "; ")
}

// leavingText returns the text of full queues of the port.
func (p *port) leavingText() string {
	return "frames that are to leave here are dropped: more come than can leave (tx_drop_queue_full): have those who " +
		"send them send less (a window of TCP, PFC), or, if they come in bursts, raise rx_ring_size of the ports by which " +
		"they come in, and queue_octets of a virtual channel that has one"
}

// enteringText returns the text of received frames without room to wait.
func (p *port) enteringText() string {
	return fmt.Sprintf("frames that came in here are dropped: too many wait to leave elsewhere (rx_drop_no_buffer): have "+
		"those who send them send less (a window of TCP, PFC), or, if they come in bursts, raise rx_ring_size of %s",
		p.settings.Name)
}

// longText returns the text of received frames that are too long.
func (p *port) longText() string {
	text := "frames that came in here are dropped: they are longer than where they are to leave carries (rx_oversized): "
	if p.other != nil {
		text = fmt.Sprintf("frames that came in here are dropped: they are longer than %s carries (rx_oversized): ",
			p.other.settings.Name)
	}
	return text + "lower the MTU of those who send them, or raise that of the wire"
}

// dropsReasons returns the words for the problems in dropsText: frames are being dropped, and where.
func (p *port) dropsReasons() (list []string) {
	d := &p.drops
	for _, c := range []struct {
		now    bool
		reason string
	}{{d.leaving.now, reasonQueueFull}, {d.entering.now, reasonNoBuffer}, {d.long.now, reasonOversized}} {
		if c.now {
			list = append(list, c.reason)
		}
	}
	return list
}

// The words for the problems of a port that drops frames.
const (
	reasonQueueFull = "queue_full" // text by leavingText
	reasonNoBuffer  = "no_buffer"  // text by enteringText
	reasonOversized = "oversized"  // text by longText
)

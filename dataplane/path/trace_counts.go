package path

import (
	"uelink/cbfc"
	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
	"uelink/dataplane/sched"
	"uelink/llr"
)

// point is the state of a port before a frame is handled.
type point struct {
	counters *model.Tally[model.PortCounters]
	llr      *model.Tally[llr.Counters]
	credits  *model.Tally[cbfc.PortCounters]
	bridge   *model.Tally[bridge.PortCounters]
	seq      uint32
	buffered int // frames that LLR keeps behind a gap
	sent     [sched.Queues]uint64
	dropped  [sched.Queues]uint64
	length   [sched.Queues]int
	head     [sched.Queues]entry
}

// note keeps the counters, sequence numbers and queues of all ports, and the counters of the bridge, as they are before
// a frame is handled. The trace compares them with those after.
func (t *Trace) note(d *Domain) {
	for i, p := range d.ports {
		if p == nil {
			continue
		}
		pt := &t.points[i]
		pt.counters.Keep(&p.Counters)
		if p.Link != nil {
			pt.llr.Keep(p.Link.LLR.Counters())
			pt.credits.Keep(&p.Link.cbfc.Count)
			pt.seq, pt.buffered = p.Link.LLR.Tx.NextSeq(), p.Link.LLR.Rx.CountKept()
		}
		for q := range p.egress.queues {
			c := &p.egress.counters[q]
			pt.sent[q], pt.dropped[q], pt.length[q] = c.TxFrames, c.Dropped, p.egress.queues[q].length
			if p.egress.queues[q].length > 0 {
				pt.head[q] = d.entries.all[p.egress.queues[q].head]
			}
		}
		if d.Bridge != nil {
			c := d.Bridge.PortCounters(i)
			pt.bridge.Keep(&c)
		}
	}
	if d.Bridge != nil {
		c := d.Bridge.Counters()
		t.bridge.Keep(&c)
	}
}

// counted returns the counters of the ports, of LLR and CBFC, and of the bridge that have grown since note.
func (t *Trace) counted(d *Domain) (list []model.TracedCount) {
	for i, p := range d.ports {
		if p == nil {
			continue
		}
		pt, name := &t.points[i], p.settings.Name
		list = pt.counters.Changed(list, name, &p.Counters)
		if p.Link != nil {
			list = pt.llr.Changed(list, name, p.Link.LLR.Counters())
			list = pt.credits.Changed(list, name, &p.Link.cbfc.Count)
		}
		if d.Bridge != nil {
			c := d.Bridge.PortCounters(i)
			list = pt.bridge.Changed(list, name, &c)
		}
	}
	if d.Bridge != nil {
		c := d.Bridge.Counters()
		list = t.bridge.Changed(list, t.port.settings.Name, &c)
	}
	return list
}

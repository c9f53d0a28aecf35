package config

import (
	"maps"
	"slices"

	"uelink/dataplane"
	"uelink/dataplane/qos"
	"uelink/dataplane/sched"
)

// defaultMap is the map of each kind that is there without being configured.
const defaultMap = "default"

// checkSchedulerTypes refuses a weight where it has no effect.
func (w *walk) checkSchedulerTypes(q *qosEntry) {
	for _, name := range slices.Sorted(maps.Keys(q.schedulers)) {
		weight := join(join("qos.schedulers", printable(name)), "weight")
		if q.schedulers[name].kind == strict && w.has(weight) {
			w.failAt(weight, "only a scheduler of type dwrr has a weight")
		}
	}
}

// checkQoS puts together the maps and the scheduler of a port.
func (w *walk) checkQoS(q *qosEntry, p *portEntry, path string) {
	at := join(path, "qos")
	switch p.frames.Role {
	case dataplane.RoleEdge:
		refuse(w, vcMapFields(), at, "link")
		m := w.mapOf(q.queue, p.qos.queue, join(at, "tc_to_queue_map"), standardMap(qos.EdgeQueues, 1))
		fill(p.frames.QoS.Queue[:], m)
		w.checkSchedulers(q, p, path, "queue", qos.EdgeQueues)
		p.frames.Groups = p.dcbx.on && len(p.qos.schedulers) == 0
	case dataplane.RoleLink:
		refuse(w, queueMapFields(), at, "edge")
		if !w.wrong(join(path, "vcs")) {
			w.checkVCs(q, p, join(at, "tc_to_vc_map"))
			w.checkSchedulers(q, p, path, "VC", p.frames.VCs)
		}
	default:
		return
	}
	w.checkTrust(q, p, at)
	w.checkRate(p, at)
}

// checkVCs fills the map of a link, whose VCs have to be there.
func (w *walk) checkVCs(q *qosEntry, p *portEntry, path string) {
	m := w.mapOf(q.vc, p.qos.vc, path, standardMap(p.frames.VCs, 1))
	for _, one := range m {
		if int(one.value) >= p.frames.VCs {
			w.failAt(path, "map %q has VC %d in line %d: the last VC of this port is %d (vcs)",
				p.qos.vc, one.value, one.at.line, p.frames.VCs-1)
			return
		}
	}
	fill(p.frames.QoS.Queue[:], m)
}

// checkTrust fills the maps that the trust of the port needs.
func (w *walk) checkTrust(q *qosEntry, p *portEntry, at string) {
	m := &p.frames.QoS
	byTag, byIP, byUET := join(at, "dot1p_to_tc_map"), join(at, "dscp_to_tc_map"), join(at, "uet_to_tc_map")
	if w.wrong(join(at, "trust")) {
		return
	}
	if m.Trust >= qos.TrustDot1p {
		fill(m.Dot1pDEI[:], w.mapOf(q.dot1p, p.qos.dot1p, byTag, standardMap(8, 2)))
	} else if w.has(byTag) {
		w.failAt(byTag, "this needs trust: dot1p, dscp or uet")
	}
	if m.Trust >= qos.TrustDSCP {
		fill(m.DSCP[:], w.mapOf(q.dscp, p.qos.dscp, byIP, standardMap(8, 8)))
	} else if w.has(byIP) {
		w.failAt(byIP, "this needs trust: dscp or uet")
	}
	if m.Trust >= qos.TrustUET {
		fill(m.UET[:], []pair[uint8]{uetClass(0, qos.UETKinds-1, qos.ByDSCP)})
		fill(m.UET[:], w.mapOf(q.uet, p.qos.uet, byUET, standardUETMap()))
	} else if w.has(byUET) {
		w.failAt(byUET, "this needs trust: uet")
	}
}

// standardUETMap is three classes in the order of UE 1.0.1 §4.1: data, what was trimmed, and above both what
// tells of them.
func standardUETMap() []pair[uint8] {
	return []pair[uint8]{uetClass(qos.UETRequest, qos.UETRequest, 0),
		uetClass(qos.UETAcknowledgement, qos.UETControl, 2), uetClass(qos.UETTrimmed, qos.UETTrimmed, 1)}
}

// uetClass gives the kinds first to last a class.
func uetClass(first, last qos.UETKind, class uint8) pair[uint8] {
	return pair[uint8]{span: span{first: int(first), last: int(last)}, value: class}
}

// mapOf is the map that the key at path names.
func (w *walk) mapOf(all map[string][]pair[uint8], name, path string, standard []pair[uint8]) []pair[uint8] {
	m, there := all[name]
	switch {
	case there || name == "": // a name that was refused
		return m
	case name == defaultMap:
		return standard
	}
	w.failAt(path, "there is no map %q", name)
	return nil
}

// standardMap has the values 0 to n-1, each for so many numbers.
func standardMap(n, each int) []pair[uint8] {
	m := make([]pair[uint8], n)
	for i := range m {
		m[i] = pair[uint8]{span: span{first: i * each, last: i*each + each - 1}, value: uint8(i)}
	}
	return m
}

// checkSchedulers gives each of the n queues of a port its weight and its group.
func (w *walk) checkSchedulers(q *qosEntry, p *portEntry, path, noun string, n int) {
	queues := p.frames.Scheduler.Queues[:n]
	ranks := make([]int, n)
	for _, one := range p.qos.schedulers {
		s, there := q.schedulers[one.value]
		switch {
		case one.last >= n:
			w.fail(one.at, one.path, "there is no %s %d: the last %s of this port is %d", noun, one.last, noun, n-1)
			continue
		case !there:
			w.failAt(one.path, "there is no scheduler %q", one.value)
			continue
		}
		for i := one.first; i <= one.last; i++ {
			queues[i], ranks[i] = s.queue(i)
		}
	}
	if p.frames.Role == dataplane.RoleLink {
		w.checkChannelSchedulers(p, path, queues, ranks)
	}
	group(queues, ranks)
}

// queue is what the scheduler is for a queue of that number. The rank of a queue is above
// the ranks of those that it goes before: there are fewer queues than 64.
func (s *schedulerEntry) queue(number int) (settings sched.QueueSettings, rank int) {
	rank = int(s.priority) * 64
	if s.kind == strict {
		return settings, rank + 1 + number
	}
	settings.Weight = s.weight
	return settings, rank
}

// group makes a group of the queues of each rank.
func group(queues []sched.QueueSettings, ranks []int) {
	distinct := slices.Compact(slices.Sorted(slices.Values(ranks)))
	for i, rank := range ranks {
		place, _ := slices.BinarySearch(distinct, rank)
		queues[i].Group = uint8(place)
	}
}

// checkRate works out the burst.
func (w *walk) checkRate(p *portEntry, at string) {
	s := &p.frames.Scheduler
	switch {
	case w.wrong(at):
	case s.Rate == 0 && p.qos.burst != autoBurst:
		w.failAt(join(at, "burst"), "this needs a rate")
	case p.qos.burst == autoBurst:
		s.Burst = uint32(s.Rate / 8 / 1000)
	default:
		s.Burst = uint32(p.qos.burst)
	}
}

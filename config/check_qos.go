package config

import (
	"maps"
	"slices"

	"uelink/config/schema"
	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/dataplane/sched"
)

// defaultMap is the name of the map of each kind that exists without being configured.
const defaultMap = "default"

// checkSchedulerTypes refuses a weight for a strict scheduler, where it has no effect.
func (w checks) checkSchedulerTypes(q *qosEntry) {
	for _, name := range slices.Sorted(maps.Keys(q.schedulers)) {
		weight := schema.Join(schema.Join("qos.schedulers", schema.Printable(name)), "weight")
		if q.schedulers[name].kind == strict && w.Has(weight) {
			w.FailAt(weight, "only a scheduler of type dwrr has a weight")
		}
	}
}

// checkQoS checks and fills the QoS maps, the schedulers and the rate of a port. On an edge with DCBX, the priority
// groups are the schedulers unless schedulers are configured, and the Application table gives the classes unless trust
// is set.
func (w checks) checkQoS(q *qosEntry, p *portEntry, path string) {
	at := schema.Join(path, "qos")
	switch p.frames.Role {
	case model.RoleEdge:
		refuse(w, vcMapFields(), at, "link")
		m := w.mapOf(q.queue, p.qos.queue, schema.Join(at, "tc_to_queue_map"), standardMap(qos.EdgeQueues, 1))
		schema.Fill(p.frames.QoS.Queue[:], m)
		w.checkSchedulers(q, p, path, "queue", qos.EdgeQueues)
		p.frames.Groups = p.dcbx.on && len(p.qos.schedulers) == 0
		p.frames.Applications = p.dcbx.on && !w.Has(schema.Join(at, "trust"))
	case model.RoleLink:
		refuse(w, queueMapFields(), at, "edge")
		if !w.Wrong(schema.Join(path, "vcs")) {
			w.checkVCs(q, p, schema.Join(at, "tc_to_vc_map"))
			w.checkSchedulers(q, p, path, "VC", p.frames.VCs)
		}
	default:
		return
	}
	w.checkTrust(q, p, at)
	w.checkRate(p, at)
}

// checkVCs fills the map from traffic classes to VCs of a link, and reports VCs that the link does not have.
func (w checks) checkVCs(q *qosEntry, p *portEntry, path string) {
	m := w.mapOf(q.vc, p.qos.vc, path, standardMap(p.frames.VCs, 1))
	for _, pair := range m {
		if int(pair.Value) >= p.frames.VCs {
			w.FailAt(path, "map %q has VC %d in line %d: the last VC of this port is %d (vcs)",
				p.qos.vc, pair.Value, pair.At.Line, p.frames.VCs-1)
			return
		}
	}
	schema.Fill(p.frames.QoS.Queue[:], m)
}

// checkTrust fills the maps to traffic classes that the port's trust mode uses, and reports the keys of maps that
// the mode does not use.
func (w checks) checkTrust(q *qosEntry, p *portEntry, at string) {
	m := &p.frames.QoS
	byTag, byIP := schema.Join(at, "dot1p_to_tc_map"), schema.Join(at, "dscp_to_tc_map")
	byUET := schema.Join(at, "uet_to_tc_map")
	if w.Wrong(schema.Join(at, "trust")) {
		return
	}
	if m.Trust >= qos.TrustDot1p {
		schema.Fill(m.Dot1pDEI[:], w.mapOf(q.dot1p, p.qos.dot1p, byTag, standardMap(8, 2)))
	} else if w.Has(byTag) {
		w.FailAt(byTag, "this needs trust: dot1p, dscp or uet")
	}
	if m.Trust >= qos.TrustDSCP {
		schema.Fill(m.DSCP[:], w.mapOf(q.dscp, p.qos.dscp, byIP, standardMap(8, 8)))
	} else if w.Has(byIP) {
		w.FailAt(byIP, "this needs trust: dscp or uet")
	}
	if m.Trust >= qos.TrustUET {
		schema.Fill(m.UET[:], []schema.Pair[uint8]{uetClass(0, qos.UETKinds-1, qos.ByDSCP)})
		schema.Fill(m.UET[:], w.mapOf(q.uet, p.qos.uet, byUET, standardUETMap()))
	} else if w.Has(byUET) {
		w.FailAt(byUET, "this needs trust: uet")
	}
}

// standardUETMap returns the default map from kinds of UET packets to three traffic classes, in the order of UE 1.0.1
// §4.1: data lowest, then trimmed packets, then acknowledgements and control.
func standardUETMap() []schema.Pair[uint8] {
	return []schema.Pair[uint8]{uetClass(qos.UETRequest, qos.UETRequest, 0),
		uetClass(qos.UETAcknowledgement, qos.UETControl, 2), uetClass(qos.UETTrimmed, qos.UETTrimmed, 1)}
}

// uetClass returns the pair of a configured map that assigns a traffic class to the UET packet kinds first to
// last.
func uetClass(first, last qos.UETKind, class uint8) schema.Pair[uint8] {
	return schema.Pair[uint8]{Span: schema.Span{First: int(first), Last: int(last)}, Value: class}
}

// mapOf returns the QoS map of that name from all, or standard for the name default, unless all has a map default. An
// unknown name is reported as a problem of the key at path.
func (w checks) mapOf(
	all map[string][]schema.Pair[uint8], name, path string, standard []schema.Pair[uint8],
) []schema.Pair[uint8] {
	m, ok := all[name]
	switch {
	case ok || name == "": // an empty name was refused before
		return m
	case name == defaultMap:
		return standard
	}
	w.FailAt(path, "there is no QoS map %q of this kind", name)
	return nil
}

// standardMap returns a default QoS map with values 0 to n-1: number i maps to value i/each.
func standardMap(n, each int) []schema.Pair[uint8] {
	m := make([]schema.Pair[uint8], n)
	for i := range m {
		m[i] = schema.Pair[uint8]{Span: schema.Span{First: i * each, Last: i*each + each - 1}, Value: uint8(i)}
	}
	return m
}

// checkSchedulers sets the weight and the group of each of the n queues of a port, by the schedulers that the port
// names for its queues, and on a link also by section cbfc. Queues of one rank form a group. noun is "queue" or "VC".
func (w checks) checkSchedulers(q *qosEntry, p *portEntry, path, noun string, n int) {
	queues := p.frames.Scheduler.Queues[:n]
	ranks := make([]int, n)
	for _, pair := range p.qos.schedulers {
		s, ok := q.schedulers[pair.Value]
		switch {
		case pair.Last >= n:
			w.Fail(pair.At, pair.Path, "there is no %s %d: the last %s of this port is %d", noun, pair.Last, noun, n-1)
			continue
		case !ok:
			w.FailAt(pair.Path, "there is no scheduler %q", pair.Value)
			continue
		}
		for i := pair.First; i <= pair.Last; i++ {
			queues[i], ranks[i] = s.queue(i)
		}
	}
	if p.frames.Role == model.RoleLink {
		w.checkChannelSchedulers(p, path, queues, ranks)
	}
	group(queues, ranks)
}

// queue returns the settings and the rank that the scheduler gives to the queue of that number. A queue of higher rank
// is served first. Strict queues of one priority get different ranks, by queue number; the factor 64 between priorities
// leaves room for them.
func (s *schedulerEntry) queue(number int) (settings sched.QueueSettings, rank int) {
	rank = int(s.priority) * 64
	if s.kind == strict {
		return settings, rank + 1 + number
	}
	settings.Weight = s.weight
	return settings, rank
}

// group sets the group number of each queue: queues with equal ranks share a group, and groups are numbered by
// rank, the lowest 0.
func group(queues []sched.QueueSettings, ranks []int) {
	distinct := slices.Compact(slices.Sorted(slices.Values(ranks)))
	for i, rank := range ranks {
		place, _ := slices.BinarySearch(distinct, rank)
		queues[i].Group = uint8(place)
	}
}

// checkRate sets the burst of a port's rate limit: as configured, or for auto the octets of 1 ms at its rate.
func (w checks) checkRate(p *portEntry, at string) {
	s := &p.frames.Scheduler
	switch {
	case w.Wrong(at):
	case s.Rate == 0 && p.qos.burst != autoBurst:
		w.FailAt(schema.Join(at, "burst"), "this needs a rate")
	case p.qos.burst == autoBurst:
		s.Burst = uint32(s.Rate / 8 / 1000)
	default:
		s.Burst = uint32(p.qos.burst)
	}
}

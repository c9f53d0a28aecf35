package config

import (
	"math/bits"
	"slices"

	"uelink/config/schema"
	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/dataplane/trim"
	"uelink/wire/uet"
)

// checkTrimming fills the sets of trimmable and control DSCPs, and refuses a DSCP in more than one set. Without the
// section trimming, trimming is off, and its keys have no defaults.
// Clauses: UE-LINK/trimming.2.
func (w checks) checkTrimming(t *trimEntry) {
	if !w.Has("trimming") {
		*t = trimEntry{}
		return
	}
	t.Trimmable, t.Control = dscps(t.trimmable), dscps(t.control)
	for i, numbers := range t.control {
		if both := dscps([]schema.Span{numbers}) & t.Trimmable; both != 0 {
			w.FailAt(schema.Element("trimming.control_dscps", i),
				"DSCP %d is in control_dscps and in trimmable_dscps: remove the DSCP from one of the two lists", both.List()[0])
		}
	}
	if at := "trimming.dscp_value"; w.Has(at) && !w.Wrong(at) {
		w.checkTrimmedDSCP(t, t.DSCP, at)
	}
}

// dscps returns the set of the DSCPs in a list of ranges.
func dscps(list []schema.Span) (set trim.DSCPs) {
	for _, numbers := range list {
		for dscp := numbers.First; dscp <= numbers.Last; dscp++ {
			set = set.Including(uint8(dscp))
		}
	}
	return set
}

// checkTrimmedDSCP refuses a DSCP for trimmed frames that is among the trimmable or control DSCPs.
func (w checks) checkTrimmedDSCP(t *trimEntry, dscp uint8, path string) {
	const own = "DSCP %d is in trimming.%s, too: trimmed frames need a DSCP of their own"
	switch {
	case t.Trimmable.Contains(dscp):
		w.FailAt(path, own, dscp, "trimmable_dscps")
	case t.Control.Contains(dscp):
		w.FailAt(path, own, dscp, "control_dscps")
	}
}

// checkPortTrimming checks qos.trimming of a port, and sets which queues of the port trim frames, and the DSCP of
// frames trimmed there: the port's own, or that of the section trimming. After mistakes in keys that it needs, it does
// nothing.
func (w checks) checkPortTrimming(t *trimEntry, p *portEntry, path string) {
	noun, n := "queue", qos.EdgeQueues
	if p.frames.Role == model.RoleLink {
		noun, n = "VC", p.frames.VCs
	}
	at := schema.Join(path, "qos.trimming")
	wrong := func(key string) bool { return w.Wrong(schema.Join(path, key)) }
	if !w.Has(at) || slices.ContainsFunc([]string{"qos", "vcs", "cbfc"}, wrong) {
		return
	}
	out := &p.frames.Trimming
	queues, ok := w.trimmedQueues(p, noun, n)
	if !ok {
		return
	}
	out.Queues = queues
	w.checkTrims(t, p, at, noun)
	if out.Queues != 0 {
		out.DSCP = t.DSCP
		if p.trim.dscp != globalDSCP {
			out.DSCP = uint8(p.trim.dscp)
		}
	}
}

// trimmedQueues returns a bitmap of the queues that trim, of a port with n queues; noun is "queue" or "VC". A
// queue that the port does not have is reported as a problem, and ok is false.
func (w checks) trimmedQueues(p *portEntry, noun string, n int) (queues uint32, ok bool) {
	for _, pair := range p.trim.actions {
		if pair.Last >= n {
			w.Fail(pair.At, pair.Path, "there is no %s %d: the last %s of this port is %d", noun, pair.Last, noun, n-1)
			return 0, false
		}
		for i := pair.First; i <= pair.Last && pair.Value; i++ {
			queues |= 1 << i
		}
	}
	return queues, true
}

// checkTrims reports queues of a port that cannot trim: without the section trimming, without trimmable DSCPs, of
// a lossless channel, or the queue of the trimmed frames themselves. It also checks the port's own DSCP of trimmed
// frames.
func (w checks) checkTrims(t *trimEntry, p *portEntry, at, noun string) {
	actions, dscp := schema.Join(at, "packet_discard_action"), schema.Join(at, "dscp_value")
	queue := p.frames.QoS.Queue[t.Class%qos.Classes]
	switch {
	case p.frames.Trimming.Queues == 0:
		if p.trim.dscp != globalDSCP {
			w.FailAt(dscp, "this needs a %s whose packet_discard_action is trim", noun)
		}
		return
	case !w.Has("trimming"):
		w.FailAt(actions, "trim needs the section trimming, which says what frames are trimmed to")
	case t.Trimmable == 0 && !w.Wrong("trimming"):
		w.FailAt(actions, "no frame would be trimmed: list the DSCPs of the frames to trim in trimming.trimmable_dscps")
	case p.frames.Trimming.Queues&p.frames.CBFC.Lossless != 0:
		w.FailAt(actions, "VC %d is lossless (cbfc.vcs), so its frames may not be trimmed: set drop for this VC",
			bits.TrailingZeros32(p.frames.Trimming.Queues&p.frames.CBFC.Lossless))
	case p.frames.Trimming.Queues>>queue&1 == 1 && !w.Wrong("trimming"):
		w.FailAt(actions, "%s %d carries the trimmed frames (trimming.tc_value %d), so it cannot trim frames itself: "+
			"map class %d to another %s, or set drop for this %s", noun, queue, t.Class, t.Class, noun, noun)
	}
	if p.trim.dscp != globalDSCP {
		w.checkTrimmedDSCP(t, uint8(p.trim.dscp), dscp)
	}
}

// classifier returns the classifier of UET packets: by the UDP port and IP protocol of the section trimming, and by
// the DSCPs of frames trimmed here. Without the section it is the default classifier.
func (d *document) classifier() uet.Classifier {
	c, t := uet.NewClassifier(), &d.trimming
	if t.UDPPort == 0 { // the section is left out
		return c
	}
	c.Port, c.Protocol, c.Trimmed = t.UDPPort, t.Protocol, 1<<t.DSCP
	for i := range d.ports {
		if p := &d.ports[i].frames.Trimming; p.Queues != 0 {
			c.Trimmed |= 1 << p.DSCP
		}
	}
	return c
}

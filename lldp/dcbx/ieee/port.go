package ieee

import (
	"fmt"
	"slices"

	"uelink/lldp/dcbx"
)

// Port runs the exchange on one port. Only one goroutine may use a Port at a time. There are no states but these: after
// every input the outcome is a function of the own settings, the peer's TLVs and the two addresses.
//
//	                 ┌───────────────────────── no TLV, expiry, good-bye, second neighbour ──┐
//	                 ▼                                                                       │
//	        Remote is NULL: own settings ─── LLDPDU with a TLV ───► Remote is known ─────────┤
//	                                                                  │                      │
//	ETS   willing and a usable recommendation ──► the recommendation ─┤ else own             │
//	PFC   willing, and the peer is not, or ─────► the peer's ─────────┤ else own             │
//	      our address is the lower one                                │                      │
//	APP   own entries, and the peer's for other protocols             └──────────────────────┘
//
// Every input appends the resulting actions to out, see [Output].
type Port struct {
	local   Local
	mac     MAC // address of this end
	running bool

	remote    Remote          // latest TLVs of the peer; empty: NULL
	remoteMAC MAC             // address of the peer
	peer      dcbx.PeerStatus // knowledge about the peer, to show
	lost      dcbx.Reason     // why there is no peer
	fault     dcbx.Reason     // why a TLV of the peer's latest LLDPDU counts as absent

	outcome Outcome
	count   Counters
}

// Outcome are the values to operate by.
type Outcome struct {
	ETS ETS        // operational tables
	PFC uint8      // operational priorities with PFC: bit i is priority i
	App []AppEntry // own entries, and the peer's for protocols that have none here
	// ETSAdopted: the tables are the peer's recommendation. ETSNote is the reason why a willing end keeps its own tables.
	ETSAdopted bool
	ETSNote    dcbx.Reason
	// PFCAgreed: the only peer advertises the same priorities, or this end does not negotiate PFC. PFCNote is the reason
	// why there is no agreement.
	PFCAgreed bool
	PFCNote   dcbx.Reason
}

// NewPort returns the machines of a port that do not run yet. local must be valid.
func NewPort(local Local) *Port {
	p := &Port{local: local, peer: dcbx.PeerUnknown, lost: dcbx.ReasonOff}
	p.outcome = p.decide()
	return p
}

// SetRunning starts or stops the exchange: it runs while the link is up, LLDP goes both ways and this dialect is
// chosen. What was learned of a peer is forgotten.
func (p *Port) SetRunning(on bool, out *Output) {
	if on == p.running {
		return
	}
	p.running = on
	p.peer, p.fault = dcbx.PeerUnknown, dcbx.ReasonNone
	p.lost = dcbx.ReasonNoPeer
	if !on {
		p.lost = dcbx.ReasonOff
	}
	p.remote, p.remoteMAC = Remote{}, MAC{}
	p.outcome = p.decide()
	p.changed(out)
}

// Running reports whether the exchange runs and LLDPDUs carry its TLVs.
func (p *Port) Running() bool { return p.running }

// SetLocal replaces the configuration, which must be valid.
func (p *Port) SetLocal(local Local, out *Output) {
	before := p.sent()
	p.local = local
	p.update(before, out)
}

// SetMAC sets the address of this end, which decides between two ends that are willing in PFC.
func (p *Port) SetMAC(mac MAC, out *Output) {
	before := p.sent()
	p.mac = mac
	p.update(before, out)
}

// Receive handles an LLDPDU: tlvs are its TLVs under [OUI], source the source address of the frame, neighbors the
// number of neighbours (MSAPs) on the link. Every LLDPDU may be passed, new or repeated. Receive does nothing while the
// exchange does not run.
// Clauses: 802.1Qaz/peer.1,3.
func (p *Port) Receive(neighbors int, source MAC, tlvs []TLV, out *Output) {
	switch {
	case !p.running:
	case neighbors > 1:
		if p.peer != dcbx.PeerSeveral {
			out.notify(dcbx.EventSeveralNeighbors, "port", "several LLDP neighbors: DCBX waits until only one is left")
		}
		p.forget(dcbx.PeerSeveral, dcbx.ReasonSeveral, out)
	case !slices.ContainsFunc(tlvs, func(t TLV) bool { return HasSubtype(t.Subtype) }):
		if p.peer != dcbx.PeerAbsent {
			out.notify(dcbx.EventPeerNotAdvertising, "port", "the peer's LLDPDU has no TLV of IEEE DCBX")
		}
		p.forget(dcbx.PeerAbsent, dcbx.ReasonNotAdvertising, out)
	default:
		p.learn(source, tlvs, out)
	}
}

// learn handles an LLDPDU of the only neighbour with TLVs of the exchange: it counts, notifies of a new peer and of a
// new fault, and decides anew by the TLVs.
func (p *Port) learn(source MAC, tlvs []TLV, out *Output) {
	before := p.sent()
	remote, fault, count := decode(tlvs)
	p.count.RxLLDPDUs++
	p.count.add(count)
	if remote.Recommendation != nil && remote.Recommendation.problem() != dcbx.ReasonNone {
		p.count.RxUnusable++
	}
	if p.peer != dcbx.PeerPresent {
		out.notify(dcbx.EventPeerFound, "port", "a peer speaks IEEE DCBX")
	}
	if fault != p.fault && fault != dcbx.ReasonNone {
		out.notify(dcbx.EventPeerMalformed, "port", string(fault)+": this kind of TLV counts as absent")
	}
	p.peer, p.lost, p.fault = dcbx.PeerPresent, dcbx.ReasonNone, fault
	p.remote, p.remoteMAC = remote, source
	p.update(before, out)
}

// NeighborDeleted handles the deletion of a neighbour's information, either aged out or shut down; left is the number
// of remaining neighbours. A caller that has kept the latest LLDPDU of the only remaining neighbour may pass it to
// Receive at once.
// Clauses: 802.1Qaz/peer.1.
func (p *Port) NeighborDeleted(aged bool, left int, out *Output) {
	if !p.running || left > 0 {
		return
	}
	kind, reason := dcbx.EventPeerShutDown, dcbx.ReasonShutDown
	if aged {
		kind, reason = dcbx.EventPeerTimedOut, dcbx.ReasonTimedOut
	}
	if p.peer == dcbx.PeerPresent {
		out.notify(kind, "port", string(reason))
	}
	p.forget(dcbx.PeerAbsent, reason, out)
}

// forget handles the loss of the peer: reason is why, and peer the status to show. Remote becomes NULL, and the own
// settings hold.
func (p *Port) forget(peer dcbx.PeerStatus, reason dcbx.Reason, out *Output) {
	before := p.sent()
	p.peer, p.lost, p.fault = peer, reason, dcbx.ReasonNone
	p.remote, p.remoteMAC = Remote{}, MAC{}
	p.update(before, out)
}

// update decides again after an input, and notifies of the changes. before is the content of the own TLVs before the
// input.
func (p *Port) update(before message, out *Output) {
	old := p.outcome
	p.outcome = p.decide()
	if p.running {
		p.report(old, out)
		if !p.sent().equal(before) {
			p.changed(out)
		}
	}
}

// changed makes the own TLVs be sent soon.
func (p *Port) changed(out *Output) {
	p.count.TxChanges++
	out.Changed = true
}

// report notifies of the differences between the outcome and the old one, of PFC and of ETS: agreed or adopted now, or
// not any more. That no peer has been heard yet is not reported.
func (p *Port) report(old Outcome, out *Output) {
	switch o := &p.outcome; {
	case o.PFCAgreed && (!old.PFCAgreed || o.PFC != old.PFC) && !p.local.WithoutPFC:
		out.notify(dcbx.EventOperOn, "pfc", "agreed with the peer: priorities "+priorities(o.PFC))
	case !o.PFCAgreed && (old.PFCAgreed || o.PFCNote != old.PFCNote) && p.lost != dcbx.ReasonNoPeer:
		out.notify(dcbx.EventOperOff, "pfc", "not agreed: "+string(o.PFCNote))
	}
	switch o := &p.outcome; {
	case o.ETSAdopted && (!old.ETSAdopted || o.ETS != old.ETS):
		out.notify(dcbx.EventOperOn, "ets", "as the peer recommends: "+o.ETS.String())
	case !o.ETSAdopted && (old.ETSAdopted || o.ETSNote != old.ETSNote) && o.ETSNote != dcbx.ReasonNone &&
		p.lost != dcbx.ReasonNoPeer:
		out.notify(dcbx.EventOperOff, "ets", "our own settings are in force, because "+string(o.ETSNote))
	}
}

// decide returns the outcome by the own settings, the peer's TLVs and the addresses.
func (p *Port) decide() Outcome {
	o := Outcome{ETS: p.local.ETS.ETS, PFC: p.local.PFC.Enable}
	if !p.local.WithoutApp {
		o.App = p.local.App
	}
	if p.running && !p.local.WithoutApp {
		o.App = merged(p.local.App, p.remote.App)
	}
	p.decideETS(&o)
	p.decidePFC(&o)
	return o
}

// decideETS runs the asymmetric machine: a willing end adopts the peer's recommendation, whether the peer is willing or
// not.
// Clauses: 802.1Qaz/ets.1,2.
func (p *Port) decideETS(o *Outcome) {
	recommended := p.remote.Recommendation
	switch {
	case p.local.WithoutETS || !p.local.ETS.Willing:
	case recommended == nil && p.peer == dcbx.PeerPresent:
		o.ETSNote = "the peer recommends no ETS tables"
		if p.fault != dcbx.ReasonNone {
			o.ETSNote = p.fault
		}
	case recommended == nil:
		o.ETSNote = p.lost
	case recommended.problem() != dcbx.ReasonNone:
		o.ETSNote = "the peer's recommendation cannot be used: " + recommended.problem()
	default:
		o.ETS, o.ETSAdopted = recommended.adopted(p.local.ETS.MaxTCs), true
	}
}

// decidePFC runs the symmetric machine, and compares the result with the priorities that the peer advertises: equal
// ones are an agreement. Without a usable PFC TLV of a peer the own priorities stay, and there is no agreement.
// Clauses: 802.1Qaz/pfc.2,3.
func (p *Port) decidePFC(o *Outcome) {
	peer := p.remote.PFC
	switch {
	case p.local.WithoutPFC:
		o.PFCAgreed = true
		return
	case peer == nil && p.peer == dcbx.PeerPresent:
		o.PFCNote = "the peer's LLDPDU has no PFC TLV"
		if p.fault != dcbx.ReasonNone {
			o.PFCNote = p.fault
		}
		return
	case peer == nil:
		o.PFCNote = p.lost
		return
	}
	o.PFC = p.local.PFC.operational(p.mac, *peer, p.remoteMAC)
	if o.PFCAgreed = o.PFC == peer.Enable; !o.PFCAgreed {
		o.PFCNote = dcbx.Reason(fmt.Sprintf("PFC has priorities %s here and %s at the peer: frames can be lost",
			priorities(o.PFC), priorities(peer.Enable)))
	}
}

// priorities returns the priorities of a bitmap as "3,4", or "none".
func priorities(enable uint8) string { return dcbx.PFC{Enable: enable}.String() }

// Outcome returns the values to operate by. The caller must not change the entries.
func (p *Port) Outcome() Outcome { return p.outcome }

// String returns the classes of the priorities and the shares, "00030007 50,0,0,50,0,0,0,strict": strict, cbs and
// vendor stand for the share of a class with another algorithm.
func (e ETS) String() string {
	text := ""
	for _, class := range e.Class {
		text += fmt.Sprint(class)
	}
	for class, share := range e.Bandwidth {
		text += fmt.Sprintf("%c", " ,"[min(class, 1)])
		switch e.Algorithm[class] {
		case Enhanced:
			text += fmt.Sprint(share)
		case Strict:
			text += "strict"
		case CreditShaper:
			text += "cbs"
		default:
			text += "vendor"
		}
	}
	return text
}

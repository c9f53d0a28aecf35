package ieee

import "uelink/lldp/dcbx"

// Snapshot is the state of the exchange on a port to show. It shares no memory with the port.
type Snapshot struct {
	Running bool            `json:"running"`
	Peer    dcbx.PeerStatus `json:"peer"`
	Fault   dcbx.Reason     `json:"fault"` // why a TLV of the peer counts as absent; mostly empty
	Own     Own             `json:"own"`
	// Oper are the values to operate by.
	Oper     Oper     `json:"oper"`
	Remote   Remote   `json:"remote"`
	Counters Counters `json:"counters"`
}

// Own is the configuration of this end.
type Own struct {
	ETS            Configuration `json:"ets"`
	Recommendation ETS           `json:"recommendation"`
	PFC            PFC           `json:"pfc"`
	App            []AppEntry    `json:"app"`
}

// Oper are operational values with their origin.
type Oper struct {
	ETS        ETS         `json:"ets"`
	ETSAdopted bool        `json:"ets_adopted"` // the tables are the peer's recommendation
	ETSNote    dcbx.Reason `json:"ets_note"`    // why a willing end has its own tables
	PFC        uint8       `json:"pfc_enable"`  // operational priorities with PFC: bit i is priority i
	PFCAgreed  bool        `json:"pfc_agreed"`  // the peer advertises the same priorities
	PFCNote    dcbx.Reason `json:"pfc_note"`    // why PFC is not agreed
	App        []AppEntry  `json:"app"`         // own entries, and the peer's for other protocols
}

// Snapshot returns a snapshot of the state of the exchange.
func (p *Port) Snapshot() Snapshot {
	o := &p.outcome
	return Snapshot{
		Running: p.running, Peer: p.peer, Fault: p.fault,
		Own: Own{p.local.ETS, p.local.Recommendation, p.local.PFC, listed(p.local.App)},
		Oper: Oper{ETS: o.ETS, ETSAdopted: o.ETSAdopted, ETSNote: o.ETSNote, PFC: o.PFC, PFCAgreed: o.PFCAgreed,
			PFCNote: o.PFCNote, App: listed(o.App)},
		Remote: p.remote.copied(), Counters: p.count,
	}
}

// copied returns a copy of r that shares no memory with it, with an empty list in place of nil.
func (r Remote) copied() Remote {
	r.App = listed(r.App)
	r.Configuration, r.Recommendation, r.PFC = clone(r.Configuration), clone(r.Recommendation), clone(r.PFC)
	return r
}

// clone returns a pointer to a copy of the value; nil for nil.
func clone[T any](v *T) *T {
	if v == nil {
		return nil
	}
	c := *v
	return &c
}

// listed returns a copy of the entries, an empty list in place of nil.
func listed(entries []AppEntry) []AppEntry { return append([]AppEntry{}, entries...) }

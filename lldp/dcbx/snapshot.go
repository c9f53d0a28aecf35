package dcbx

// Snapshot is everything there is to show of a port. Its form is always the
// same; it shares no memory with the port.
type Snapshot struct {
	Running bool             `json:"running"`
	Enabled bool             `json:"enabled"` // by the administrator
	Peer    PeerStatus       `json:"peer"`
	Note    Reason           `json:"note"` // why it does not run, or the peer's TLV is of no use; mostly empty
	Control ControlSnapshot  `json:"control"`
	PG      FeatureView[PG]  `json:"pg"`
	PFC     FeatureView[PFC] `json:"pfc"`
	App     FeatureView[App] `json:"app"`
	// Unknown is what else the peer's TLV holds.
	Unknown  []Raw    `json:"unknown_sub_tlvs"`
	Counters Counters `json:"counters"`
}

// PeerStatus is what is known of a peer: "unknown", "absent", "several_neighbors",
// "malformed", "ieee_only" or "present".
type PeerStatus string

// The states of knowledge about a peer.
const (
	PeerUnknown PeerStatus = "unknown" // nothing usable came since the port runs
	PeerAbsent  PeerStatus = "absent"  // it has no DCBX TLV, or is gone
	PeerSeveral PeerStatus = "several_neighbors"
	PeerPresent PeerStatus = "present"
	// Nothing usable came, but a TLV that cannot be read.
	PeerMalformed PeerStatus = "malformed"
	// It speaks DCBX of IEEE 802.1Qaz and not this one. A Port does not see that; who
	// hands LLDPDUs to it does.
	PeerIEEEOnly PeerStatus = "ieee_only"
)

// ControlSnapshot is the control machine.
type ControlSnapshot struct {
	State     string  `json:"state"` // the one that acted last
	Local     Control `json:"local"`
	Peer      Control `json:"peer"` // zero if there is none
	RcvdAckNo uint32  `json:"rcvd_ack_no"`
}

// FeatureView is one feature machine.
type FeatureView[C any] struct {
	State string    `json:"state"` // the one that acted last
	Admin Params[C] `json:"admin"`
	// Pending: Admin is not in force yet, a change before it is still to be
	// acknowledged.
	Pending bool           `json:"pending"`
	Note    Reason         `json:"note"` // why OperMode is off, or the peer's settings are not taken
	Oper    FeatureOper[C] `json:"oper"`
	Peer    FeatureTLV[C]  `json:"peer"` // the peer's sub-TLV
}

// FeatureOper is the operational state of a feature.
type FeatureOper[C any] struct {
	OperMode     bool   `json:"oper_mode"`
	OperCfg      C      `json:"oper_cfg"`
	Applied      bool   `json:"set_cfg"` // second parameter of the last SetCfg
	Error        bool   `json:"error"`
	Syncd        bool   `json:"syncd"`
	FeatureSeqNo uint32 `json:"feature_seq_no"`
	OperVersion  uint8  `json:"oper_version"`
	MaxVersion   uint8  `json:"max_version"`
}

// Snapshot gives everything there is to show.
func (p *Port) Snapshot() Snapshot {
	s := Snapshot{
		Running: p.Running(), Enabled: p.enabled, Peer: p.peerStatus(), Note: p.note(),
		Control: ControlSnapshot{State: p.control.state.String(), Local: p.control.own(),
			Peer: p.control.peer, RcvdAckNo: p.control.rcvdAck},
		PG: p.pg.view(&p.last), PFC: p.pfc.view(&p.last), App: p.app.view(&p.last),
		// What Decode made is never changed, so it can be shared.
		Unknown: append([]Raw{}, p.last.Unknown...), Counters: p.count,
	}
	s.App.Admin.Config = s.App.Admin.Config.listed()
	s.App.Oper.OperCfg = s.App.Oper.OperCfg.listed()
	s.App.Peer.Config = s.App.Peer.Config.listed()
	return s
}

// Shown is the message with empty lists where it has none.
func (m *Message) Shown() *Message {
	shown := *m
	shown.Unknown = append([]Raw{}, m.Unknown...)
	shown.App.Config = m.App.Config.listed()
	return &shown
}

// peerStatus sums up what is known of a peer.
func (p *Port) peerStatus() PeerStatus {
	switch {
	case p.several:
		return PeerSeveral
	case p.control.heard:
		return PeerPresent
	case p.fault != ReasonNone:
		return PeerMalformed
	case p.control.noTLV:
		return PeerAbsent
	}
	return PeerUnknown
}

// view is the feature's part of a snapshot.
func (f *feature[C]) view(last *Message) FeatureView[C] {
	return FeatureView[C]{
		State: f.state.String(), Admin: f.wanted, Pending: f.change, Note: f.why, Peer: *f.find(last),
		Oper: FeatureOper[C]{OperMode: f.operMode, OperCfg: f.setting.Oper, Applied: f.setting.Apply, Error: f.failed,
			Syncd: f.syncd, FeatureSeqNo: f.seq, OperVersion: f.operV, MaxVersion: f.maxV},
	}
}

// listed is c with entries that JSON shows as a list, also when there are none.
func (c App) listed() App { return App{Entries: append([]AppEntry{}, c.Entries...)} }

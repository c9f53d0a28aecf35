package dcbx

// Snapshot is the state of a port to show. All fields are always present; a Snapshot shares no
// memory with the port.
type Snapshot struct {
	Running bool             `json:"running"`
	Enabled bool             `json:"enabled"` // by the administrator
	Peer    PeerStatus       `json:"peer"`
	Note    Reason           `json:"note"` // why DCBX does not run, or why the peer's TLV is unusable; mostly empty
	Control ControlSnapshot  `json:"control"`
	PG      FeatureView[PG]  `json:"pg"`
	PFC     FeatureView[PFC] `json:"pfc"`
	App     FeatureView[App] `json:"app"`
	// Unknown are the other sub-TLVs of the peer's TLV.
	Unknown  []Raw    `json:"unknown_sub_tlvs"`
	Counters Counters `json:"counters"`
}

// PeerStatus is the knowledge about a peer: "unknown", "absent", "several_neighbors", "malformed",
// "ieee_only", "cee_only", "cin_only" or "present".
type PeerStatus string

// The states of knowledge about a peer.
const (
	PeerUnknown PeerStatus = "unknown" // no usable TLV since the port runs
	PeerAbsent  PeerStatus = "absent"  // the neighbour sends no DCBX TLV, or is gone
	PeerSeveral PeerStatus = "several_neighbors"
	PeerPresent PeerStatus = "present"
	// The peer sent only TLVs that cannot be decoded.
	PeerMalformed PeerStatus = "malformed"
	// The peer sends TLVs of another dialect of DCBX (IEEE 802.1Qaz, CEE, or CIN, the version before CEE), and none of the
	// dialect that this end speaks. The caller of Port.Receive detects that, not the Port.
	PeerIEEEOnly PeerStatus = "ieee_only"
	PeerCEEOnly  PeerStatus = "cee_only"
	PeerCINOnly  PeerStatus = "cin_only"
)

// ControlSnapshot is the state of the control machine.
type ControlSnapshot struct {
	State     string  `json:"state"` // the last acting state
	Local     Control `json:"local"`
	Peer      Control `json:"peer"`        // zero without a peer
	RcvdAckNo uint32  `json:"rcvd_ack_no"` // sequence number that the peer has acknowledged
}

// FeatureView is the state of one feature machine.
// Clauses: DCBX/goals.1.
type FeatureView[C any] struct {
	State string    `json:"state"` // the last acting state
	Admin Params[C] `json:"admin"`
	// Pending means that Admin is not in force yet, because an earlier change waits for an
	// acknowledgement.
	Pending bool           `json:"pending"`
	Note    Reason         `json:"note"` // why OperMode is off, or why the peer's settings are not used
	Oper    FeatureOper[C] `json:"oper"`
	Peer    FeatureTLV[C]  `json:"peer"` // the peer's sub-TLV
}

// FeatureOper is the operational state of a feature.
// Clauses: DCBX/feature-variables.6.
type FeatureOper[C any] struct {
	OperMode     bool   `json:"oper_mode"`
	OperCfg      C      `json:"oper_cfg"`
	Applied      bool   `json:"set_cfg"` // second parameter of the last SetCfg; false: the feature operates without the peer
	Error        bool   `json:"error"`
	Syncd        bool   `json:"syncd"`
	FeatureSeqNo uint32 `json:"feature_seq_no"` // sequence number of the control sub-TLV that has the settings
	OperVersion  uint8  `json:"oper_version"`   // number of the version in use
	MaxVersion   uint8  `json:"max_version"`    // number of the highest version that this end knows
}

// Snapshot returns a snapshot of the state of DCBX on the port: peer, features, counters.
func (p *Port) Snapshot() Snapshot {
	s := Snapshot{
		Running: p.Running(), Enabled: p.enabled, Peer: p.peerStatus(), Note: p.note(),
		Control: ControlSnapshot{State: p.control.state.String(), Local: p.control.own(),
			Peer: p.control.peer, RcvdAckNo: p.control.rcvdAck},
		PG: p.pg.view(&p.last), PFC: p.pfc.view(&p.last), App: p.app.view(&p.last),
		// The bodies are shared: Decode's results are immutable.
		Unknown: append([]Raw{}, p.last.Unknown...), Counters: p.count,
	}
	s.App.Admin.Config = s.App.Admin.Config.listed()
	s.App.Oper.OperCfg = s.App.Oper.OperCfg.listed()
	s.App.Peer.Config = s.App.Peer.Config.listed()
	return s
}

// Shown returns a copy of the message with empty lists in place of nil ones, for JSON.
func (m *Message) Shown() *Message {
	shown := *m
	shown.Unknown = append([]Raw{}, m.Unknown...)
	shown.App.Config = m.App.Config.listed()
	return &shown
}

// peerStatus returns the knowledge about the DCBX peer as one value: present, absent, malformed, several or unknown.
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

// view returns the feature's part of a snapshot; last is the peer's last TLV.
func (f *feature[C]) view(last *Message) FeatureView[C] {
	return FeatureView[C]{
		State: f.state.String(), Admin: f.wanted, Pending: f.change, Note: f.reason, Peer: *f.find(last),
		Oper: FeatureOper[C]{OperMode: f.operMode, OperCfg: f.setting.Oper, Applied: f.setting.Apply, Error: f.failed,
			Syncd: f.syncd, FeatureSeqNo: f.seq, OperVersion: f.operV, MaxVersion: f.maxV},
	}
}

// listed returns c with an empty list in place of nil, so that JSON always shows a list.
func (c App) listed() App { return App{Entries: append([]AppEntry{}, c.Entries...)} }

package dcbx

// FeatureState is a state of a feature machine (DCBX, figure 11). The machine rests in Wait; the state
// kept and shown is the last acting state.
//
//	link up                     LocalParameterChange && Syncd
//	  │                                     │
//	LinkUp ──────────► SetLocalParameters ◄─┘     FeatureSeqNo = SeqNo+1, !Syncd
//	                     │
//	                     ▼         !Advertise
//	                   Wait ─────────────────────► NoAdvertise   DesiredCfg as it is
//	                     │
//	                     │ DCBXFeatureUpdate; first match
//	                     ├─ no DCBX TLV ─────────► PeerNotAdvertiseDCBX  Error, !Syncd
//	                     ├─ feature not in TLV ──► FeatureAbsent         Error, Syncd
//	                     ├─ !Syncd, no ack ──────► WaitAck
//	                     ├─ duplicate sub-TLV ───► Duplicate             Error ───────┐
//	                     ├─ version not common ──► FeatureVersion        !Syncd       │
//	                     ├─ peer must follow ────► WaitVersion           Syncd        │
//	                     └─ else ────────────────► ReadPeerCfg           Syncd        │
//	                                                 │ first match                    │
//	                 either end not enabled:         ├─► Disabled         no Error ───┤
//	                 only we willing, peer usable:   ├─► AdoptPeer        no Error ───┤
//	                 only peer is, or compatible:    ├─► KeepLocal        no Error ───┤
//	                 else                            └─► CfgNotCompatible Error ──────┤
//	                                                                                  ▼
//	                         Wait ◄── FeatureSeqNo = SeqNo+1, !Syncd ── BumpSeq if Error flipped
type FeatureState uint8

// The states of a feature machine.
// Clauses: DCBX/feature-state.1-15.
const (
	FeatureOff FeatureState = iota
	FeatureLinkUp
	FeatureSetLocalParameters
	FeatureNoAdvertise
	FeaturePeerNotAdvertiseDCBX
	FeatureAbsent
	FeatureWaitAck
	FeatureDuplicate
	FeatureVersion
	FeatureWaitVersion
	FeatureReadPeerCfg
	FeatureDisabled
	FeatureAdoptPeer
	FeatureKeepLocal
	FeatureCfgNotCompatible
	FeatureBumpSeq
)

// featureNames has the specification's names of the states.
var featureNames = [...]string{"Off", "LinkUp", "SetLocalParameters", "NoAdvertise", "PeerNotAdvertiseDCBX",
	"FeatureAbsent", "WaitAck",
	"Duplicate", "FeatureVersion", "WaitVersion", "ReadPeerCfg", "Disabled", "AdoptPeer", "KeepLocal", "CfgNotCompatible", "BumpSeq"}

// String returns the state's name in the state diagram of the DCBX specification.
func (s FeatureState) String() string { return featureNames[within(s, featureNames[:])] }

// feature is the state machine of one feature.
// Clauses: DCBX/intro.2, DCBX/feature.1, DCBX/feature-variables.3-5,7,9,10.
type feature[C config[C]] struct {
	id    Feature
	state FeatureState // the last acting state

	Params[C]                 // in force; Config is DesiredCfg
	wanted      Params[C]     // LocalParams
	change      bool          // LocalParameterChange
	operV, maxV uint8         // OperVersion, MaxVersion
	operMode    bool          // OperMode
	reason      Reason        // why OperMode is FALSE, or why the peer's settings are not used
	failed      bool          // Error
	syncd       bool          // Syncd
	seq         uint32        // FeatureSeqNo
	peerCfg     C             // PeerCfg
	peerWilling bool          // PeerWilling
	setting     Setting[C]    // the last call of SetCfg
	called      bool          // SetCfg was called
	sent        FeatureTLV[C] // as captured; not Present: the feature is not in our TLV
	notified    EventKind     // the reason for Error as last notified

	find func(*Message) *FeatureTLV[C] // returns the feature's sub-TLV in a message
	emit func(*Output, Setting[C])     // appends a call of SetCfg to an Output
}

// enter changes the state of the machine to s, and adds the change to the trace in out.
func (f *feature[C]) enter(s FeatureState, out *Output) {
	f.state = s
	out.step(f.id, s)
}

func (f *feature[C]) isSyncd() bool { return f.syncd }

// want records the local parameters that the feature shall have. If they differ from those in force, method local
// applies them later (LocalParameterChange).
// Clauses: DCBX/feature-variables.10.
func (f *feature[C]) want(p Params[C]) {
	f.change = !equalParams(p, f.Params)
	f.wanted = p
}

// linkUp runs the feature's transition from Off to LinkUp. SetLocalParameters follows at once, since Syncd is set.
// Clauses: DCBX/feature.5, DCBX/feature-state.1.
func (f *feature[C]) linkUp(out *Output) {
	f.enter(FeatureLinkUp, out)
	f.operV = f.maxV
	f.setError(false, 0, out)
	f.syncd, f.change = true, true
}

// off runs the feature's transition to Off, and puts the wanted local parameters into force at once. State learned from
// the peer is deleted.
func (f *feature[C]) off(out *Output) {
	f.enter(FeatureOff, out)
	f.Params, f.change = f.wanted, false
	f.sent = FeatureTLV[C]{}
	f.setError(false, 0, out)
	f.withoutExchange(ReasonOff, out)
}

// local puts changed local parameters of the feature into force. A change waits while an earlier change is
// unacknowledged. Without a peer that could acknowledge, the change is applied at once and only the sending waits.
// Clauses: DCBX/feature.7, DCBX/feature-state.3.
func (f *feature[C]) local(c *control, out *Output) {
	if !f.change || !f.syncd && c.heard {
		return
	}
	f.setLocalParameters(c, out)
	if !f.Advertise {
		f.enter(FeatureNoAdvertise, out)
		f.setError(false, 0, out)
	}
	if !f.Advertise || !c.heard {
		f.withoutExchange(c.lost, out)
	}
}

// setLocalParameters takes over changed parameters, with a new SeqNo (SetLocalParameters).
// Clauses: DCBX/feature-state.2.
func (f *feature[C]) setLocalParameters(c *control, out *Output) {
	f.enter(FeatureSetLocalParameters, out)
	f.Params, f.change = f.wanted, false
	f.seq = c.seq + 1
	// A feature in our TLV that is no longer advertised must still be removed
	// from the TLV.
	f.syncd = !f.Advertise && !f.sent.Present
}

// capture copies the feature's present parameters to the sub-TLV that is sent next: the feature's part of
// UpdateDCBXTLV.
// Clauses: DCBX/parameters.1, DCBX/control.6, DCBX/feature-tlv.19, DCBX/feature-variables.1.
func (f *feature[C]) capture() {
	if !f.Advertise {
		f.sent, f.syncd = FeatureTLV[C]{}, true
		return
	}
	f.sent = FeatureTLV[C]{Present: true, Config: f.Config, Header: Header{
		OperVersion: f.operV, MaxVersion: f.maxV, Enable: f.Enable, Willing: f.Willing, Error: f.failed}}
}

// update runs the feature's machine DCBXFeatureUpdate with the peer's TLV m; nil if the peer sends none.
// Clauses: DCBX/tlv.3,4, DCBX/feature-tlv.4,15, DCBX/feature-variables.2,4, DCBX/feature.2, DCBX/feature-state.6,8,9.
func (f *feature[C]) update(c *control, m *Message, out *Output) {
	if !f.Advertise {
		return // NoAdvertise: received TLVs are ignored
	}
	if m == nil {
		f.peerNotAdvertise(c, out)
		return
	}
	rx := f.find(m)
	switch {
	case !rx.Present:
		f.absent(c, out)
	case !f.syncd && (c.rcvdAck != f.seq || f.seq != c.seq):
		f.enter(FeatureWaitAck, out)
	case !f.syncd && f.change:
		// The acknowledged parameters are no longer the wanted ones: skip the comparison.
		f.syncd = true
		f.local(c, out)
	case rx.Duplicate || m.ControlDuplicate:
		f.enter(FeatureDuplicate, out)
		f.fail(c, EventFeatureDuplicate, ReasonDuplicate, out)
	case f.operV != min(f.maxV, rx.MaxVersion):
		f.enter(FeatureVersion, out)
		f.operV = min(f.maxV, rx.MaxVersion)
		f.bump(c)
	case f.operV != rx.OperVersion:
		f.enter(FeatureWaitVersion, out)
		f.syncd = true
	default:
		f.readPeerCfg(c, rx, out)
	}
}

// peerNotAdvertise handles the absence of the peer's DCBX TLV (PeerNotAdvertiseDCBX).
// Clauses: DCBX/feature-state.4.
func (f *feature[C]) peerNotAdvertise(c *control, out *Output) {
	f.enter(FeaturePeerNotAdvertiseDCBX, out)
	f.withoutPeer(c.lost, out)
	f.setError(true, 0, out)
	f.bump(c)
}

// absent handles a TLV of the peer without this feature (state FeatureAbsent): the feature operates without the
// peer. Our TLV shows Error, but the peer, which does not read the feature, need not acknowledge the change. A
// change not captured yet stays pending.
// Clauses: DCBX/feature-state.5.
func (f *feature[C]) absent(c *control, out *Output) {
	f.enter(FeatureAbsent, out)
	f.withoutPeer(ReasonAbsent, out)
	f.operV = f.maxV
	f.setError(true, EventFeatureAbsent, out)
	f.syncd = f.syncd || f.seq == c.seq
	f.sent.Error, f.sent.OperVersion = true, f.operV
}

// readPeerCfg decides by the peer's TLV whether the feature operates, and with whose configuration (ReadPeerCfg): the
// own one, or the peer's if only this end is willing.
// Clauses: DCBX/goals.2,3, DCBX/operation.2, DCBX/feature-tlv.7-9,11,20, DCBX/feature-state.10,11, DCBX/pg.10,
// DCBX/pfc.2.
func (f *feature[C]) readPeerCfg(c *control, rx *FeatureTLV[C], out *Output) {
	f.enter(FeatureReadPeerCfg, out)
	f.peerCfg, f.peerWilling = rx.Config, rx.Willing
	f.syncd = true
	switch {
	case !f.Enable:
		f.enter(FeatureDisabled, out)
		f.withoutPeer(ReasonDisabled, out)
		f.succeed(c, out)
	case !rx.Enable:
		f.enter(FeatureDisabled, out)
		f.withoutPeer(ReasonPeerDisabled, out)
		f.succeed(c, out)
	case f.adopts() && f.peerCfg.usable():
		f.enter(FeatureAdoptPeer, out)
		f.operate(rx, f.peerCfg.adopted(f.Config), ReasonNone, out)
		f.succeed(c, out)
	case f.adopts() && f.Config.compatible(f.peerCfg):
		// No parameter has to match (DCBX, table 6), but the peer's are unusable.
		f.enter(FeatureKeepLocal, out)
		f.operate(rx, f.Config, ReasonUnusable, out)
		f.succeed(c, out)
	case !f.Willing && f.peerWilling, f.Config.compatible(f.peerCfg):
		f.enter(FeatureKeepLocal, out)
		f.operate(rx, f.Config, ReasonNone, out)
		f.succeed(c, out)
	default:
		f.enter(FeatureCfgNotCompatible, out)
		f.fail(c, EventNotCompatible, ReasonNotCompatible, out)
	}
}

// adopts reports whether the feature takes over the peer's configuration: this end is willing, and the peer is
// not.
func (f *feature[C]) adopts() bool { return f.Willing && !f.peerWilling }

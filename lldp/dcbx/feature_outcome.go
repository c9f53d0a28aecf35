package dcbx

// The outcome of a decision of a feature machine: OperMode, Error, SetCfg and the sequence number
// of the change for the peer.

// operate puts cfg, agreed with the peer, into force, with note as the reason to show. If the peer reports Error, the
// feature goes on without the peer instead.
// Clauses: DCBX/feature-tlv.14, DCBX/feature-state.12,13, DCBX/pg.11, DCBX/pfc.10.
func (f *feature[C]) operate(rx *FeatureTLV[C], cfg C, note Reason, out *Output) {
	if rx.Error {
		f.withoutPeer(ReasonPeerError, out)
		return
	}
	f.setOperMode(true, note, out)
	f.setCfg(cfg, true, out)
}

// withoutExchange puts the configuration of a feature that exchanges nothing with the peer into force, for the
// given reason. An administrator who does not advertise a feature wants the configuration used unchanged.
func (f *feature[C]) withoutExchange(reason Reason, out *Output) {
	if f.Advertise {
		f.withoutPeer(reason, out)
		return
	}
	f.operMode, f.reason = f.Enable, ReasonNone
	f.setCfg(f.Config, true, out)
}

// withoutPeer makes the feature operate without the peer, for the given reason: SetCfg(DesiredCfg, FALSE) and
// OperMode = FALSE.
func (f *feature[C]) withoutPeer(reason Reason, out *Output) {
	f.setOperMode(false, reason, out)
	f.setCfg(f.Config, false, out)
}

// setOperMode sets OperMode and the reason for it. The manager is notified when OperMode becomes
// TRUE, when it is FALSE because of the peer, and when the peer's settings are unusable.
func (f *feature[C]) setOperMode(on bool, reason Reason, out *Output) {
	changed := on != f.operMode
	switch {
	case on && changed:
		out.notifyOf(Event{EventOperOn, f.id, ReasonNone})
	case !on && reason.ofPeer() && (changed || reason != f.reason && reason.fromTLV()):
		out.notifyOf(Event{EventOperOff, f.id, reason})
	}
	if on && reason != f.reason && reason != ReasonNone {
		out.notifyOf(Event{EventPeerUnusable, f.id, reason})
	}
	f.operMode, f.reason = on, reason
}

// succeed ends the comparison with the peer's parameters without an error: Error goes off. If Error was on, the peer
// must learn of the change, so that the feature is not Syncd any more (Syncd = !Error).
func (f *feature[C]) succeed(c *control, out *Output) {
	flipped := f.failed
	f.setError(false, 0, out)
	if flipped {
		f.bumpSeq(c, out)
	}
}

// fail ends the comparison with the peer's parameters with an error, for the given reason, of which the manager is
// notified by an event of the kind: SetCfg(DesiredCfg, FALSE), OperMode = FALSE, and Error goes on. If Error was off,
// the peer must learn of the change, so that the feature is not Syncd (Syncd = Error).
// Clauses: DCBX/feature-tlv.13,14, DCBX/feature.9, DCBX/feature-state.7,14.
func (f *feature[C]) fail(c *control, kind EventKind, reason Reason, out *Output) {
	f.withoutPeer(reason, out)
	flipped := !f.failed
	f.setError(true, kind, out)
	f.syncd = true
	if flipped {
		f.bumpSeq(c, out)
	}
}

// bumpSeq makes the feature's parameters be sent with a new SeqNo (state BumpSeq), since the peer must learn a
// changed Error. Snapshots go on showing the state before BumpSeq.
// Clauses: DCBX/feature-state.15.
func (f *feature[C]) bumpSeq(c *control, out *Output) {
	out.step(f.id, FeatureBumpSeq)
	f.bump(c)
}

// bump makes the feature's parameters count as unacknowledged until the peer acknowledges the next SeqNo.
func (f *feature[C]) bump(c *control) {
	f.syncd, f.seq = false, c.seq+1
}

// setError sets or clears the feature's Error, and notifies the manager of a change. kind is the event for the reason
// of an error, of which the manager is notified once; 0: no such event.
// Clauses: DCBX/feature-tlv.12.
func (f *feature[C]) setError(on bool, kind EventKind, out *Output) {
	if on && kind != 0 && kind != f.notified {
		out.notify(kind, f.id)
	}
	f.notified = kind
	if on != f.failed {
		f.failed = on
		kind := EventErrorCleared
		if on {
			kind = EventErrorSet
		}
		out.notify(kind, f.id)
	}
}

// setCfg runs SetCfg with the parameters cfg and apply; apply is false if the feature operates without the peer. It
// appends the call to out, unless the previous call had the same values.
// Clauses: DCBX/feature.6,8,10,11.
func (f *feature[C]) setCfg(cfg C, apply bool, out *Output) {
	s := Setting[C]{Config: cfg, Apply: apply, OperMode: f.operMode, Oper: cfg}
	if !apply || !f.operMode {
		s.Oper = cfg.withoutPeer()
	}
	if f.called && s.Apply == f.setting.Apply && s.OperMode == f.setting.OperMode && s.Config.equal(f.setting.Config) {
		return
	}
	f.setting, f.called = s, true
	f.emit(out, s)
}

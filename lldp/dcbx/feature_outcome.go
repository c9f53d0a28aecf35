package dcbx

// What a decision of a feature machine comes to: OperMode, Error, SetCfg and the number
// under which the peer hears of it.

// operate sets the configuration that both ends agree on, unless the peer says
// that it is in error. note is what is to be told of it.
func (f *feature[C]) operate(rx *FeatureTLV[C], cfg C, note Reason, out *Output) {
	if rx.Error {
		f.withoutPeer(ReasonPeerError, out)
		return
	}
	f.become(true, note, out)
	f.setCfg(cfg, true, out)
}

// alone sets what the feature operates by while there is no exchange: an
// administrator who does not advertise it wants it as it stands.
func (f *feature[C]) alone(why Reason, out *Output) {
	if f.Advertise {
		f.withoutPeer(why, out)
		return
	}
	f.operMode, f.why = f.Enable, ReasonNone
	f.setCfg(f.Config, true, out)
}

// withoutPeer is SetCfg(DesiredCfg, FALSE) and OperMode = FALSE.
func (f *feature[C]) withoutPeer(why Reason, out *Output) {
	f.become(false, why, out)
	f.setCfg(f.Config, false, out)
}

// become sets OperMode. It notifies of one that goes on, and of one that is off, or
// less than the peer wants, because of the peer.
func (f *feature[C]) become(on bool, why Reason, out *Output) {
	changed := on != f.operMode
	switch {
	case on && changed:
		out.notifyOf(Event{EventOperOn, f.id, ReasonNone})
	case !on && why.ofPeer() && (changed || why != f.why && why.isSaid()):
		out.notifyOf(Event{EventOperOff, f.id, why})
	}
	if on && why != f.why && why != ReasonNone {
		out.notifyOf(Event{EventPeerUnusable, f.id, why})
	}
	f.operMode, f.why = on, why
}

// succeed is Syncd = !Error, Error = FALSE.
func (f *feature[C]) succeed(c *control, out *Output) {
	flipped := f.failed
	f.setError(false, 0, out)
	if flipped {
		f.bumpSeq(c, out)
	}
}

// fail is SetCfg(DesiredCfg, FALSE), OperMode = FALSE, Syncd = Error, Error = TRUE.
func (f *feature[C]) fail(c *control, kind EventKind, why Reason, out *Output) {
	f.withoutPeer(why, out)
	flipped := !f.failed
	f.setError(true, kind, out)
	f.syncd = true
	if flipped {
		f.bumpSeq(c, out)
	}
}

// bumpSeq is BumpSeq: Error is an exchanged parameter. The state that decided
// stays the one to show.
func (f *feature[C]) bumpSeq(c *control, out *Output) {
	out.step(f.id, FeatureBumpSeq)
	f.bump(c)
}

// bump makes the feature's parameters something that the peer has to acknowledge.
func (f *feature[C]) bump(c *control) {
	f.syncd, f.seq = false, c.seq+1
}

// setError sets or clears Error, which is on because of why, and notifies of it.
func (f *feature[C]) setError(on bool, why EventKind, out *Output) {
	if on && why != 0 && why != f.told {
		out.notify(why, f.id)
	}
	f.told = why
	if on != f.failed {
		f.failed = on
		kind := EventErrorCleared
		if on {
			kind = EventErrorSet
		}
		out.notify(kind, f.id)
	}
}

// setCfg is SetCfg.
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

package dcbx

import "uelink/internal/snapshot"

// PassState saves to snapshot s, or restores from it, the control machine and the feature machines, with the peer's
// last TLV and the counters.
func (p *Port) PassState(s *snapshot.State) {
	s.Bool("link", &p.link)
	s.Bool("rx", &p.rx)
	s.Bool("tx", &p.tx)
	s.Bool("enabled", &p.enabled)
	s.Group("control", p.control.passState)
	s.Group("pg", p.pg.passState)
	s.Group("pfc", p.pfc.passState)
	s.Group("app", p.app.passState)
	s.Struct("last", &p.last)
	s.Bool("several", &p.several)
	snapshot.Text(s, "fault", &p.fault)
	s.Bool("one_way", &p.oneWay)
	s.Struct("counters", &p.count)
	s.Check(p.Running() == p.control.running(), "control machine in %v", p.control.state)
	if s.Restoring() {
		p.app.wanted.Config, p.app.Config = p.app.wanted.Config.listed(), p.app.Config.listed()
	}
}

// passState saves to snapshot s, or restores from it, the DCBX control state machine.
func (c *control) passState(s *snapshot.State) {
	snapshot.Number(s, "state", &c.state)
	snapshot.Number(s, "seq", &c.seq)
	snapshot.Number(s, "ack", &c.ack)
	snapshot.Number(s, "rcvd_ack", &c.rcvdAck)
	snapshot.Number(s, "oper_v", &c.operV)
	snapshot.Number(s, "max_v", &c.maxV)
	s.Bool("no_tlv", &c.noTLV)
	s.Struct("peer", &c.peer)
	s.Bool("heard", &c.heard)
	s.Bool("news", &c.news)
	snapshot.Text(s, "lost", &c.lost)
	s.Check(c.state <= ControlAckPeer, "state %d", c.state)
}

// passState saves to snapshot s, or restores from it, the DCBX state machine of one feature.
func (f *feature[C]) passState(s *snapshot.State) {
	snapshot.Number(s, "state", &f.state)
	s.Struct("params", &f.Params)
	s.Struct("wanted", &f.wanted)
	s.Bool("change", &f.change)
	snapshot.Number(s, "oper_v", &f.operV)
	snapshot.Number(s, "max_v", &f.maxV)
	s.Bool("oper_mode", &f.operMode)
	snapshot.Text(s, "why", &f.reason)
	if s.Restoring() {
		f.reason = f.reason.current()
	}
	s.Bool("failed", &f.failed)
	s.Bool("syncd", &f.syncd)
	snapshot.Number(s, "seq", &f.seq)
	s.Struct("peer_cfg", &f.peerCfg)
	s.Bool("peer_willing", &f.peerWilling)
	s.Struct("setting", &f.setting)
	s.Bool("called", &f.called)
	s.Struct("sent", &f.sent)
	snapshot.Number(s, "notified", &f.notified)
	s.Check(f.state <= FeatureBumpSeq, "state %d", f.state)
	for _, c := range []C{f.Config, f.wanted.Config} {
		if err := c.validate(); err != nil {
			s.Check(false, "%v", err)
		}
	}
}

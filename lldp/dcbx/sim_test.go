package dcbx

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
)

var simSeed = flag.Uint64("dcbx.seed", 0, "play only this seed of the simulation")

// TestSimulation joins two ports by a wire that loses, repeats and delays
// LLDPDUs, while administrators change things, links flap and processes are
// killed. Time is virtual, in seconds. When that is over and the wire is good,
// both ends must agree within a few LLDPDUs, and say no more than they have to.
func TestSimulation(t *testing.T) {
	first, last := uint64(1), uint64(500)
	if *simSeed != 0 {
		first, last = *simSeed, *simSeed
	}
	for seed := first; seed <= last; seed++ {
		if err := newSim(seed).play(); err != nil {
			t.Fatalf("go test -run TestSimulation -dcbx.seed=%d: %v", seed, err)
		}
	}
}

const (
	simRough   = 300 // seconds of changes on a bad wire
	simQuiet   = 200 // seconds after that in which they have to agree
	simRefresh = 30  // msgTxInterval
	simTTL     = 121
)

// pdu is an LLDPDU on its way.
type pdu struct {
	at      int
	payload []byte
	dcbx    bool
}

// agent is a minimal LLDP agent around a port.
type agent struct {
	port    *Port
	out     Output
	local   Local
	maxV    [3]uint8 // of control, PG, PFC
	next    int      // when the next LLDPDU is due
	expires int      // when the neighbor's information ages out; 0: there is none
	inbox   []pdu
	sent    int
	check   captureCheck
	pg      PG // operational, as SetCfg says
	pfc     PFC
}

type sim struct {
	r    *rand.Rand
	now  int
	ends [2]*agent
	bad  bool
	// renews draws when a port is replaced by another with its state.
	renews *rand.Rand
}

func newSim(seed uint64) *sim {
	s := &sim{r: rand.New(rand.NewPCG(seed, seed)), bad: true, renews: rand.New(rand.NewPCG(seed, 3))}
	for i := range s.ends {
		s.ends[i] = &agent{local: s.randomLocal()}
		for k := range s.ends[i].maxV {
			s.ends[i].maxV[k] = uint8(s.r.IntN(2))
		}
		s.boot(s.ends[i])
	}
	return s
}

// boot starts an agent's process anew.
func (s *sim) boot(a *agent) {
	p, err := NewPort(a.local, &a.out)
	if err != nil {
		panic(err)
	}
	p.control.maxV, p.pg.maxV, p.pfc.maxV = a.maxV[0], a.maxV[1], a.maxV[2]
	a.port, a.expires = p, 0
	a.port.SetLink(true, &a.out)
}

// randomLocal is mostly something that both ends can agree on.
func (s *sim) randomLocal() Local {
	l := Default()
	l.PG.Enable, l.PFC.Enable = s.r.IntN(8) > 0, s.r.IntN(8) > 0
	l.PG.Advertise, l.PFC.Advertise = s.r.IntN(8) > 0, s.r.IntN(8) > 0
	l.PG.Willing, l.PFC.Willing = s.r.IntN(2) > 0, s.r.IntN(2) > 0
	split := uint8(s.r.IntN(101))
	l.PG.Config.Group, l.PG.Config.Percentage = [8]uint8{4: 1, 1, 1, PGStrict}, [8]uint8{split, 100 - split}
	l.PFC.Config.Enable = 1 << (3 + s.r.IntN(2))
	l.App = Params[App]{Enable: true, Advertise: s.r.IntN(4) == 0}
	return l
}

// play runs rough and quiet time.
func (s *sim) play() error {
	for ; s.now < simRough; s.now++ {
		for _, a := range s.ends {
			s.disturb(a)
		}
		if err := s.second(); err != nil {
			return err
		}
	}
	s.bad = false
	for _, a := range s.ends { // whatever was switched off comes back
		a.port.SetLink(true, &a.out)
		a.port.SetLLDP(true, true, &a.out)
		a.port.SetEnabled(true, &a.out)
		a.sent = 0
	}
	for ; s.now < simRough+simQuiet; s.now++ {
		if err := s.second(); err != nil {
			return err
		}
	}
	return s.agreed()
}

// disturb makes a random change, now and then.
func (s *sim) disturb(a *agent) {
	switch s.r.IntN(150) {
	case 0, 1, 2, 3:
		a.local = s.randomLocal()
		if err := a.port.SetLocal(a.local, &a.out); err != nil {
			panic(err)
		}
	case 4:
		a.port.SetLink(s.r.IntN(2) > 0, &a.out)
	case 5:
		a.port.SetLLDP(s.r.IntN(3) > 0, s.r.IntN(3) > 0, &a.out)
	case 6:
		a.port.SetEnabled(s.r.IntN(2) > 0, &a.out)
	case 7:
		s.boot(a) // killed: no goodbye, no memory
	case 8:
		a.port.Receive(2, nil, &a.out) // somebody else spoke
	case 9:
		a.expires = 0
		a.port.NeighborDeleted(false, 0, &a.out)
	}
}

// second is one tick of both agents.
func (s *sim) second() error {
	for i, a := range s.ends {
		if err := a.renew(s.renews); err != nil {
			return err
		}
		s.receive(a)
		if a.expires != 0 && s.now >= a.expires {
			a.expires = 0
			a.port.NeighborDeleted(true, 0, &a.out)
		}
		if err := a.settle(); err != nil {
			return fmt.Errorf("second %d, end %d: %w", s.now, i, err)
		}
		if a.out.Changed || s.now >= a.next {
			s.transmit(a, s.ends[1-i])
		}
		a.out.Reset()
	}
	return nil
}

// receive passes the arrived LLDPDUs to the port.
func (s *sim) receive(a *agent) {
	later := a.inbox[:0]
	for _, p := range a.inbox {
		if p.at > s.now {
			later = append(later, p)
			continue
		}
		a.expires = s.now + simTTL
		if p.dcbx {
			a.port.Receive(1, [][]byte{p.payload}, &a.out)
		} else {
			a.port.Receive(1, nil, &a.out)
		}
	}
	a.inbox = later
}

// transmit sends at most one LLDPDU a second, as the transmit credit does in
// the long run.
func (s *sim) transmit(a, to *agent) {
	a.next = s.now + simRefresh
	a.sent++
	if !a.port.link || !a.port.tx {
		return
	}
	p := pdu{at: s.now + 1}
	p.payload, p.dcbx = a.port.AppendTLV(nil)
	for copies := 1; copies > 0; copies-- {
		if !s.bad {
			to.inbox = append(to.inbox, p)
			continue
		}
		switch s.r.IntN(5) {
		case 0: // lost
			continue
		case 1: // twice
			copies++
		case 2: // late, perhaps after the next one
			p.at += s.r.IntN(4)
		}
		to.inbox = append(to.inbox, p)
	}
}

// settle carries out the port's output and checks the invariants.
func (a *agent) settle() error {
	for _, c := range a.out.PG {
		a.pg = c.Oper
	}
	for _, c := range a.out.PFC {
		a.pfc = c.Oper
	}
	v := a.port.Snapshot()
	switch {
	case v.PG.Oper.OperCfg != a.pg || v.PFC.Oper.OperCfg != a.pfc:
		return fmt.Errorf("SetCfg and OperCfg differ")
	case !v.PFC.Oper.OperMode && a.pfc.Enable != 0:
		return fmt.Errorf("PFC is on while OperMode is off")
	case v.PG.Oper.OperMode && v.PG.Oper.Error, v.PFC.Oper.OperMode && v.PFC.Oper.Error:
		return fmt.Errorf("a feature operates in error")
	}
	return a.check.see(a.port)
}

// captureCheck sees to it that what goes out under one SeqNo stays the same
// ("a value that changes each time an exchanged parameter changes", DCBX,
// table 1), but for what FeatureAbsent shows.
type captureCheck struct {
	port   *Port
	seq    uint32
	before []byte
}

func (c *captureCheck) see(p *Port) error {
	payload, ok := p.AppendTLV(nil)
	if !ok {
		*c = captureCheck{}
		return nil
	}
	m, err := Decode(payload)
	if err != nil {
		return fmt.Errorf("own TLV: %w", err)
	}
	seq := m.Control.SeqNo
	m.Control = Control{}
	for _, h := range []*Header{&m.PG.Header, &m.PFC.Header, &m.App.Header} {
		h.Error, h.OperVersion = false, 0
	}
	now := m.Append(nil)
	same := c.port == p && c.seq == seq && c.before != nil
	// PeerNotAdvertiseDCBX and LinkUp begin to count anew.
	if same && seq > 1 && !bytes.Equal(now, c.before) {
		return fmt.Errorf("SeqNo %d stands for %x and for %x", seq, c.before, now)
	}
	*c = captureCheck{p, seq, now}
	return nil
}

// agreed checks that both ends agree at the end.
func (s *sim) agreed() error {
	for i, a := range s.ends {
		v, peer := a.port.Snapshot(), s.ends[1-i]
		other := peer.port.Snapshot()
		if v.Peer != PeerPresent {
			return fmt.Errorf("end %d: peer is %s", i, v.Peer)
		}
		if v.Control.RcvdAckNo != v.Control.Local.SeqNo || other.Control.Local.AckNo != v.Control.Local.SeqNo {
			return fmt.Errorf("end %d: SeqNo %d, acknowledged %d", i, v.Control.Local.SeqNo, v.Control.RcvdAckNo)
		}
		if !shown(other.PG.Peer, a.local.PG) || !shown(other.PFC.Peer, a.local.PFC) || !shown(other.App.Peer, a.local.App) {
			return fmt.Errorf("end %d wants %+v, its peer sees %+v, %+v, %+v", i, a.local, other.PG.Peer,
				other.PFC.Peer, other.App.Peer)
		}
		if err := agree(v.PG, a.local.PG, peer.local.PG); err != nil {
			return fmt.Errorf("end %d: pg: %w", i, err)
		}
		if err := agree(v.PFC, a.local.PFC, peer.local.PFC); err != nil {
			return fmt.Errorf("end %d: pfc: %w", i, err)
		}
		// The refreshes, and what it takes to agree.
		if limit := simQuiet/simRefresh + 14; a.sent > limit {
			return fmt.Errorf("end %d: %d LLDPDUs in %d quiet seconds, more than %d", i, a.sent, simQuiet, limit)
		}
	}
	return nil
}

// shown says whether a peer has been told what an end is set to.
func shown[C config[C]](at FeatureTLV[C], own Params[C]) bool {
	if !own.Advertise {
		return !at.Present
	}
	return at.Present && at.Enable == own.Enable && at.Willing == own.Willing && at.Config.equal(own.Config)
}

// agree says how a feature differs from what both configurations ask for.
func agree[C config[C]](v FeatureView[C], own, peer Params[C]) error {
	mode, failed, cfg := true, false, own.Config
	switch {
	case !own.Advertise:
		mode = own.Enable
	case !peer.Advertise:
		mode, failed = false, true
	case !own.Enable || !peer.Enable:
		mode = false
	case own.Willing && !peer.Willing:
		cfg = peer.Config
	case own.Willing == peer.Willing && !own.Config.compatible(peer.Config):
		mode, failed = false, true
	}
	if !mode {
		cfg = own.Config.withoutPeer()
	}
	o := v.Oper
	if o.OperMode != mode || o.Error != failed || !o.Syncd || v.Pending || !o.OperCfg.equal(cfg) {
		return fmt.Errorf("%+v with %+v is %s %+v, want OperMode %v, Error %v, %+v", own, peer, v.State, o, mode, failed, cfg)
	}
	return nil
}

package agent_test

import (
	"errors"
	"strings"
	"testing"

	"uelink/lldp/agent"
	"uelink/lldp/dcbnl"
	"uelink/lldp/dcbx"
)

// nic is a simulated driver.
type nic struct {
	asked  chan dcbnl.Settings
	answer chan error
}

func newNIC() *nic { return &nic{make(chan dcbnl.Settings), make(chan error)} }

func (n *nic) apply(_ string, s dcbnl.Settings) error {
	n.asked <- s
	return <-n.answer
}

// The NIC is given the local settings first, then what the peer decides, each
// once; what goes wrong is told. A driver that takes its time holds nobody up.
func TestNICIsProgrammed(t *testing.T) {
	w := newWorld(t)
	n := newNIC()
	c := withDCBX("left", willing)
	c.Ports[0].DCBNL, c.Apply = true, n.apply
	a := start(t, w.a, c)
	if s := <-n.asked; s.PG != dcbx.Default().PG.Config || s.PFC.Enable != 0 {
		t.Errorf("at first %+v", s)
	}
	if d := a.DCBX()[0].DCBNL; d.Status != "waiting" {
		t.Errorf("%+v", d)
	}
	peer := withDCBX("right", storage)
	b := start(t, w.b, peer)
	eventually(t, "DCBX is done while the driver works", func() bool {
		d := a.DCBX()[0]
		return d.PFC.Oper.OperMode && d.PFC.Oper.OperCfg.Enable == 1<<3 && d.PG.Oper.OperCfg == peer.Ports[0].DCBX.PG.Config
	})
	n.answer <- errors.New("the first settings are too late")
	if s := <-n.asked; s.PG != peer.Ports[0].DCBX.PG.Config || s.PFC.Enable != 1<<3 {
		t.Errorf("then %+v", s)
	}
	n.answer <- nil
	if e := a.expect(t, "dcbnl"); !strings.Contains(e.Text, "PFC 3") {
		t.Errorf("%+v", e)
	}
	if d := a.DCBX()[0].DCBNL; d.Status != "applied" || d.Error != "" {
		t.Errorf("%+v", d)
	}

	must(t, b.Close()) // without a peer there is no PFC
	if s := <-n.asked; s.PFC.Enable != 0 {
		t.Errorf("without a peer %+v", s)
	}
	n.answer <- dcbnl.ErrUnsupported
	a.expectText(t, "dcbnl", dcbnl.ErrUnsupported.Error())
	if d := a.DCBX()[0].DCBNL; d.Status != "failed" || d.Error != dcbnl.ErrUnsupported.Error() {
		t.Errorf("%+v", d)
	}
}

// Without DCBNL in the configuration no NIC is programmed.
func TestNICIsLeftAlone(t *testing.T) {
	w := newWorld(t)
	c := withDCBX("left", willing)
	c.Apply = func(string, dcbnl.Settings) error {
		t.Error("the NIC is programmed")
		return nil
	}
	a, b := start(t, w.a, c), start(t, w.b, withDCBX("right", storage))
	b.expect(t, "dcbx_peer_found")
	eventually(t, "DCBX is done", func() bool { return a.DCBX()[0].PFC.Oper.OperMode })
	if d := a.DCBX()[0].DCBNL; d != (agent.DCBNL{Status: "off"}) {
		t.Errorf("%+v", d)
	}
}

// A veth's driver has no DCB: the error is reported, and DCBX goes on.
func TestNICWithoutDCB(t *testing.T) {
	w := newWorld(t)
	c := withDCBX("left", willing)
	c.Ports[0].DCBNL = true
	c.Apply = func(ifname string, s dcbnl.Settings) error {
		return w.a.Do(func() error { return dcbnl.Apply(ifname, s) })
	}
	a := start(t, w.a, c)
	if e := a.expect(t, "dcbnl"); !strings.Contains(e.Text, "interface left") {
		t.Errorf("%+v", e)
	}
	if d := a.DCBX()[0]; d.DCBNL.Status != "failed" || !d.Running {
		t.Errorf("%+v", d)
	}
}

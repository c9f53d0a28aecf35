package station_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"reflect"
	"strings"
	"testing"

	"go.uber.org/zap"

	"uelink/internal/netns"
	"uelink/internal/snapshot"
	"uelink/lldp/agent"
	"uelink/lldp/dcbnl"
	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/dialect"
	"uelink/lldp/station"
)

// nic is a simulated driver, which answers when the test says so. It has settings by which it is recognized.
type nic struct {
	asked    chan dcbnl.Settings
	answer   chan error
	restored chan dcbnl.Former
}

func newNIC() *nic {
	return &nic{make(chan dcbnl.Settings), make(chan error), make(chan dcbnl.Former, 1)}
}

var former = dcbnl.Former{HasMode: true, Mode: 0x42}

func (n *nic) Read(string, dcbnl.Settings) (*dcbnl.Former, error) {
	f := former
	return &f, nil
}

func (n *nic) Apply(_ string, s dcbnl.Settings, _ *dcbnl.Former) error {
	n.asked <- s
	return <-n.answer
}

func (n *nic) Restore(_ string, f *dcbnl.Former) error {
	n.restored <- *f
	return nil
}

// The NIC is given the local settings first, then what the peer decides, each
// once; what goes wrong is told. A driver that takes its time holds nobody up.
func TestNICIsProgrammed(t *testing.T) {
	w := newWorld(t)
	n := newNIC()
	c := withDCBX("left", willing)
	c.Ports[0].DCBNL, c.NIC = true, n
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

// untouched is a NIC that must be left alone.
type untouched struct{ t *testing.T }

func (u untouched) Read(string, dcbnl.Settings) (*dcbnl.Former, error) {
	u.t.Error("the NIC is read")
	return nil, errors.ErrUnsupported
}

func (u untouched) Apply(string, dcbnl.Settings, *dcbnl.Former) error {
	u.t.Error("the NIC is programmed")
	return nil
}

func (u untouched) Restore(string, *dcbnl.Former) error {
	u.t.Error("the NIC is restored")
	return nil
}

// Without DCBNL in the configuration no NIC is programmed.
func TestNICIsLeftAlone(t *testing.T) {
	w := newWorld(t)
	c := withDCBX("left", willing)
	c.NIC = untouched{t}
	a, b := start(t, w.a, c), start(t, w.b, withDCBX("right", storage))
	b.expect(t, "dcbx_peer_found")
	eventually(t, "DCBX is done", func() bool { return a.DCBX()[0].PFC.Oper.OperMode })
	if d := a.DCBX()[0].DCBNL; d != (agent.DCBNL{Status: "off"}) {
		t.Errorf("%+v", d)
	}
}

// within programs NICs of a namespace.
type within struct {
	dcbnl.Kernel
	ns *netns.NS
}

func (k within) Apply(ifname string, s dcbnl.Settings, f *dcbnl.Former) error {
	return k.ns.Do(func() error { return k.Kernel.Apply(ifname, s, f) })
}

func (k within) Read(ifname string, s dcbnl.Settings) (f *dcbnl.Former, err error) {
	err = k.ns.Do(func() error {
		f, err = k.Kernel.Read(ifname, s)
		return err
	})
	return f, err
}

func (k within) Restore(ifname string, f *dcbnl.Former) error {
	return k.ns.Do(func() error { return k.Kernel.Restore(ifname, f) })
}

// A veth's driver has no DCB: the error is reported, and DCBX goes on.
func TestNICWithoutDCB(t *testing.T) {
	w := newWorld(t)
	c := withDCBX("left", willing)
	c.Ports[0].DCBNL, c.NIC = true, within{ns: w.a}
	a := start(t, w.a, c)
	if e := a.expect(t, "dcbnl"); !strings.Contains(e.Text, "interface left") {
		t.Errorf("%+v", e)
	}
	if d := a.DCBX()[0]; d.DCBNL.Status != "failed" || !d.Running {
		t.Errorf("%+v", d)
	}
}

// taker is a NIC that takes everything at once.
type taker struct{ *nic }

func (k taker) Apply(_ string, s dcbnl.Settings, f *dcbnl.Former) error {
	if f.Mode != former.Mode && !f.Unknown {
		return errors.New("its former settings were not read")
	}
	return nil
}

// dcbnlOn returns a configuration whose NIC is programmed.
func dcbnlOn(n station.NIC, version dialect.Version) station.Config {
	c := withDCBX("left", willing)
	c.Ports[0].Dialect, c.Ports[0].DCBNL, c.NIC = version, true, n
	return c
}

// The NIC has its former settings again when the daemon ends, when dcbnl or DCBX is switched off, when the port is
// taken out, and when the port is replaced by another one on the interface that does not program it. A daemon that
// goes on with the NIC does not restore it.
func TestNICGetsItsFormerSettings(t *testing.T) {
	for _, version := range []dialect.Version{dialect.CEE, dialect.IEEE} {
		for about, next := range map[string]func(*station.Config){
			"the daemon ends":        nil,
			"dcbnl is switched off":  func(c *station.Config) { c.Ports[0].DCBNL = false },
			"DCBX is switched off":   func(c *station.Config) { c.Ports[0].DCBX = nil },
			"the port is taken out":  func(c *station.Config) { c.Ports = nil },
			"another port without":   func(c *station.Config) { c.Ports[0].Name, c.Ports[0].DCBNL = "port1", false },
			"another port, then end": func(c *station.Config) { c.Ports[0].Name = "port1" },
		} {
			if next != nil && version == dialect.CEE {
				continue // the form makes no difference
			}
			t.Run(version.String()+" "+about, func(t *testing.T) {
				w, n := newWorld(t), taker{newNIC()}
				a := start(t, w.a, dcbnlOn(n, version))
				a.expect(t, "dcbnl")
				if next != nil {
					c := dcbnlOn(n, version)
					next(&c)
					must(t, w.a.Do(func() error { return a.Reload(c) }))
				}
				if next == nil || strings.HasSuffix(about, "then end") {
					if next != nil {
						a.expect(t, "dcbnl")
					}
					must(t, a.Close())
				}
				if f := <-n.restored; f.Mode != former.Mode {
					t.Errorf("restored: %+v", f)
				}
				must(t, a.Close())
				if len(n.restored) > 0 {
					t.Error("the NIC was restored twice")
				}
			})
		}
	}
}

// An interface that is gone is not asked, and one that comes is read again.
func TestNICThatIsGone(t *testing.T) {
	w, n := newWorld(t), taker{newNIC()}
	a := start(t, w.a, dcbnlOn(n, dialect.IEEE))
	a.expect(t, "dcbnl")
	ip(t, w.a, "link", "del", "left")
	a.expectText(t, agent.EventInterface, "absent")
	must(t, a.Close())
	if len(n.restored) > 0 {
		t.Error("a NIC that is gone was restored")
	}
}

// without returns a saved state without the groups of a name.
func without(state []byte, group string) []byte {
	var kept []byte
	depth := 0
	for line := range bytes.Lines(state) {
		words := bytes.Fields(line)
		switch {
		case bytes.HasPrefix(line, []byte("end ")):
			return fmt.Appendf(kept, "end %d %08x\n", len(kept), crc32.ChecksumIEEE(kept))
		case depth == 0 && string(words[0]) != group:
			kept = append(kept, line...)
		case string(words[len(words)-1]) == "{":
			depth++
		case string(words[0]) == "}":
			depth--
		}
	}
	return kept
}

// The former settings outlive an upgrade, and the NIC is not programmed a second time. After an upgrade from a version
// that did not read them they are unknown.
func TestFormerSettingsOutliveAnUpgrade(t *testing.T) {
	w := newWorld(t)
	a := start(t, w.a, dcbnlOn(taker{newNIC()}, dialect.IEEE))
	a.expect(t, "dcbnl")
	a.Freeze()
	state := snapshot.Save("lldp", a.Agents)
	a.Thaw()
	for _, c := range []struct {
		state []byte
		want  dcbnl.Former
	}{{state, former}, {without(state, "nic"), dcbnl.Former{Unknown: true}}} {
		n := taker{newNIC()}
		var next *station.Agents
		must(t, w.a.Do(func() (err error) {
			if next, err = station.Open(dcbnlOn(n, dialect.IEEE), zap.NewNop()); err != nil {
				return err
			}
			return next.Restore(c.state)
		}))
		if d := next.DCBX()[0].DCBNL; (d.Status == "applied") == c.want.Unknown {
			t.Errorf("%+v", d)
		}
		must(t, next.Close())
		if f := <-n.restored; !reflect.DeepEqual(f, c.want) {
			t.Errorf("restored %+v, want %+v", f, c.want)
		}
	}
}

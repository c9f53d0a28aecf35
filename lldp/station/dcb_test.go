package station_test

import (
	"sync"
	"testing"

	"uelink/lldp/dcbx"
	"uelink/lldp/station"
)

// ledger records the calls of Config.DCB for a port.
type ledger struct {
	mu       sync.Mutex
	reported []station.DCB
}

func (l *ledger) tell(_ string, d station.DCB) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reported = append(l.reported, d)
}

func (l *ledger) last() (d station.DCB) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.reported); n > 0 {
		return l.reported[n-1]
	}
	return d
}

// comesTo waits until the latest call of Config.DCB is the given one.
func (l *ledger) comesTo(t *testing.T, what string, want station.DCB) {
	t.Helper()
	eventually(t, what, func() bool { return l.last() == want })
}

// once checks that no two consecutive calls are equal.
func (l *ledger) once(t *testing.T) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	var before station.DCB
	for i, d := range l.reported {
		if d == before {
			t.Errorf("told again, %d: %+v", i, d)
		}
		before = d
	}
}

// ownGroups wants groups of its own, and is willing to have others.
func ownGroups(l *dcbx.Local) {
	l.PG.Config = dcbx.PG{Group: [8]uint8{7: 15}, Percentage: [8]uint8{100}, NumTCs: 8}
	l.PFC.Config.Enable = 1 << 5
}

// set is what follows from SetCfg with TRUE, and unset from FALSE: no PFC (DCBX, 3.2.4), but the
// groups that the port is configured with (3.1.4).
func set(c station.Config) (d station.DCB) {
	local := c.Ports[0].DCBX
	d.Running = true
	d.PG.Set, d.PG.Config = true, local.PG.Config
	d.PFC.Set, d.PFC.Config = true, local.PFC.Config
	return d
}

func unset(c station.Config) (d station.DCB) {
	d = set(c)
	d.PG.Set, d.PFC.Set, d.PFC.Config.Enable = false, false, 0
	return d
}

// What DCBX has come to is told when a peer is agreed with, changes its mind, withdraws, and when
// DCBX stops running.
func TestOutcomeOfDCBXIsTold(t *testing.T) {
	w := newWorld(t)
	var l ledger
	own, peer := withDCBX("left", ownGroups), withDCBX("right", storage)
	own.DCB = l.tell
	a := start(t, w.a, own)
	l.comesTo(t, "no peer yet", unset(own))
	b := start(t, w.b, peer)
	l.comesTo(t, "the peer's settings", set(peer))
	peer = withDCBX("right", func(l *dcbx.Local) { storage(l); l.PFC.Config.Enable = 1 << 4 })
	must(t, w.b.Do(func() error { return b.Reload(peer) }))
	l.comesTo(t, "the peer's new settings", set(peer))
	must(t, w.b.Do(func() error { return b.Reload(on("right")) }))
	l.comesTo(t, "the peer withdraws", unset(own))
	must(t, w.b.Do(func() error { return b.Reload(peer) }))
	l.comesTo(t, "the peer comes back", set(peer))
	off := on("left")
	off.DCB = l.tell
	must(t, w.a.Do(func() error { return a.Reload(off) }))
	l.comesTo(t, "DCBX is switched off", station.DCB{})
	l.once(t)
}

// DCBX stops with what carries it.
func TestEndOfDCBXIsTold(t *testing.T) {
	for name, ends := range map[string]func(t *testing.T, w world, a *running, c station.Config){
		"interface down": func(t *testing.T, w world, _ *running, _ station.Config) {
			ip(t, w.a, "link", "set", "left", "down")
		},
		"interface deleted": func(t *testing.T, w world, _ *running, _ station.Config) {
			ip(t, w.a, "link", "del", "left")
		},
		"port taken out": func(t *testing.T, w world, a *running, c station.Config) {
			c.Ports = nil
			must(t, w.a.Do(func() error { return a.Reload(c) }))
		},
		"agents closed": func(t *testing.T, _ world, a *running, _ station.Config) { must(t, a.Close()) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			var l ledger
			own, peer := withDCBX("left", willing), withDCBX("right", storage)
			own.DCB = l.tell
			a := start(t, w.a, own)
			start(t, w.b, peer)
			l.comesTo(t, "the peer's settings", set(peer))
			ends(t, w, a, own)
			l.comesTo(t, "DCBX does not run", station.DCB{})
			l.once(t)
		})
	}
}

// Who does not advertise a feature wants it as it stands (DCBX, figure 11, NoAdvertise).
func TestFeatureThatIsNotAdvertisedIsTold(t *testing.T) {
	w := newWorld(t)
	var l ledger
	own := withDCBX("left", func(l *dcbx.Local) { l.PFC.Advertise, l.PFC.Config.Enable = false, 1<<6 })
	own.DCB = l.tell
	start(t, w.a, own)
	want := unset(own)
	want.PFC = station.Feature[dcbx.PFC]{Set: true, Config: own.Ports[0].DCBX.PFC.Config}
	l.comesTo(t, "its own priorities", want)
}

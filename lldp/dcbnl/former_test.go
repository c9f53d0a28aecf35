package dcbnl

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/lldp/dcbx/ieee"
)

// newCard returns a NIC with settings of its own in both forms.
func newCard(mode uint8) *card {
	settings := &IEEE{ETS: ieee.Configuration{MaxTCs: 4, ETS: ieee.ETS{Class: [8]uint8{7: 1}}},
		PFC: ieee.PFC{Cap: 4, Enable: 1 << 6}}
	c := &card{mode: mode, ets: settings.etsOctets(), flow: settings.flowOctets(), cee: map[command][]byte{}}
	for _, e := range []ieee.AppEntry{{Priority: 5, Selector: ieee.SelectorUDP, Protocol: 4791},
		{Priority: 2, Selector: ieee.SelectorDSCP, Protocol: 26}} {
		c.app = append(c.app, appOctets(e))
	}
	for i, r := range readings() {
		c.cee[r.set] = []byte{uint8(i)}
	}
	return c
}

// settings returns all that a card was set to, the Application table sorted.
func (c *card) settings() card {
	s := card{mode: c.mode, ets: c.ets, flow: c.flow, app: slices.Clone(c.app), cee: map[command][]byte{}}
	slices.SortFunc(s.app, slices.Compare)
	for k, v := range c.cee {
		s.cee[k] = slices.Clone(v)
	}
	return s
}

// Whatever form is applied, in whatever order, the NIC has its former settings afterwards, and restoring them again
// sets nothing.
func TestFormerSettingsAreRestored(t *testing.T) {
	other := *exampleIEEE
	other.App = []ieee.AppEntry{{Priority: 1, Selector: ieee.SelectorTCP, Protocol: 3260},
		{Priority: 7, Selector: ieee.SelectorDSCP, Protocol: 26}}
	cee, first, second := example, Settings{IEEE: exampleIEEE}, Settings{IEEE: &other}
	for _, mode := range []uint8{modeHostCEE, modeHostIEEE, modeHost | modeCEE | modeIEEE} {
		for about, list := range map[string][]Settings{"CEE": {cee}, "IEEE": {first}, "IEEE twice": {first, second},
			"IEEE, then CEE": {first, cee}, "CEE, then IEEE": {cee, second}} {
			c := newCard(mode)
			before := c.settings()
			f, err := read(c.ask, "eth0", list[0].IEEE != nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range list {
				if err := apply(c.ask, "eth0", s, f); err != nil {
					t.Fatal(err)
				}
			}
			if err := restore(c.ask, "eth0", f); err != nil {
				t.Fatal(err)
			}
			after := c.settings()
			if f.IEEE { // the other form is not what the NIC operated by
				after.cee = before.cee
			} else {
				after.ets, after.flow, after.app = before.ets, before.flow, before.app
			}
			if !reflect.DeepEqual(after, before) {
				t.Errorf("mode %#x, %s: the NIC has\n%+v, had\n%+v", mode, about, after, before)
			}
			c.asked = nil
			if err := restore(c.ask, "eth0", f); err != nil {
				t.Fatal(err)
			}
			if i := slices.IndexFunc(c.asked, func(c command) bool { return !c.reads() }); i >= 0 {
				t.Errorf("mode %#x, %s: restored again: %v", mode, about, c.asked)
			}
		}
	}
}

// Entries of an earlier outcome do not stay.
func TestEntriesOfAnEarlierOutcomeAreRemoved(t *testing.T) {
	c := newCard(modeHostIEEE)
	f, err := read(c.ask, "eth0", true)
	if err != nil {
		t.Fatal(err)
	}
	other := *exampleIEEE
	other.App = []ieee.AppEntry{{Priority: 1, Selector: ieee.SelectorTCP, Protocol: 3260}}
	for _, s := range []*IEEE{exampleIEEE, &other} {
		if err := apply(c.ask, "eth0", Settings{IEEE: s}, f); err != nil {
			t.Fatal(err)
		}
	}
	want := append([][]byte{appOctets(other.App[0])}, f.App...)
	unknown := newCard(modeHostIEEE)
	for _, s := range []*IEEE{&other, exampleIEEE} {
		if err := apply(unknown.ask, "eth0", Settings{IEEE: s}, &Former{Unknown: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := restore(unknown.ask, "eth0", &Former{Unknown: true}); err != nil || len(unknown.app) != 3 {
		t.Errorf("%v: of an unknown table %x is left", err, unknown.app)
	}
	got := c.settings().app
	slices.SortFunc(want, slices.Compare)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("entries %x, want %x", got, want)
	}
}

// A NIC whose firmware ran DCBX runs it again, and a driver without a mode gets the settings of the form that was
// applied.
func TestFirmwareRunsDCBXAgain(t *testing.T) {
	c := newCard(modeIEEE)
	f, err := read(c.ask, "eth0", true)
	if err != nil {
		t.Fatal(err)
	}
	if err := apply(c.ask, "eth0", Settings{IEEE: exampleIEEE}, f); err != nil {
		t.Fatal(err)
	}
	if err := restore(c.ask, "eth0", f); err != nil || c.mode != 0 {
		t.Errorf("%v: mode %#x", err, c.mode)
	}
	managed := newCard(modeManaged | modeIEEE)
	if f, err = read(managed.ask, "eth0", true); err != nil {
		t.Fatal(err)
	}
	if err := restore(managed.ask, "eth0", f); err != nil || len(managed.set) > 0 || managed.mode != modeManaged|modeIEEE {
		t.Errorf("%v: %+v", err, managed)
	}
	old := newCard(0)
	old.lacks = getMode
	before := old.settings()
	if f, err = read(old.ask, "eth0", false); err != nil {
		t.Fatal(err)
	}
	old.cee[setState], old.cee[setFlowState] = []byte{9}, []byte{9}
	if err := restore(old.ask, "eth0", f); err != nil || !reflect.DeepEqual(old.settings(), before) {
		t.Errorf("%v: %+v", err, old)
	}
	if last := old.asked[len(old.asked)-2:]; !slices.Equal(last, []command{setAll, setState}) {
		t.Errorf("the last commands are %v", last)
	}
}

// A driver that refuses is an error, and one that cannot tell its settings keeps those of DCBX.
func TestDriversThatDoNotTellOrRestore(t *testing.T) {
	for _, get := range []command{getMode, getIEEE, getGroupsSend, getFlowState} {
		ask := func(m []byte) ([]byte, error) {
			if command(m[1]) == get {
				return nil, unix.EIO
			}
			return newCard(0).ask(m)
		}
		if _, err := read(ask, "eth0", get == getIEEE); !errors.Is(err, unix.EIO) {
			t.Errorf("%q fails: %v", get, err)
		}
	}
	if err := restore(newCard(modeHostIEEE).ask, "eth0", &Former{}); err != nil {
		t.Error(err)
	}
	c := newCard(modeHostIEEE)
	f, err := read(c.ask, "eth0", true)
	if err != nil {
		t.Fatal(err)
	}
	c.mode, c.refuses = modeHostCEE, true
	if err := restore(c.ask, "eth0", f); !errors.Is(err, errFirmware) {
		t.Error(err)
	}
	c = newCard(modeHostIEEE)
	c.flow, c.lacks = make([]byte, flowLen), setIEEE
	if err := restore(c.ask, "eth0", f); !errors.Is(err, unix.EOPNOTSUPP) {
		t.Error(err)
	}
}

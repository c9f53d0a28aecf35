package dcbnl

import (
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/ieee"
)

// card is a NIC with DCB in its IEEE form: it keeps what is set.
type card struct {
	mode    uint8
	refuses bool // every mode that is set, as ice does
	ets     []byte
	flow    []byte
	app     [][]byte
	asked   []command
	set     [][]byte           // the attribute of each IEEE_SET
	forgets bool               // PFC
	lacks   command            // the command that its driver does not have
	cee     map[command][]byte // attributes of the CEE form as set
}

func (c *card) ask(m []byte) ([]byte, error) {
	what := command(m[1])
	c.asked = append(c.asked, what)
	header := []byte{0, m[1], 0, 0}
	nest := attribute(m[4:], attrIEEE)
	switch what {
	case c.lacks:
		return nil, unix.EOPNOTSUPP
	case getMode:
		return append(header, octet(attrMode, c.mode).Serialize()...), nil
	case setMode:
		code := uint8(1)
		if !c.refuses {
			c.mode, code = attribute(m[4:], attrMode)[0], 0
		}
		return append(header, octet(attrMode, code).Serialize()...), nil
	case setIEEE:
		c.set = append(c.set, nest)
		if ets := attribute(nest, attrETS); ets != nil {
			c.ets = ets
		}
		if flow := attribute(nest, attrFlow); flow != nil && !c.forgets {
			c.flow = flow
		}
		if app := attribute(attribute(nest, attrAppTable), attrApp); app != nil {
			c.app = append(c.app, app)
		}
	case deleteIEEE:
		app := attribute(attribute(nest, attrAppTable), attrApp)
		c.app = slices.DeleteFunc(c.app, func(old []byte) bool { return slices.Equal(old, app) })
	case getIEEE:
		return append(header, c.all()...), nil
	case getState, getGroupsSend, getGroupsRecv, getFlowPriority, getFlowState:
		i := slices.IndexFunc(readings(), func(r reading) bool { return r.get == what })
		r := readings()[i]
		return append(header, nl.NewRtAttr(int(r.attr), c.cee[r.set]).Serialize()...), nil
	case setAll: // succeeds
	default:
		i := slices.IndexFunc(readings(), func(r reading) bool { return r.set == what })
		c.cee[what] = attribute(m[4:], readings()[i].attr)
	}
	return append(header, octet(attrIEEE, 0).Serialize()...), nil
}

// all is the answer to IEEE_GET.
func (c *card) all() []byte {
	out := nl.NewRtAttr(attrIEEE, nil)
	if c.ets != nil {
		out.AddRtAttr(attrETS, c.ets)
	}
	if c.flow != nil {
		out.AddRtAttr(attrFlow, c.flow)
	}
	apps := out.AddRtAttr(attrAppTable, nil)
	for _, a := range c.app {
		apps.AddRtAttr(attrApp, a)
	}
	return out.Serialize()
}

var exampleIEEE = &IEEE{
	ETS: ieee.Configuration{Willing: true, MaxTCs: 8, ETS: ieee.ETS{Class: [8]uint8{3: 1}, Bandwidth: [8]uint8{60, 40},
		Algorithm: [8]uint8{ieee.Enhanced, ieee.Enhanced}}},
	Recommendation: ieee.ETS{Bandwidth: [8]uint8{100}, Algorithm: [8]uint8{ieee.Enhanced}},
	PFC:            ieee.PFC{Cap: 8, MBC: true, Enable: 1 << 3},
	App:            []ieee.AppEntry{{Priority: 3, Selector: ieee.SelectorUDP, Protocol: 4791}},
}

// The structures of linux/dcbnl.h to the octet.
func TestOctetsOfTheIEEEForm(t *testing.T) {
	ets := hex.EncodeToString(exampleIEEE.etsOctets())
	if want := "010800" + "3c28000000000000" + "3c28000000000000" + "0202000000000000" + "0000000100000000" +
		"6400000000000000" + "0200000000000000" + "0000000000000000"; ets != want || len(ets) != 2*etsLen {
		t.Errorf("ieee_ets\n%s, want\n%s", ets, want)
	}
	if flow := exampleIEEE.flowOctets(); len(flow) != flowLen || flow[0] != 8 || flow[1] != 8 || flow[2] != 1 {
		t.Errorf("ieee_pfc %x", flow)
	}
}

func TestIEEEFormIsApplied(t *testing.T) {
	c := &card{mode: modeHost | modeCEE | modeIEEE, app: [][]byte{
		appOctets(ieee.AppEntry{Priority: 5, Selector: ieee.SelectorUDP, Protocol: 4791}),
		appOctets(ieee.AppEntry{Priority: 2, Selector: ieee.SelectorDSCP, Protocol: 26}),
	}}
	former, err := read(c.ask, "eth0", true)
	if err != nil {
		t.Fatal(err)
	}
	c.asked = nil
	if err := apply(c.ask, "eth0", Settings{IEEE: exampleIEEE}, former); err != nil {
		t.Fatal(err)
	}
	want := []command{getMode, setMode, setIEEE, getIEEE, deleteIEEE, setIEEE}
	if !slices.Equal(c.asked, want) || c.mode != modeHostIEEE || len(c.app) != 2 || len(c.ets) != etsLen {
		t.Errorf("asked %v, want %v: %+v", c.asked, want, c)
	}
	// Again: the mode and the entry are there.
	c.asked, c.refuses = nil, true
	if err := apply(c.ask, "eth0", Settings{IEEE: exampleIEEE}, former); err != nil {
		t.Fatal(err)
	}
	if want := []command{getMode, setIEEE, getIEEE}; !slices.Equal(c.asked, want) {
		t.Errorf("asked %v, want %v", c.asked, want)
	}
}

func TestWhatAnIEEECardRefuses(t *testing.T) {
	for _, c := range []struct {
		about  string
		card   card
		want   string
		target error
	}{
		{"firmware runs DCBX", card{mode: modeManaged | modeIEEE}, "firmware runs DCBX itself", errFirmware},
		{"firmware does not hand over", card{mode: modeIEEE, refuses: true}, "firmware runs DCBX itself", errFirmware},
		{"PFC stays off", card{mode: modeHostIEEE, flow: make([]byte, flowLen), forgets: true}, "priorities with PFC: none in the NIC, 3 by DCBX",
			ErrDiffers},
		{"no IEEE form", card{mode: modeHostIEEE, lacks: setIEEE}, "dcbnl to off", ErrUnsupported},
		{"no mode", card{lacks: getMode, refuses: true}, "firmware", errFirmware},
	} {
		err := apply(c.card.ask, "eth0", Settings{IEEE: exampleIEEE}, &Former{})
		if !errors.Is(err, c.target) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.about, err, c.want)
		}
	}
}

// A driver that is in CEE mode already answers 1 when told so again: it is not told.
func TestModeThatIsSetStays(t *testing.T) {
	c := &card{mode: modeHostCEE, refuses: true, cee: map[command][]byte{}}
	err := apply(c.ask, "eth0", Settings{PG: dcbx.Default().PG.Config}, &Former{})
	if err != nil || slices.Contains(c.asked, setMode) {
		t.Errorf("%v: %v", err, c.asked)
	}
}

func FuzzAttributes(f *testing.F) {
	f.Add((&card{ets: make([]byte, etsLen), app: [][]byte{{1, 2, 3, 4}}}).all())
	f.Fuzz(func(_ *testing.T, answer []byte) {
		ask := func([]byte) ([]byte, error) { return answer, nil }
		_ = apply(ask, "eth0", Settings{IEEE: exampleIEEE}, &Former{})
		for _, inIEEE := range []bool{false, true} {
			if f, err := read(ask, "eth0", inIEEE); err == nil {
				_ = restore(ask, "eth0", f)
			}
		}
	})
}

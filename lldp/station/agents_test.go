package station_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"uelink/lldp"
	"uelink/lldp/lldptest"
	"uelink/lldp/station"
	"uelink/lldp/ue"
	"uelink/wire"
)

func TestTwoStations(t *testing.T) {
	w := newWorld(t)
	must(t, w.a.AddAddr("left", "10.9.0.1/24"))
	c := on("left")
	c.System.ManagementAuto = true
	c.System.HasCapabilities = true
	c.System.Capabilities = lldp.Capabilities{System: lldp.CapBridge | lldp.CapStation, Enabled: lldp.CapStation}
	c.Ports[0].Description = "to the right"
	c.Ports[0].Custom = []lldp.Org{{OUI: lldp.OUI{0xDE, 0xAD, 0xBE}, Subtype: 66, Info: []byte("hello")}}
	a, b := start(t, w.a, c), start(t, w.b, on("right"))

	got := *b.expect(t, "neighbor_added").Neighbor
	link, err := w.a.Link("left")
	must(t, err)
	want := lldp.PDU{
		Chassis: lldp.ChassisID{Subtype: lldp.ChassisLocal, ID: []byte("chassis-left")},
		Port:    lldp.PortID{Subtype: lldp.PortIfName, ID: []byte("left")}, TTL: 121,
		PortDescription: []byte("to the right"), SystemName: []byte("host-left"), SystemDescription: []byte("a test"),
		HasCapabilities: true, Capabilities: c.System.Capabilities,
		Management: []lldp.Management{lldp.ManagementAt(netip.MustParseAddr("10.9.0.1"), uint32(link.Index))},
		Org:        append([]lldp.Org{{OUI: ue.DefaultOUI, Subtype: ue.SubtypeWishes, Info: []byte{1, 0, 0}}}, c.Ports[0].Custom...),
		Len:        got.Info.Len,
	}
	if diff := cmp.Diff(want, got.Info.PDU, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if got.Port != "port0" || got.Interface != "right" || got.Destination != lldp.NearestBridge ||
		!bytes.Equal(got.Source[:], link.HardwareAddr) || got.Now < got.Since || !got.Recognized[0] || got.Recognized[1] {
		t.Errorf("%+v", got)
	}
	a.expect(t, "neighbor_added")
	if n := a.Neighbors(); len(n) != 1 || string(n[0].Info.SystemName) != "host-right" {
		t.Errorf("%+v", n)
	}
	i := a.Interfaces()
	if len(i) != 1 || i[0].Status != "up" || i[0].Mode != lldp.RxTx || i[0].TxState != lldp.TxIdle ||
		i[0].RxState != lldp.RxWaitForFrame || i[0].Neighbors != 1 || string(i[0].PDU.SystemName) != "host-left" {
		t.Errorf("%+v", i)
	}
	if ch := a.Chassis(); ch.Chassis.String() != "chassis-left" || ch.SystemName != "host-left" ||
		len(ch.Management) != 1 {
		t.Errorf("%+v", ch)
	}
	s := a.Statistics()
	if len(s) != 1 || s[0].Rx.TotalFrames == 0 || s[0].Tx.TotalFrames == 0 || s[0].Remote.Inserts != 1 ||
		time.Since(s[0].LastChange) > time.Minute {
		t.Errorf("%+v", s)
	}
	must(t, a.ClearCounters(""))
	if s := a.Statistics(); s[0].Remote.Inserts != 0 || s[0].LastChange.IsZero() {
		t.Errorf("%+v", s)
	}
	must(t, a.Close())
	if e := b.expect(t, "neighbor_deleted"); !strings.HasSuffix(e.Text, ": shutdown") || e.Neighbor == nil {
		t.Errorf("%+v", e)
	}
	if n := b.Neighbors(); len(n) > 0 {
		t.Errorf("still known: %+v", n)
	}
}

// LLR and CBFC are agreed on, and given up when one side gives up.
func TestUENegotiation(t *testing.T) {
	w := newWorld(t)
	offer := ue.Options{Advertise: true, LLR: true, CBFC: true, Credit: ue.CBFC{VCs: 8, Pool: 100, Lossless: 3}}
	var mu sync.Mutex
	var reported []ue.Result
	c := on("left")
	c.Ports[0].UE = offer
	c.Negotiated = func(port string, r ue.Result) {
		mu.Lock()
		defer mu.Unlock()
		reported = append(reported, r)
	}
	a := start(t, w.a, c)
	d := on("right")
	d.Ports[0].UE = offer
	b := start(t, w.b, d)
	on := func(r *running) bool {
		n, err := r.Negotiation("port0")
		must(t, err)
		return n.LLR == ue.LLR{Local: true, Remote: true} && n.CBFC.On && n.CBFC.VCs == 8
	}
	eventually(t, "both agree", func() bool { return on(a) && on(b) })
	offer.LLR = false
	must(t, b.SetOffer("port0", offer))
	drained := func(r *running) bool {
		n, _ := r.Negotiation("port0")
		return n.LLR == ue.LLR{Drain: true} && n.CBFC.On
	}
	eventually(t, "both have given up LLR", func() bool { return drained(a) && drained(b) })
	mu.Lock()
	defer mu.Unlock()
	if last := reported[len(reported)-1]; !last.LLR.Drain || last.Partner != ue.PartnerPresent {
		t.Errorf("told last: %+v", last)
	}
	if n := a.Neighbors(); !n[0].UE.HasLink || !n[0].Recognized[0] || hex.EncodeToString(n[0].Info.Org[0].Info) != "4001" {
		t.Errorf("%+v", n)
	}
	if err := b.SetOffer("port9", offer); !errors.Is(err, station.ErrNoPort) {
		t.Error(err)
	}
	must(t, b.FastStart("port0"))
	if err := b.FastStart("port9"); !errors.Is(err, station.ErrNoPort) {
		t.Error(err)
	}
	offer.Credit.VCs = 99
	if err := b.SetOffer("port0", offer); err == nil {
		t.Error("99 VCs were taken")
	}
}

// The rows of the table of received frames, as raw frames.
func TestValidationOnTheWire(t *testing.T) {
	w := newWorld(t)
	must(t, w.a.SetMTU("left", 1700)) // some are longer than any LLDPDU
	must(t, w.b.SetMTU("right", 1700))
	a, in := start(t, w.a, on("left")), newInjector(t, w.b, "right")
	a.waitUp(t)
	for _, c := range lldptest.Cases() {
		must(t, a.ClearCounters("port0"))
		in.send(t, c.Frame)
		eventually(t, c.Name, func() bool { return a.Statistics()[0].Rx.TotalFrames > 0 })
		if got := a.Statistics()[0].Rx; got != c.Want {
			t.Errorf("%s: %+v\nwant %+v", c.Name, got, c.Want)
		}
	}
}

// A frame is heard with a priority tag and with the tag of a switch's native VLAN, which the kernel takes off.
func TestTagsOnTheWire(t *testing.T) {
	w := newWorld(t)
	a, in := start(t, w.a, on("left")), newInjector(t, w.b, "right")
	a.waitUp(t)
	tagged := func(tci byte) []byte { return slices.Insert(lldptest.Good(), 12, 0x81, 0x00, 0xE0, tci) }
	for n, vid := range []byte{0, 1} {
		in.send(t, tagged(vid))
		eventually(t, "the frame is heard", func() bool { return a.Statistics()[0].Rx.TotalFrames == uint64(n+1) })
	}
	if n := a.Neighbors(); len(n) != 1 {
		t.Errorf("%d neighbours", len(n))
	}
}

// Three agents on one interface, each with its own group.
func TestEveryDestination(t *testing.T) {
	w := newWorld(t)
	all := []wire.MAC{lldp.NearestBridge, lldp.NearestNonTPMRBridge, lldp.NearestCustomerBridge}
	c, d := on("left"), on("right")
	c.Ports[0].Destinations, d.Ports[0].Destinations = all, all[1:]
	c.Ports[0].UE = ue.Options{Advertise: true}
	a, b := start(t, w.a, c), start(t, w.b, d)
	b.expect(t, "neighbor_added")
	b.expect(t, "neighbor_added")
	eventually(t, "two neighbours on the left", func() bool { return len(a.Neighbors()) == 2 })
	for i, n := range b.Neighbors() {
		if n.Destination != all[1+i] || len(n.Info.Org) != 0 {
			t.Errorf("%+v", n)
		}
	}
	if i := a.Interfaces(); len(i) != 3 || i[0].Neighbors != 0 || i[2].Neighbors != 1 {
		t.Errorf("%+v", i)
	}
}

func TestReload(t *testing.T) {
	w := newWorld(t)
	c := on("left")
	a, b := start(t, w.a, c), start(t, w.b, on("right"))
	b.expect(t, "neighbor_added")
	reload := func(c station.Config) error { return w.a.Do(func() error { return a.Reload(c) }) }

	c.Ports[0].Description = "described anew"
	must(t, reload(c))
	if n := b.expect(t, "neighbor_updated").Neighbor; string(n.Info.PortDescription) != "described anew" {
		t.Errorf("%+v", n)
	}
	c.Ports[0].Mode = lldp.RxOnly
	must(t, reload(c))
	b.expect(t, "neighbor_deleted")
	bad := c
	bad.System.Name = strings.Repeat("x", 256)
	var refused *station.Error
	if err := reload(bad); !errors.As(err, &refused) || refused.ExitCode() != 2 {
		t.Errorf("%v", err)
	}
	c.Ports = nil
	must(t, reload(c))
	if i := a.Interfaces(); len(i) > 0 {
		t.Errorf("%+v", i)
	}
	must(t, reload(on("left")))
	b.expect(t, "neighbor_added")
}

func TestConfigErrors(t *testing.T) {
	twice := on("left")
	twice.Ports = append(twice.Ports, twice.Ports[0])
	none, timers, vcs := on(""), on("left"), on("left")
	timers.Ports[0].Timers = lldp.Timers{TxInterval: 9999}
	vcs.Ports[0].UE = ue.Options{Advertise: true, CBFC: true}
	for want, c := range map[string]station.Config{"configured twice": twice, "no interface": none,
		"tx_interval is 9999": timers, "number of VCs": vcs} {
		_, err := station.Open(c, zap.NewNop())
		var refused *station.Error
		if !errors.As(err, &refused) || refused.ExitCode() != 2 || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// The test runs itself again as nobody.
func TestWithoutPrivilege(t *testing.T) {
	const mark = "LLDP_TEST_AS_NOBODY"
	if os.Getenv(mark) != "" {
		_, err := station.Open(on("left"), zap.NewNop())
		var refused *station.Error
		if errors.As(err, &refused) {
			os.Exit(100 + refused.ExitCode())
		}
		os.Exit(1)
	}
	w := newWorld(t)
	copied := t.TempDir() + "/test"
	self, err := os.ReadFile(os.Args[0])
	must(t, err)
	must(t, os.WriteFile(copied, self, 0o755))
	for dir := copied; dir != "/"; dir = dir[:max(1, strings.LastIndex(dir, "/"))] {
		if strings.Contains(dir, t.Name()) {
			must(t, os.Chmod(dir, 0o755))
		}
	}
	cmd := exec.Command(copied, "-test.run=^TestWithoutPrivilege$")
	cmd.Env = append(os.Environ(), mark+"=1")
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = w.a.Run(cmd)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 103 {
		t.Errorf("%v: %s", err, out.String())
	}
}

func TestNothingIsLeftRunning(t *testing.T) {
	w := newWorld(t)
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	before := descriptors(t)
	for range 20 {
		must(t, w.a.Do(func() error {
			a, err := station.Open(on("left"), zap.NewNop())
			if err != nil {
				return err
			}
			ctx, stop := context.WithCancel(context.Background())
			time.AfterFunc(time.Millisecond, stop)
			err = a.Run(ctx)
			if err := a.LocalChange("port0"); err != nil {
				return err
			}
			err = errors.Join(err, a.Close(), a.Close(), a.Run(context.Background()))
			if len(a.Neighbors()) != 0 || a.LocalChange("port0") == nil {
				err = errors.Join(err, errors.New("it works after Close"))
			}
			return err
		}))
	}
	if after := descriptors(t); after > before+2 {
		t.Errorf("%d file descriptors, %d before", after, before)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	return len(list)
}

package dataplane

import (
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"golang.org/x/sys/unix"

	"uelink/dataplane/model"
	"uelink/internal/netns/nstest"
	"uelink/llr"
)

// createdBed is a data plane whose edge is a veth that it makes, in the namespace of the test.
type createdBed struct {
	networkBed
	settings Settings
	d        *Dataplane
	log      *observer.ObservedLogs // from level info on
}

func newCreatedBed(t *testing.T) *createdBed {
	t.Helper()
	nstest.Enter(t)
	b := &createdBed{networkBed: networkBed{t}}
	b.must(netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "la"}, PeerName: "lb"}))
	lnk, edge, p := linkAndEdge()
	lnk.Name, lnk.Interface = "la", "la"
	edge.Name, edge.Interface = "ue0", "ue0"
	b.settings = Settings{
		DrainTimeout: time.Second, Profiles: map[string]llr.Profile{"p": p}, Ports: []model.PortSettings{lnk, edge},
		XConnects: []XConnect{{Edge: "ue0", Link: "la"}},
	}
	b.host("uelink0", "10.5.0.1/24")
	core, logs := observer.New(zap.InfoLevel)
	b.log = logs
	var err error
	b.d, err = Open(b.settings, Home{State: t.TempDir()}, nil, zap.New(core))
	b.must(err)
	t.Cleanup(func() { b.must(b.d.Close()) })
	return b
}

// host sets the kernel's end in the settings.
func (b *createdBed) host(name string, addresses ...string) {
	h := &model.HostInterface{Name: name}
	for _, a := range addresses {
		h.Addresses = append(h.Addresses, netip.MustParsePrefix(a))
	}
	b.settings.Ports = slices.Clone(b.settings.Ports)
	b.settings.Ports[1].Host = h
}

func (b *createdBed) edge() model.PortState {
	states := b.d.Ports()
	return states[slices.IndexFunc(states, func(s model.PortState) bool { return s.Name == "ue0" })]
}

// hasAddress reports whether an interface has an address.
func (b *createdBed) hasAddress(ifname, address string) bool {
	b.t.Helper()
	all, err := netlink.AddrList(b.link(ifname), unix.AF_INET)
	b.must(err)
	return slices.ContainsFunc(all, func(a netlink.Addr) bool { return a.IPNet.String() == address })
}

// A start makes the veth, and reports no fault of a veth that is not there yet. Neither does a reload after somebody
// has removed the veth: the next veth has the name and the address of the reload.
func TestVethThatIsNotThereYetIsNoFault(t *testing.T) {
	b := newCreatedBed(t)
	b.must(netlink.LinkDel(b.link("ue0")))
	b.host("other0", "10.5.0.2/24")
	b.must(b.d.Reload(b.settings))
	b.d.reconcile()
	if fault := b.edge().Fault; fault != "" || !b.hasAddress("other0", "10.5.0.2/24") {
		t.Errorf("fault %q", fault)
	}
	for _, e := range b.log.FilterLevelExact(zap.ErrorLevel).All() {
		t.Errorf("%s: %v", e.Message, e.ContextMap())
	}
}

// A name that cannot be given is a fault, until a reload brings one that can.
func TestReloadWithANameThatIsTaken(t *testing.T) {
	b := newCreatedBed(t)
	b.host("lb")
	b.must(b.d.Reload(b.settings))
	b.d.reconcile()
	if fault := b.edge().Fault; !strings.Contains(fault, "lb is there already: choose another host_interface") {
		t.Errorf("%q", fault)
	}
	b.host("other0", "10.5.0.2/24")
	b.must(b.d.Reload(b.settings))
	fault := b.edge().Fault
	if fault != "" || !b.hasAddress("other0", "10.5.0.2/24") || b.hasAddress("other0", "10.5.0.1/24") {
		t.Errorf("afterwards: %q", fault)
	}
}

// Addresses that somebody takes away are given again, and that is told; one that cannot be is a fault.
func TestAddressesThatAreTakenAway(t *testing.T) {
	b := newCreatedBed(t)
	taken := must(netlink.ParseAddr("10.5.0.1/24"))
	b.must(netlink.AddrDel(b.link("uelink0"), taken))
	b.d.survey(surveyEvery)
	notice := b.edge().Notice
	if !b.hasAddress("uelink0", "10.5.0.1/24") ||
		!strings.Contains(notice, "the daemon has restored the IP address 10.5.0.1/24") {
		t.Errorf("%q", notice)
	}
	b.must(netlink.LinkSetName(b.link("uelink0"), "renamed0"))
	b.must(netlink.AddrDel(b.link("renamed0"), must(netlink.ParseAddr("10.5.0.1/24"))))
	b.d.survey(2 * surveyEvery)
	if !b.hasAddress("renamed0", "10.5.0.1/24") {
		t.Error("one that somebody has given another name has lost its address")
	}
}

// A data plane that is refused the veth of another leaves it to that.
func TestSecondDataPlaneWithTheSameVeth(t *testing.T) {
	b := newCreatedBed(t)
	index := b.link("uelink0").Attrs().Index
	other := b.settings
	other.Ports = slices.Clone(other.Ports)
	other.Ports[0].Interface = "lb" // that of the first is refused before the veth is looked at
	d, err := Open(other, Home{State: t.TempDir()}, nil, zap.NewNop())
	if err == nil {
		b.must(d.Close())
		t.Fatal("it was not refused")
	}
	text := err.Error()
	if !strings.Contains(text, "veth of ue0 and uelink0: ") || !strings.Contains(text, "another XDP program") {
		t.Errorf("%v", err)
	}
	if now := b.link("uelink0").Attrs().Index; now != index || !b.hasAddress("uelink0", "10.5.0.1/24") {
		t.Errorf("the first one's interface %d has become %d", index, now)
	}
}

// An IPv6 address on a host that has IPv6 switched off is a fault with the command that mends it, and the edge works.
func TestCreatedEdgeWithoutIPv6(t *testing.T) {
	b := newCreatedBed(t)
	b.must(os.WriteFile("/proc/sys/net/ipv6/conf/uelink0/disable_ipv6", []byte("1"), 0))
	b.host("uelink0", "10.5.0.1/24", "fd00::1/64")
	b.must(b.d.Reload(b.settings))
	b.d.survey(surveyEvery)
	const command = "sysctl -w net.ipv6.conf.uelink0.disable_ipv6=0"
	if e := b.edge(); e.OperStatus != model.OperUp || !strings.HasSuffix(e.Fault, "type: "+command) {
		t.Errorf("%v, with the fault %q", e.OperStatus, e.Fault)
	}
	b.must(os.WriteFile("/proc/sys/net/ipv6/conf/uelink0/disable_ipv6", []byte("0"), 0))
	b.d.survey(surveyEvery)
	if e := b.edge(); e.Fault != "" {
		t.Errorf("with IPv6 the fault is %q", e.Fault)
	}
}

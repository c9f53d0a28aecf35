package bpf

import (
	"errors"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
)

func attached(t *testing.T, ifindex int, mode attach.Mode) *Program {
	t.Helper()
	p, err := Attach(ifindex, Config{}, mode)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// onInterface returns the ID of the program on an interface, 0 for none.
func onInterface(t *testing.T, ifindex int) uint32 {
	t.Helper()
	dev, err := netlink.LinkByIndex(ifindex)
	if err != nil {
		t.Fatal(err)
	}
	if dev.Attrs().Xdp == nil {
		return 0
	}
	return dev.Attrs().Xdp.ProgId
}

func TestAttachModes(t *testing.T) {
	a, _ := inNamespace(t)
	for _, test := range []struct{ ask, mode attach.Mode }{
		{attach.ModeAuto, attach.ModeDriver}, {attach.ModeDriver, attach.ModeDriver}, {attach.ModeGeneric, attach.ModeGeneric},
	} {
		p := attached(t, a, test.ask)
		if p.Mode() != test.mode || p.Fallback() != nil {
			t.Errorf("asked for %s: got %s, fall-back because of %v", test.ask, p.Mode(), p.Fallback())
		}
		if onInterface(t, a) == 0 {
			t.Errorf("%s: no program on the interface", test.ask)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if onInterface(t, a) != 0 {
			t.Errorf("%s: Close left the program on the interface", test.ask)
		}
	}
	if _, err := Attach(a, Config{}, attach.ModeGeneric+1); err == nil {
		t.Error("an unknown mode was taken")
	}
}

// TestGenericFallback asks for a program on the loopback interface, whose driver
// knows no XDP.
func TestGenericFallback(t *testing.T) {
	inNamespace(t)
	const loopback = 1
	p := attached(t, loopback, attach.ModeAuto)
	defer p.Close()
	if p.Mode() != attach.ModeGeneric || p.Fallback() == nil {
		t.Errorf("mode %s, fall-back because of %v", p.Mode(), p.Fallback())
	}
	_, err := Attach(loopback, Config{}, attach.ModeDriver)
	if err == nil {
		t.Fatal("driver mode on the loopback interface")
	}
}

func TestDriverModeUnsupported(t *testing.T) {
	inNamespace(t)
	if _, err := Attach(1, Config{}, attach.ModeDriver); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v is not errors.ErrUnsupported", err)
	}
}

// TestFallbackForMTU: the driver of a veth accepts no program without support for several buffers (as before Linux
// 5.18) if the peer sends frames longer than a page.
func TestFallbackForMTU(t *testing.T) {
	ofOldKernel(t)
	a, b := inNamespace(t)
	peer, err := netlink.LinkByIndex(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := netlink.LinkSetMTU(peer, 9000); err != nil {
		t.Fatal(err)
	}
	if _, err := Attach(a, Config{}, attach.ModeDriver); err == nil {
		t.Error("driver mode with a peer of MTU 9000")
	}
	p := attached(t, a, attach.ModeAuto)
	defer p.Close()
	if p.Mode() != attach.ModeGeneric || p.Fallback() == nil {
		t.Errorf("mode %s, fall-back because of %v", p.Mode(), p.Fallback())
	}
}

func TestOccupied(t *testing.T) {
	a, _ := inNamespace(t)
	for _, mode := range []attach.Mode{attach.ModeDriver, attach.ModeGeneric} {
		first := attached(t, a, mode)
		for _, second := range []attach.Mode{attach.ModeAuto, attach.ModeDriver, attach.ModeGeneric} {
			_, err := Attach(a, Config{}, second)
			var occupied *OccupiedError
			if !errors.As(err, &occupied) {
				t.Fatalf("%s after %s: %v is no OccupiedError", second, mode, err)
			}
			if occupied.Interface != "a" || occupied.Program != "uelink_steer" || occupied.ID != onInterface(t, a) {
				t.Errorf("%s after %s: %+v", second, mode, occupied)
			}
		}
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestInterfaceGone(t *testing.T) {
	a, _ := inNamespace(t)
	p := attached(t, a, attach.ModeAuto)
	dev, err := netlink.LinkByIndex(a)
	if err != nil {
		t.Fatal(err)
	}
	if err := netlink.LinkDel(dev); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Counters(); err != nil {
		t.Errorf("counters after the interface was deleted: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Errorf("close after the interface was deleted: %v", err)
	}
	if _, err := Attach(a, Config{}, attach.ModeAuto); err == nil {
		t.Error("attached to an interface that does not exist")
	}
}

// onlyCapabilities drops all other capabilities of the test's thread, which ends with the test.
func onlyCapabilities(t *testing.T, kept ...int) {
	t.Helper()
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	for _, c := range kept {
		data[c/32].Effective |= 1 << (c % 32)
		data[c/32].Permitted |= 1 << (c % 32)
	}
	if err := unix.Capset(&header, &data[0]); err != nil {
		t.Fatal(err)
	}
}

func TestPrivilege(t *testing.T) {
	a, _ := inNamespace(t)
	onlyCapabilities(t, unix.CAP_NET_RAW)
	_, err := Attach(a, Config{}, attach.ModeAuto)
	var privilege *PrivilegeError
	if !errors.As(err, &privilege) {
		t.Fatalf("%v is no PrivilegeError", err)
	}
	if len(privilege.Missing) != 2 || privilege.Missing[0] != "CAP_NET_ADMIN" || privilege.Missing[1] != "CAP_BPF" {
		t.Errorf("missing: %v", privilege.Missing)
	}
}

// TestCapabilitiesSuffice: the verifier is stricter with a loader that lacks
// CAP_PERFMON, and must not find fault with any of the settings.
func TestCapabilitiesSuffice(t *testing.T) {
	a, _ := inNamespace(t)
	onlyCapabilities(t, unix.CAP_NET_ADMIN, unix.CAP_BPF)
	configs := []Config{{}}
	for _, native := range []attach.NativeAction{attach.NativeSocket, attach.NativePass, attach.NativeDrop} {
		configs = append(configs, Config{Link: true, EtherTypeData: 0x88B5, EtherTypeControl: 0x88B6, Native: native})
	}
	for _, c := range configs {
		for _, mode := range []attach.Mode{attach.ModeDriver, attach.ModeGeneric} {
			p, err := Attach(a, c, mode)
			if err != nil {
				t.Errorf("%+v: %v", c, err)
				continue
			}
			if _, err := p.Counters(); err != nil {
				t.Error(err)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

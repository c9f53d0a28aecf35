package dcbnl_test

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lldp/dcbnl"
	"uelink/lldp/dcbx"
)

// applyIn applies the default settings to an interface of a namespace.
func applyIn(ns *netns.NS, ifname string) error {
	local := dcbx.Default()
	s := dcbnl.Settings{PG: local.PG.Config, PFC: local.PFC.Config}
	return ns.Do(func() error { return dcbnl.Kernel{}.Apply(ifname, s, &dcbnl.Former{}) })
}

func TestVethHasNoDCB(t *testing.T) {
	ns := nstest.New(t, "dcbnl")
	if err := netns.Veth(ns, "left", ns, "right", 1500); err != nil {
		t.Fatal(err)
	}
	err := applyIn(ns, "left")
	if !errors.Is(err, dcbnl.ErrUnsupported) {
		t.Fatalf("%v is not ErrUnsupported", err)
	}
	if text := err.Error(); !strings.HasPrefix(text, "interface left: ") ||
		!strings.Contains(text, "set dcbnl to off for this port") {
		t.Errorf("%q does not say what to do about which interface", text)
	}
}

// What a driver without DCB had is nothing, and nothing is restored.
func TestVethHasNothingToRestore(t *testing.T) {
	ns := nstest.New(t, "dcbnl")
	if err := netns.Veth(ns, "left", ns, "right", 1500); err != nil {
		t.Fatal(err)
	}
	for _, s := range []dcbnl.Settings{{}, {IEEE: &dcbnl.IEEE{}}} {
		err := ns.Do(func() error {
			f, err := dcbnl.Kernel{}.Read("left", s)
			if err != nil {
				return err
			}
			return dcbnl.Kernel{}.Restore("left", f)
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestInterfaceThatIsNotThere(t *testing.T) {
	ns := nstest.New(t, "dcbnl")
	if err := applyIn(ns, "gone0"); !errors.Is(err, unix.ENODEV) || errors.Is(err, dcbnl.ErrUnsupported) {
		t.Errorf("%v", err)
	}
	for _, name := range []string{"", "sixteen-octets-1"} {
		if err := applyIn(ns, name); err == nil {
			t.Errorf("%q is taken as a name", name)
		}
	}
}

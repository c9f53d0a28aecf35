package ethtool_test

import (
	"errors"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/dataplane/ethtool"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

func TestDisableAndEnable(t *testing.T) {
	ns := nstest.New(t, "offloads")
	must(t, netns.Veth(ns, "one", ns, "two", 1500))
	must(t, ns.Do(func() error {
		before, err := ethtool.Active("one")
		if err != nil {
			return err
		}
		on, wanted, err := ethtool.Offloads("one")
		if err != nil {
			return err
		}
		if err := ethtool.Disable("one", on); err != nil {
			return err
		}
		after, err := ethtool.Active("one")
		if err != nil {
			return err
		}
		t.Logf("switched off: %q", on)
		for _, name := range []string{"tx-checksum-ip-generic", "tx-scatter-gather", "tx-tcp-segmentation",
			"tx-generic-segmentation", "rx-gro", "tx-vlan-hw-insert", "rx-vlan-hw-parse"} {
			switch {
			case slices.Contains(after, name):
				t.Errorf("%s is still on", name)
			case slices.Contains(before, name) && !slices.Contains(on, name):
				t.Errorf("%s was switched off but is not named", name)
			}
		}
		if again, _, err := ethtool.Offloads("one"); err != nil || len(again) != 0 {
			t.Errorf("the second time these are on: %q, %v", again, err)
		}
		done, refused, err := ethtool.Enable("one", append(wanted, "no-such-feature"))
		if err != nil || !slices.Equal(done, wanted) || len(refused) != 0 {
			t.Errorf("switched on %q, refused %q, %v", done, refused, err)
		}
		restored, err := ethtool.Active("one")
		if !slices.Equal(before, restored) {
			t.Errorf("before %q\nafter  %q", before, restored)
		}
		return err
	}))
}

func TestEnableLeavesWhatIsOn(t *testing.T) {
	ns := nstest.New(t, "on")
	must(t, netns.Veth(ns, "one", ns, "two", 1500))
	must(t, ns.Do(func() error {
		on, wanted, err := ethtool.Offloads("one")
		if err != nil {
			return err
		}
		if err := ethtool.Disable("one", on[:1]); err != nil {
			return err
		}
		done, refused, err := ethtool.Enable("one", wanted)
		if !slices.Equal(done, on[:1]) || len(refused) != 0 {
			t.Errorf("of %q it switched on %q, refused %q", wanted, done, refused)
		}
		return err
	}))
}

func TestMissingInterface(t *testing.T) {
	if _, _, err := ethtool.Offloads("uelink-absent"); !errors.Is(err, unix.ENODEV) {
		t.Errorf("interface missing: %v", err)
	}
	if err := ethtool.Disable("uelink-absent", nil); !errors.Is(err, unix.ENODEV) {
		t.Errorf("interface missing: %v", err)
	}
	if _, _, err := ethtool.Enable("uelink-absent", nil); !errors.Is(err, unix.ENODEV) {
		t.Errorf("interface missing: %v", err)
	}
	if _, err := ethtool.Active("a-name-far-too-long"); err == nil {
		t.Error("a name of 19 letters was taken")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestConnKeepsItsNamespace(t *testing.T) {
	ns := nstest.New(t, "stats")
	must(t, netns.Veth(ns, "one", ns, "two", 1500))
	var c *ethtool.Conn
	must(t, ns.Do(func() (err error) {
		c, err = ethtool.Open("one")
		return err
	}))
	defer c.Close()
	rx, tx, err := c.Queues()
	if err != nil || rx != 1 || tx != 1 {
		t.Errorf("%d receive and %d transmit queues, %v", rx, tx, err)
	}
	if s := c.Steering(); s.Rules || s.Table || s.SetQueues("one", 1) != "ethtool -L one rx 1" {
		t.Errorf("%+v: a veth steers no frames to queues, and has no combined ones", s)
	}
	stats, err := c.Statistics()
	must(t, err)
	if _, ok := stats["tx_queue_0_xdp_xmit"]; !ok {
		t.Errorf("a veth's statistics: %v", stats)
	}
	index, err := ns.Ifindex("two")
	must(t, err)
	if stats["peer_ifindex"] != uint64(index) {
		t.Errorf("peer has index %d, not %d", stats["peer_ifindex"], index)
	}
}

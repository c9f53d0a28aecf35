package ethtool_test

import (
	"errors"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/dataplane/ethtool"
	"uelink/netns"
	"uelink/netns/nstest"
)

func TestDisableAndRestore(t *testing.T) {
	ns := nstest.New(t, "offloads")
	must(t, netns.Veth(ns, "one", ns, "two", 1500))
	must(t, ns.Do(func() error {
		before, err := ethtool.Active("one")
		if err != nil {
			return err
		}
		restore, changed, err := ethtool.Disable("one")
		if err != nil {
			return err
		}
		after, err := ethtool.Active("one")
		if err != nil {
			return err
		}
		t.Logf("switched off: %q", changed)
		for _, name := range []string{"tx-checksum-ip-generic", "tx-scatter-gather", "tx-tcp-segmentation",
			"tx-generic-segmentation", "rx-gro", "tx-vlan-hw-insert", "rx-vlan-hw-parse"} {
			switch {
			case slices.Contains(after, name):
				t.Errorf("%s is still on", name)
			case slices.Contains(before, name) && !slices.Contains(changed, name):
				t.Errorf("%s was switched off but is not named", name)
			}
		}
		if _, again, err := ethtool.Disable("one"); err != nil || len(again) != 0 {
			t.Errorf("the second time it changed %q, %v", again, err)
		}
		if err := restore(); err != nil {
			return err
		}
		restored, err := ethtool.Active("one")
		if !slices.Equal(before, restored) {
			t.Errorf("before %q\nafter  %q", before, restored)
		}
		return err
	}))
}

func TestMissingInterface(t *testing.T) {
	if _, _, err := ethtool.Disable("uelink-absent"); !errors.Is(err, unix.ENODEV) {
		t.Errorf("interface missing: %v", err)
	}
	if _, err := ethtool.Active("a-name-far-too-long"); err == nil {
		t.Error("a name of 19 letters was taken")
	}
}

func TestRestoreAfterTheInterfaceHasGone(t *testing.T) {
	ns := nstest.New(t, "gone")
	must(t, netns.Veth(ns, "one", ns, "two", 1500))
	must(t, ns.Do(func() error {
		restore, _, err := ethtool.Disable("one")
		if err != nil {
			return err
		}
		if err := ns.DeleteLink("one"); err != nil {
			return err
		}
		if err := restore(); !errors.Is(err, unix.ENODEV) {
			t.Errorf("restoring a deleted interface: %v", err)
		}
		return nil
	}))
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
	queues, err := c.RxQueues()
	if err != nil || queues != 1 {
		t.Errorf("%d receive queues, %v", queues, err)
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

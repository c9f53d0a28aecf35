package edges

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// somebodyElse switches promiscuous mode of an interface on or off, as `ip link set IF promisc on` does.
func somebodyElse(t testing.TB, ns *netns.NS, ifname string, promiscuous bool) {
	t.Helper()
	bed.Must(t, ns.Do(func() error {
		nl, err := netlink.LinkByName(ifname)
		if err != nil {
			return err
		}
		if promiscuous {
			return netlink.SetPromiscOn(nl)
		}
		return netlink.SetPromiscOff(nl)
	}))
}

// hears demands that the daemon in A is one of the users that want both interfaces promiscuous, beside others.
func hears(top *bed.Topology, t testing.TB, when string, others int) {
	t.Helper()
	for _, ifname := range []string{"link0", "edge0"} {
		if n := bed.Promiscuity(t, top.A, ifname); n != others+1 {
			t.Errorf("%s: promiscuity of %s is %d, want %d", when, ifname, n, others+1)
		}
	}
}

func somebodyElseAtBoth(top *bed.Topology, promiscuous bool) {
	top.T.Helper()
	somebodyElse(top.T, top.A, "link0", promiscuous)
	somebodyElse(top.T, top.A, "edge0", promiscuous)
}

func TestPromiscuityIsTheDaemonsOwn(t *testing.T) {
	for _, before := range []bool{false, true} {
		t.Run(fmt.Sprintf("on before the start: %v", before), func(t *testing.T) {
			top := bed.Direct(t)
			others := 0
			if before {
				others = 1
				somebodyElseAtBoth(top, true)
			}
			a := bed.NewDaemon(t, top.A, "A", bed.Settings{})
			a.Start()
			hears(top, t, "after the start", others)
			// What is logged comes another way than READY=1, and may be later.
			bed.Eventually(t, "the log to name the change of 2 interfaces", func() string {
				if n := strings.Count(a.Stderr.String(), "promiscuous mode on"); n != 2 {
					return fmt.Sprintf("it names %d", n)
				}
				return ""
			})
			somebodyElseAtBoth(top, true)
			hears(top, t, "with somebody else's on", 1)
			somebodyElseAtBoth(top, false)
			hears(top, t, "with somebody else's off", 0)
			if code := a.Terminate(); code != 0 {
				t.Errorf("exit %d", code)
			}
			hears(top, t, "after the end", -1)
		})
	}
}

func TestSomebodyElsesPromiscuityOutlivesTheDaemon(t *testing.T) {
	top := bed.Direct(t)
	a := bed.NewDaemon(t, top.A, "A", bed.Settings{})
	a.Start()
	somebodyElseAtBoth(top, true)
	if code := a.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	hears(top, t, "after the end", 0)
}

func TestPromiscuityOfAKilledDaemonGoesWithIt(t *testing.T) {
	top := bed.Direct(t)
	a := bed.NewDaemon(t, top.A, "A", bed.Settings{})
	a.Start()
	a.Kill()
	hears(top, t, "after the kill", -1)
}

func TestPromiscuityOfAnInterfaceMadeAnew(t *testing.T) {
	top := bed.Direct(t)
	a := bed.NewDaemon(t, top.A, "A", bed.Settings{})
	a.Start()
	bed.Must(t, top.A.DeleteLink("link0"))
	bed.Must(t, top.A.DeleteLink("edge0"))
	a.OperStatus("link0", "absent")
	a.OperStatus("edge0", "absent")
	top.RemakeEdge()
	bed.Must(t, netns.Veth(top.A, "link0", top.B, "link0", bed.EdgeMTU))
	a.OperStatus("link0", "up")
	a.OperStatus("edge0", "up")
	somebodyElseAtBoth(top, true)
	somebodyElseAtBoth(top, false)
	hears(top, t, "after the interfaces were made anew", 0)
	if code := a.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	hears(top, t, "after the end", -1)
}

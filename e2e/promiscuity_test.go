package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"

	"uelink/netns"
)

// somebodyElse switches promiscuous mode of an interface on or off, as `ip link set IF promisc on` does.
func somebodyElse(t testing.TB, ns *netns.NS, ifname string, promiscuous bool) {
	t.Helper()
	must(t, ns.Do(func() error {
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

// hearers returns how many users want an interface to be promiscuous (IFLA_PROMISCUITY). A veth receives frames for
// every address anyway, so only this number shows the mode.
func hearers(t testing.TB, ns *netns.NS, ifname string) int {
	t.Helper()
	l, err := ns.Link(ifname)
	must(t, err)
	return l.Promisc
}

// hears demands that the daemon in A is one of the users that want both interfaces promiscuous, beside others.
func (top *topology) hears(t testing.TB, when string, others int) {
	t.Helper()
	for _, ifname := range []string{"link0", "edge0"} {
		if n := hearers(t, top.A, ifname); n != others+1 {
			t.Errorf("%s: promiscuity of %s is %d, want %d", when, ifname, n, others+1)
		}
	}
}

func (top *topology) somebodyElse(promiscuous bool) {
	top.t.Helper()
	somebodyElse(top.t, top.A, "link0", promiscuous)
	somebodyElse(top.t, top.A, "edge0", promiscuous)
}

func TestPromiscuityIsTheDaemonsOwn(t *testing.T) {
	for _, before := range []bool{false, true} {
		t.Run(fmt.Sprintf("on before the start: %v", before), func(t *testing.T) {
			top := direct(t)
			others := 0
			if before {
				others = 1
				top.somebodyElse(true)
			}
			a := newDaemon(t, top.A, "A", settings{})
			a.start()
			top.hears(t, "after the start", others)
			// What is logged comes another way than READY=1, and may be later.
			eventually(t, "the log to name the change of 2 interfaces", func() string {
				if n := strings.Count(a.stderr.String(), "promiscuous mode on"); n != 2 {
					return fmt.Sprintf("it names %d", n)
				}
				return ""
			})
			top.somebodyElse(true)
			top.hears(t, "with somebody else's on", 1)
			top.somebodyElse(false)
			top.hears(t, "with somebody else's off", 0)
			if code := a.terminate(); code != 0 {
				t.Errorf("exit %d", code)
			}
			top.hears(t, "after the end", -1)
		})
	}
}

func TestSomebodyElsesPromiscuityOutlivesTheDaemon(t *testing.T) {
	top := direct(t)
	a := newDaemon(t, top.A, "A", settings{})
	a.start()
	top.somebodyElse(true)
	if code := a.terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	top.hears(t, "after the end", 0)
}

func TestPromiscuityOfAKilledDaemonGoesWithIt(t *testing.T) {
	top := direct(t)
	a := newDaemon(t, top.A, "A", settings{})
	a.start()
	a.kill()
	top.hears(t, "after the kill", -1)
}

func TestPromiscuityOfAnInterfaceMadeAnew(t *testing.T) {
	top := direct(t)
	a := newDaemon(t, top.A, "A", settings{})
	a.start()
	must(t, top.A.DeleteLink("link0"))
	must(t, top.A.DeleteLink("edge0"))
	a.operStatus("link0", "absent")
	a.operStatus("edge0", "absent")
	top.remakeEdge()
	must(t, netns.Veth(top.A, "link0", top.B, "link0", edgeMTU))
	a.operStatus("link0", "up")
	a.operStatus("edge0", "up")
	top.somebodyElse(true)
	top.somebodyElse(false)
	top.hears(t, "after the interfaces were made anew", 0)
	if code := a.terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	top.hears(t, "after the end", -1)
}

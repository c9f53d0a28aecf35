package edges

import (
	"os/exec"
	"strings"
	"testing"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// TestNothingIsChangedThatNoKeyNames: with every key at its default the NIC that a host uses stays as it is, but for
// the program. What the link lacks is told with the line to type, by the doctor before and by the daemon; and that
// line helps.
func TestNothingIsChangedThatNoKeyNames(t *testing.T) {
	t.Parallel()
	top := nics(t)
	host := nstest.New(t, "hostA")
	bed.Must(t, netns.Veth(host, "eth0", top.A, "edge0", bed.EdgeMTU))
	top.Cable()
	before := network(t, top.A)
	a := bed.NewDaemon(t, top.A, "A", bed.Settings{})
	const line = "ip link set dev link0 mtu 1514"
	foretold := bed.Run(t, top.A, exec.Command(bed.Program("uelink"), "doctor", "--config", a.Config))
	if !strings.Contains(foretold, "do: "+line+", or set mtu: set\n") {
		t.Errorf("the doctor says\n%s", foretold)
	}
	a.Start()
	bed.Eventually(t, "a fault with the line", func() string {
		if fault := a.Link().Fault; !strings.HasSuffix(fault, "or type: "+line) {
			return fault + " is told"
		}
		return ""
	})
	same(t, top.A, before, true)
	bed.Run(t, top.A, exec.Command("sh", "-c", line))
	bed.Eventually(t, "the end of the fault", func() string { return a.Link().Fault })
	bed.Must(t, top.A.SetMTU("link0", bed.EdgeMTU))
	if code := a.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	a.Down()
	same(t, top.A, before, false)
}

// TestHostThatComesToUseAnInterfaceIsTold: of addresses and a default route that come and go while the daemon runs.
func TestHostThatComesToUseAnInterfaceIsTold(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	events := p.A.Watch()
	ip := func(command string) { t.Helper(); bed.Run(t, top.A, exec.Command("ip", strings.Fields(command)...)) }
	fault := func(port, want string) {
		t.Helper()
		bed.Eventually(t, "the fault of "+port, func() string {
			if got := p.A.Port(port).Fault; want == "" && got != "" || !strings.HasPrefix(got, want) {
				return "there is " + got
			}
			return ""
		})
	}
	const taken = "), but native: socket takes all frames that arrive"
	ip("address add 192.0.2.1/24 dev link0")
	fault("link0", "the host uses link0 itself since uelinkd took it (the address 192.0.2.1/24"+taken)
	ip("route add default via 192.0.2.9")
	fault("link0", "the host uses link0 itself since uelinkd took it (the address 192.0.2.1/24, the default route"+taken)
	events.Await("error", "set native: pass and reload")
	ip("address add 198.51.100.1/24 dev edge0")
	fault("edge0", "the host uses edge0 itself (the address 198.51.100.1/24), but an edge takes all frames that arrive")
	ip("address del 198.51.100.1/24 dev edge0")
	fault("edge0", "")
	p.A.Reload(bed.Settings{Link: "native: pass"}.Text(p.A.Socket))
	fault("link0", "")
	events.Await("notice", "this machine gets the frames that arrive for it at the interface again")
	p.NoFlush(t)
}

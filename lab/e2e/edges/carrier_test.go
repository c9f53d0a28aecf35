package edges

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// forwarding is a configuration whose xconnect forwards the loss of its link.
type forwarding struct{ bed.Settings }

// Text returns the daemon's whole configuration. socket is the path of its API.
func (f forwarding) Text(socket string) string {
	const keys = "xconnects: [{link_loss: forward, link_loss_delay: 1s, "
	return strings.Replace(f.Settings.Text(socket), "xconnects: [{", keys, 1)
}

// carrier waits until the host's interface at ns has, or has not, its carrier.
func carrier(t *testing.T, ns *netns.NS, ifname string, want bool) {
	t.Helper()
	bed.Eventually(t, fmt.Sprintf("%s whose carrier is %v", ifname, want), func() string {
		l, err := ns.Link(ifname)
		bed.Must(t, err)
		if has := l.RawFlags&unix.IFF_LOWER_UP != 0; has != want {
			return fmt.Sprintf("it is %v", has)
		}
		return ""
	})
}

// TestLostLinkTakesTheCarrierOfTheHost: with link_loss: forward a host loses its carrier with the link, at the end
// that sees no carrier and at the end that hears no partner, gets it back after a kill and with the link, and keeps it
// while the partner restarts. Frames cross afterwards. One host has a veth of its own, the other one a created veth.
func TestLostLinkTakesTheCarrierOfTheHost(t *testing.T) {
	t.Parallel()
	top := bed.Cabled(t)
	top.Cable()
	bed.Run(t, top.B, exec.Command("ip", "link", "delete", "edge0")) // the daemon makes another one
	pushing := bed.Lossless
	pushing.Edge = "push_back: on"
	p := bed.Pair{
		A: bed.NewDaemon(t, top.A, "A", forwarding{pushing}),
		B: bed.NewDaemon(t, top.B, "B", forwarding{bed.CreatedEdge(bed.Lossless, bed.AddressB)}),
	}
	p.Start()
	p.Advance()
	events := p.B.Watch()
	bed.Must(t, top.Wire.SetLink("a", false))
	carrier(t, top.HostA, "eth0", false)
	carrier(t, top.B, "uelink0", false)
	const cause = "the host has no carrier, because link0 is lost: the interface link0 of the port has no carrier"
	if text := p.A.Tool("status").Stdout; !strings.Contains(text, cause) {
		t.Errorf("the status is\n%s", text)
	}
	events.Await("error", "because link0 is lost: the partner is silent")
	p.A.Kill()
	p.A.Start()
	carrier(t, top.HostA, "eth0", true)
	bed.Must(t, top.Wire.SetLink("a", true))
	carrier(t, top.B, "uelink0", true)
	p.Advance()
	restarting := p.A.Watch()
	p.B.Terminate()
	p.B.Start()
	p.Advance()
	for _, e := range restarting.Of("error") {
		if e.Port == "edge0" {
			t.Errorf("the restart of the partner has cost a host its carrier: %+v", e)
		}
	}
	a, b := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.B, "uelink0", bed.ProbeType)
	bed.AwaitCrossing(a, b, bed.Patience)
	bed.AwaitCrossing(b, a, bed.Patience)
}

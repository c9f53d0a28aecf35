package drivers

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// sixLinks is a configuration in which one worker has more links than it polls one by one, and sleeps whenever it
// can.
type sixLinks struct{}

const links = 6

func (sixLinks) Text(socket string) string {
	var ports, xconnects []string
	for i := range links {
		ports = append(ports, fmt.Sprintf(`  - {name: link%[1]d, interface: link%[1]d, role: link,
     llr: {mode: static, local: true, remote: true, profile: e2e}}
  - {name: edge%[1]d, interface: edge%[1]d, role: edge}
`, i))
		xconnects = append(xconnects, fmt.Sprintf("{edge: edge%[1]d, link: link%[1]d}", i))
	}
	return fmt.Sprintf("control: {socket: %q}\nspin: 0s\nllr_profiles:\n  e2e: {%s}\nports:\n%sxconnects: [%s]\n",
		socket, bed.Lossless.Profile, strings.Join(ports, ""), strings.Join(xconnects, ", "))
}

// nth is the name of an interface of a link.
func nth(name string, link int) string { return fmt.Sprint(name, link) }

// addressOf is that of a host, 1 or 2, on a link.
func addressOf(host, link int) string { return fmt.Sprintf("10.77.%d.%d", link, host) }

// TestOneOfManyLinksIsHeard: an echo crosses each link at once, while the others rest
// and while one of them has all the work. Were a worker not told of a frame, it would
// come when the worker's sleep of a second ends.
func TestOneOfManyLinksIsHeard(t *testing.T) {
	ping := bed.InstalledProgram(t, "ping", "iputils-ping")
	top := bed.Direct(t)
	for i := 1; i < links; i++ {
		bed.Must(t, netns.Veth(top.A, nth("link", i), top.B, nth("link", i), bed.EdgeMTU))
		bed.Must(t, netns.Veth(top.HostA, nth("eth", i), top.A, nth("edge", i), bed.EdgeMTU))
		bed.Must(t, netns.Veth(top.HostB, nth("eth", i), top.B, nth("edge", i), bed.EdgeMTU))
		bed.Must(t, top.HostA.AddAddr(nth("eth", i), addressOf(1, i)+"/24"))
		bed.Must(t, top.HostB.AddAddr(nth("eth", i), addressOf(2, i)+"/24"))
	}
	bed.NewDaemon(t, top.A, "A", sixLinks{}).Start()
	bed.NewDaemon(t, top.B, "B", sixLinks{}).Start()
	echoes := func(when string, first int) {
		for i := first; i < links; i++ {
			out := bed.Run(t, top.HostA, exec.Command(ping, "-n", "-q", "-A", "-c", "50", "-w", "20", addressOf(2, i)))
			if !strings.Contains(out, "50 packets transmitted, 50 received, 0% packet loss") {
				t.Errorf("%s, link %d, within 20 s: %s", when, i, out)
			}
		}
	}
	echoes("all at rest", 0)
	l := top.Load(t, bed.Patience)
	echoes("link 0 under load", 1)
	for _, d := range l.End() {
		if d.Lost > 0 || d.Duplicated > 0 || d.Reordered > 0 {
			t.Errorf("the load: %+v", d)
		}
	}
}

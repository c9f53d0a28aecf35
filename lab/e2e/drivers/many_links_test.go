package drivers

import (
	"flag"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
	"uelink/lab/traffic"
)

var togetherFrames = flag.Uint64("together.frames", 10_000,
	"how many frames TestManyLinksSendTogether sends each way on each link")

// sixLinks is a configuration in which one worker has more links than it polls one by one, and sleeps whenever it
// can. more is for each port, and begins with a comma.
type sixLinks struct{ more string }

const links = 6

func (s sixLinks) Text(socket string) string {
	var ports, xconnects []string
	for i := range links {
		ports = append(ports, fmt.Sprintf(`  - {name: link%[1]d, interface: link%[1]d, role: link,
     llr: {mode: static, local: true, remote: true, profile: e2e}%[2]s}
  - {name: edge%[1]d, interface: edge%[1]d, role: edge%[2]s}
`, i, s.more))
		xconnects = append(xconnects, fmt.Sprintf("{edge: edge%[1]d, link: link%[1]d}", i))
	}
	return fmt.Sprintf("control: {socket: %q}\nspin: 0s\nllr_profiles:\n  e2e: {%s}\nports:\n%sxconnects: [%s]\n",
		socket, bed.Lossless.Profile, strings.Join(ports, ""), strings.Join(xconnects, ", "))
}

// nth is the name of an interface of a link.
func nth(name string, link int) string { return fmt.Sprint(name, link) }

// addressOf is that of a host, 1 or 2, on a link.
func addressOf(host, link int) string { return fmt.Sprintf("10.77.%d.%d", link, host) }

// sixVeths joins the two ends by the other five links, each with hosts of its own.
func sixVeths(t *testing.T) *bed.Topology {
	top := bed.Direct(t)
	for i := 1; i < links; i++ {
		bed.Must(t, netns.Veth(top.A, nth("link", i), top.B, nth("link", i), bed.EdgeMTU))
		bed.Must(t, netns.Veth(top.HostA, nth("eth", i), top.A, nth("edge", i), bed.EdgeMTU))
		bed.Must(t, netns.Veth(top.HostB, nth("eth", i), top.B, nth("edge", i), bed.EdgeMTU))
	}
	return top
}

// TestOneOfManyLinksIsHeard: an echo crosses each link at once, while the others rest
// and while one of them has all the work. Were a worker not told of a frame, it would
// come when the worker's sleep of a second ends.
func TestOneOfManyLinksIsHeard(t *testing.T) {
	ping := bed.InstalledProgram(t, "ping", "iputils-ping")
	top := sixVeths(t)
	for i := 1; i < links; i++ {
		bed.Must(t, top.HostA.AddAddr(nth("eth", i), addressOf(1, i)+"/24"))
		bed.Must(t, top.HostB.AddAddr(nth("eth", i), addressOf(2, i)+"/24"))
	}
	bed.NewDaemon(t, top.A, "A", sixLinks{}).Start()
	bed.NewDaemon(t, top.B, "B", sixLinks{}).Start()
	echoes := func(when string, first int) {
		for i := first; i < links; i++ {
			out := bed.Run(t, top.HostA, exec.Command(ping, "-n", "-A", "-c", "50", "-w", "20", addressOf(2, i)))
			for seq := 1; seq <= 50; seq++ { // ping may send one more before it has the last answer
				if !strings.Contains(out, fmt.Sprintf("icmp_seq=%d ", seq)) {
					t.Errorf("%s, link %d, within 20 s, no answer %d: %s", when, i, seq, out)
				}
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

// Few frames at a time cross each of many links, both ways: many leave live, by one call for all ports. None is lost,
// late or changed, also while both daemons are upgraded.
func TestManyLinksSendTogether(t *testing.T) {
	top := sixVeths(t)
	var p bed.Pair
	live := sixLinks{", tx_path: live"}
	p.A, p.B = bed.NewDaemon(t, top.A, "A", live), bed.NewDaemon(t, top.B, "B", live)
	p.A.Start()
	p.B.Start()
	p.A.EndsLast()
	p.B.EndsLast()
	var all sync.WaitGroup
	for i := range links {
		c := top.Between()
		c.From.Interface, c.To.Interface = nth("eth", i), nth("eth", i)
		c.Window, c.Size, c.Frames, c.Spin = 32, "sweep", *togetherFrames, 0
		all.Go(func() {
			r, err := traffic.Run(t.Context(), c, nil)
			if err != nil {
				t.Error(err)
			}
			for _, d := range r.Directions {
				if !d.Clean() || d.Delivered != c.Frames {
					t.Errorf("link %d, %s to %s: %+v", i, d.From, d.To, d)
				}
			}
		})
	}
	sentLive := func(d *bed.Daemon) (live, all uint64) {
		ports, err := d.Client.Ports(t.Context())
		bed.Must(t, err)
		for _, p := range ports {
			live, all = live+p.Socket.TxLive, all+p.Counters.TxFrames
		}
		return live, all
	}
	for _, d := range []*bed.Daemon{p.A, p.B} {
		var before uint64
		bed.Eventually(t, "live frames", func() string {
			if before, _ = sentLive(d); before == 0 {
				return "none"
			}
			return ""
		})
		d.Upgrade()
		bed.Eventually(t, "live frames after the upgrade", func() string {
			if now, _ := sentLive(d); now <= before {
				return fmt.Sprintf("%d, as before", now)
			}
			return ""
		})
	}
	all.Wait()
	for _, d := range []*bed.Daemon{p.A, p.B} {
		live, all := sentLive(d)
		t.Logf("%s: %d of %d frames left live", d.Name, live, all)
		if live < all/100 {
			t.Errorf("%s: only %d of %d frames left live", d.Name, live, all)
		}
	}
}

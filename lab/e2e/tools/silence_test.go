package tools

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// says waits until the status of an end has a problem that contains all words, and demands that no end of the link has
// a command.
func says(t *testing.T, d *bed.Daemon, words ...string) {
	t.Helper()
	began := time.Now()
	bed.Eventually(t, d.Name+" names the cause", func() string {
		found, problems := commands(d)
		for _, problem := range problems {
			missing := false
			for _, w := range words {
				missing = missing || !strings.Contains(problem, w)
			}
			if !missing {
				if len(found) > 0 {
					return fmt.Sprintf("it says to type %q", found)
				}
				t.Logf("%s, after %v: %s", d.Name, time.Since(began).Round(10*time.Millisecond), problem)
				return ""
			}
		}
		return fmt.Sprintf("it says %q", problems)
	})
}

// exchanged is the configuration of an end whose edge and link have each other's interface.
type exchanged struct{}

func (exchanged) Text(socket string) string {
	to := strings.NewReplacer("interface: link0", "interface: edge0", "interface: edge0", "interface: link0")
	return to.Replace(bed.Settings{}.Text(socket))
}

// Where two ends do not hear each other, the status names the likely causes by what the end has observed, and no
// command.
func TestSilenceHasCauses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]func(t *testing.T){
		"no daemon at the other end": func(t *testing.T) {
			top := bed.Direct(t)
			a := bed.NewDaemon(t, top.A, "A", bed.Settings{})
			a.Start()
			says(t, a, "partner is silent: is uelinkd running there with LLR on? Or: ", "only IP", "firewall", "edge port")
		},
		"another address in partner": func(t *testing.T) {
			top := bed.Direct(t)
			a := bed.NewDaemon(t, top.A, "A",
				bed.Settings{Link: "encapsulation: addressed, partner: 02:00:00:00:00:99"})
			b := bed.NewDaemon(t, top.B, "B", bed.Settings{Link: "encapsulation: addressed"})
			a.Start()
			b.Start()
			says(t, a, "this port listens to 02:00:00:00:00:99 alone (partner), and frames come from "+b.Link().MAC)
			says(t, b, "frames come from "+a.Link().MAC+" and are for 02:00:00:00:00:99, not for this port")
		},
		"an edge and a link exchanged at the other end": func(t *testing.T) {
			top := bed.Direct(t)
			a := bed.NewDaemon(t, top.A, "A", bed.Settings{})
			b := bed.NewDaemon(t, top.B, "B", exchanged{})
			a.Start()
			b.Start()
			says(t, b, "is a link port of uelink at the other end of this edge")
			hostB := bed.Open(t, top.HostB, "eth0", bed.ProbeType)
			for range 20 {
				hostB.Send(bed.Probe(1, wire.MinFrameLen))
			}
			says(t, a, "partner is silent: plain Ethernet frames arrive and none of a link: is an edge port")
		},
		"a bridge that keeps the group address": func(t *testing.T) {
			top := bed.NewTopology(t)
			way := nstest.New(t, "wire")
			bed.Must(t, netns.Veth(top.A, "link0", way, "a", bed.LinkMTU))
			bed.Must(t, netns.Veth(top.B, "link0", way, "b", bed.LinkMTU))
			bed.Must(t, way.Bridge("br0", 0, "a", "b"))
			a := bed.NewDaemon(t, top.A, "A", bed.Settings{})
			b := bed.NewDaemon(t, top.B, "B", bed.Settings{})
			a.Start()
			b.Start()
			hostB := bed.Open(t, top.HostB, "eth0", bed.ProbeType)
			for range 20 {
				hostB.Send(bed.Probe(1, wire.MinFrameLen))
			}
			says(t, a, "partner is silent: plain Ethernet frames arrive and none of a link",
				"Or: does a bridge or switch on the way keep frames to 01-80-c2-00-00-0e")
		},
		"a stopped daemon": func(t *testing.T) {
			top := bed.Direct(t)
			p := top.Daemons(bed.Settings{})
			p.B.Signal(syscall.SIGSTOP)
			defer p.B.Signal(syscall.SIGCONT)
			says(t, p.A, "partner is silent: is uelinkd running there with LLR on, and not stopped? Or: is the wire cut")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c(t)
		})
	}
}

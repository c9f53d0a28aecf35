package tools

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// says waits until the status of an end has a problem that contains all words, demands that this end has no command,
// and returns the problem.
func says(t *testing.T, d *bed.Daemon, words ...string) (text string) {
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
				text = problem
				return ""
			}
		}
		return fmt.Sprintf("it says %q", problems)
	})
	return text
}

// exchanged is the configuration of an end whose edge and link have each other's interface.
type exchanged struct{}

func (exchanged) Text(socket string) string {
	to := strings.NewReplacer("interface: link0", "interface: edge0", "interface: edge0", "interface: link0")
	return to.Replace(bed.Settings{}.Text(socket))
}

// firewalled makes the namespaces of two hosts and two daemons, and a bridge between the links that passes all frames
// but the control frames of links: they end in the loopback interface.
func firewalled(t *testing.T) *bed.Topology {
	t.Helper()
	top := bed.Bridged(t, bed.LinkMTU)
	for _, port := range []string{"a", "b"} {
		for _, rule := range []string{"qdisc add dev " + port + " ingress", "filter add dev " + port +
			" parent ffff: protocol 0x88b6 u32 match u8 0 0 action mirred egress redirect dev lo"} {
			bed.Run(t, top.Wire, exec.Command("tc", strings.Fields(rule)...))
		}
	}
	return top
}

// pass takes the rules of firewalled away.
func pass(t *testing.T, top *bed.Topology) {
	t.Helper()
	for _, port := range []string{"a", "b"} {
		bed.Run(t, top.Wire, exec.Command("tc", "qdisc", "del", "dev", port, "ingress"))
	}
}

// silence is a case in which two ends do not hear each other.
type silence struct {
	observed string // first cell of its row in the table of docs/TROUBLESHOOTING.md
	begin    func(t *testing.T) (p bed.Pair, end func())
}

// observations returns the first cells of the table of causes of silence in docs/TROUBLESHOOTING.md, without code
// marks.
func observations(t *testing.T) (all []string) {
	t.Helper()
	text, err := os.ReadFile("../../../docs/TROUBLESHOOTING.md")
	bed.Must(t, err)
	_, table, ok := strings.Cut(string(text), "| this end observes | likely cause |\n|---|---|\n")
	if !ok {
		t.Fatal("docs/TROUBLESHOOTING.md has no table of what an end observes")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	for row := range strings.Lines(table) {
		cell, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " | ")
		all = append(all, strings.ReplaceAll(cell, "`", ""))
	}
	return all
}

// The observations of the table, each of which has a case.
const (
	otherStation = "control frames of another station than partner, or to another (rx_other_station)"
	heardBefore  = "the partner was heard before"
	hearsLLDP    = "never heard, LLDP of uelinkd has arrived"
	hearsHosts   = "never heard, plain Ethernet frames arrive"
	nothing      = "nothing arrives"
	linkFrames   = "an edge receives frames with an EtherType of the link (link_frames)"
	otherVLAN    = "a link of a bridge receives frames in a VLAN that the port is not in (vlan)"
)

// Where two ends do not hear each other, the status names the likely causes by what the end has observed, and no
// command. The link heals when the cause is gone.
func TestSilenceHasCauses(t *testing.T) {
	t.Parallel()
	cases := silences()
	seen := []string{otherVLAN} // TestVLANThatOneEndLacks
	for _, c := range cases {
		seen = append(seen, c.observed)
	}
	for _, row := range observations(t) {
		if !slices.Contains(seen, row) {
			t.Errorf("no case is one of %q in docs/TROUBLESHOOTING.md", row)
		}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := person{t: t}
			var end func()
			p.Pair, end = c.begin(t)
			end()
			bed.Within(t, 10*time.Second, "the link heals", p.well)
		})
	}
}

// silences are the cases, by name.
func silences() map[string]silence {
	return map[string]silence{
		"no daemon at the other end": {nothing, func(t *testing.T) (bed.Pair, func()) {
			top := bed.Direct(t)
			a := bed.NewDaemon(t, top.A, "A", bed.Settings{})
			b := bed.NewDaemon(t, top.B, "B", bed.Settings{})
			a.Start()
			says(t, a, "partner is silent: is uelinkd running at the other end with LLR on? Or: "+
				"", "only IP", "firewall", "edge port")
			return bed.Pair{A: a, B: b}, func() { b.Start() }
		}},
		"another address in partner": {otherStation, func(t *testing.T) (bed.Pair, func()) {
			top := bed.Direct(t)
			a := bed.NewDaemon(t, top.A, "A",
				bed.Settings{Link: "encapsulation: addressed, partner: 02:00:00:00:00:99"})
			b := bed.NewDaemon(t, top.B, "B", bed.Settings{Link: "encapsulation: addressed"})
			a.Start()
			b.Start()
			from := says(t, a, "this port listens to 02:00:00:00:00:99 alone (partner), and frames come from "+b.Link().MAC)
			says(t, b, "frames come from "+a.Link().MAC+" and are for 02:00:00:00:00:99, not for this port")
			_, from, _ = strings.Cut(from, "and frames come from ")
			return bed.Pair{A: a, B: b}, func() {
				a.Shell(t, a.NS, "uelink config set ports.link0.partner "+strings.Fields(from)[0]+" && uelink reload")
			}
		}},
		"an edge and a link exchanged at the other end": {linkFrames, func(t *testing.T) (bed.Pair, func()) {
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
			return bed.Pair{A: a, B: b}, func() { b.Reload(bed.Settings{}.Text(b.Socket)) }
		}},
		"a bridge that keeps the group address": {hearsHosts, func(t *testing.T) (bed.Pair, func()) {
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
				"Or: does a bridge or switch on the way drop frames to 01-80-c2-00-00-0e? ",
				"With encapsulation: addressed at both ends no frame goes to that address.")
			return bed.Pair{A: a, B: b}, func() {
				for _, d := range []*bed.Daemon{a, b} {
					d.Reload(bed.Settings{Link: "encapsulation: addressed"}.Text(d.Socket))
				}
			}
		}},
		"LLR and LLDP off at the other end of a dynamic one": {nothing, func(t *testing.T) (bed.Pair, func()) {
			top := bed.Direct(t)
			a := bed.NewDaemon(t, top.A, "A", bed.Settings{LLR: "mode: dynamic", Link: brisk})
			b := bed.NewDaemon(t, top.B, "B", bed.Settings{LLR: `mode: "off"`, Link: `lldp: {mode: "off"}`})
			a.Start()
			b.Start()
			says(t, a, "LLR is wanted (llr.mode dynamic)", "is LLDP (lldp.mode) or LLR (llr.mode) off at the other end? Or: "+
				"does no uelinkd run there? Or: does a bridge")
			if _, problems := commands(b); len(problems) > 0 { // nothing arrives: a link without LLR is what B has to be
				t.Errorf("B says %q", problems)
			}
			return bed.Pair{A: a, B: b}, func() {
				b.Reload(bed.Settings{LLR: "mode: dynamic", Link: brisk}.Text(b.Socket))
			}
		}},
		"a firewall that LLDP crosses": {hearsLLDP, func(t *testing.T) (bed.Pair, func()) {
			top := firewalled(t)
			a := bed.NewDaemon(t, top.A, "A", bed.Settings{Link: brisk})
			b := bed.NewDaemon(t, top.B, "B", bed.Settings{Link: brisk})
			a.Start()
			b.Start()
			for _, d := range []*bed.Daemon{a, b} {
				says(t, d, "partner is silent: LLDP of uelinkd has arrived, so the wire carries frames", "is its LLR off, ",
					"Or: does a firewall on the way drop the link's EtherTypes")
			}
			return bed.Pair{A: a, B: b}, func() { pass(t, top) }
		}},
		"a firewall, and no LLDP": {hearsHosts, func(t *testing.T) (bed.Pair, func()) {
			top := firewalled(t)
			a := bed.NewDaemon(t, top.A, "A", bed.Settings{Link: `lldp: {mode: "off"}`})
			b := bed.NewDaemon(t, top.B, "B", bed.Settings{Link: `lldp: {mode: "off"}`})
			a.Start()
			b.Start()
			hostB := bed.Open(t, top.HostB, "eth0", bed.ProbeType)
			for range 20 {
				hostB.Send(bed.Probe(1, wire.MinFrameLen))
			}
			const firewall = "Or: does a firewall on the way drop the link's EtherTypes"
			says(t, a, "partner is silent: plain Ethernet frames arrive", firewall)
			says(t, b, "partner is silent: is uelinkd running at the other end", firewall)
			return bed.Pair{A: a, B: b}, func() { pass(t, top) }
		}},
		"a stopped daemon": {heardBefore, func(t *testing.T) (bed.Pair, func()) {
			top := bed.Direct(t)
			p := top.Daemons(bed.Settings{})
			p.B.Signal(syscall.SIGSTOP)
			says(t, p.A, "partner is silent: is uelinkd running at the other end with LLR on, and not suspended "+
				"(SIGSTOP)? Or: is the wire cut")
			return p, func() { p.B.Signal(syscall.SIGCONT) }
		}},
	}
}

// A VLAN that the bridge of one end lacks: this end names the VLAN and the two cures, of which only the operator knows
// which is right, and no end has a command.
func TestVLANThatOneEndLacks(t *testing.T) {
	t.Parallel()
	top := bed.NewTopology(t)
	bed.Must(t, netns.Veth(top.A, "link0", top.B, "link0", bed.LinkMTU))
	vlans := bed.Switching
	vlans.Bridge = "vlan_filtering: true"
	vlans.Members = map[string]string{"edge0": "pvid: 20", "link0": "pvid: 0, tagged: [10, 20]"}
	lacks := vlans
	lacks.Members = map[string]string{"edge0": "pvid: 10", "link0": "pvid: 0, tagged: [10]"}
	p := top.Bridges(vlans, lacks)
	hostA := bed.Open(t, top.HostA, "eth0", bed.ProbeType)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				hostA.Send(bed.Probe(1, wire.MinFrameLen))
			}
		}
	}()
	says(t, p.B, "frames come in that this bridge drops (rx_drop_vlan)", "VLAN 20",
		"add the VLAN to the port here, or take it")
	if found, problems := commands(p.A); len(found)+len(problems) > 0 {
		t.Errorf("A says %q, to type %q", problems, found)
	}
	close(stop)
	<-stopped
	p.B.Reload(vlans.Text(p.B.Socket)) // the VLAN is added
	bed.AwaitCrossing(hostA, bed.Open(t, top.HostB, "eth0", bed.ProbeType), bed.Patience)
}

package tools

import (
	"fmt"
	"os/exec"
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
		"LLR and LLDP off at the other end of a dynamic one": func(t *testing.T) {
			top := bed.Direct(t)
			a := bed.NewDaemon(t, top.A, "A", bed.Settings{LLR: "mode: dynamic", Link: brisk})
			b := bed.NewDaemon(t, top.B, "B", bed.Settings{LLR: `mode: "off"`, Link: `lldp: {mode: "off"}`})
			a.Start()
			b.Start()
			says(t, a, "LLR is wanted (llr.mode dynamic)", "is LLDP (lldp.mode) or LLR (llr.mode) off at the other end? Or: "+
				"is uelinkd running there? Or: does a bridge")
			if _, problems := commands(b); len(problems) > 0 { // nothing arrives: a link without LLR is what B has to be
				t.Errorf("B says %q", problems)
			}
		},
		"a firewall that LLDP crosses": func(t *testing.T) {
			top := firewalled(t)
			a := bed.NewDaemon(t, top.A, "A", bed.Settings{Link: brisk})
			b := bed.NewDaemon(t, top.B, "B", bed.Settings{Link: brisk})
			a.Start()
			b.Start()
			for _, d := range []*bed.Daemon{a, b} {
				says(t, d, "partner is silent: LLDP of uelinkd has arrived, so the wire carries frames", "is LLR off, ",
					"Or: does a firewall on the way drop the link's EtherTypes")
			}
		},
		"a firewall, and no LLDP": func(t *testing.T) {
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
			says(t, b, "partner is silent: is uelinkd running there", firewall)
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
	stop := make(chan struct{})
	defer close(stop)
	go func() {
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
}

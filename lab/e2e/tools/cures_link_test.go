package tools

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// ailment is a trouble of a row of the table by the words of the status that no command at an end mends.
type ailment struct {
	put    func(p *patient)
	values func(c bed.Cure) map[string]string // for words in capitals in a cure
}

// ailments are the troubles by the words of their rows, on a link whose wire is a bridge.
func ailments() map[string]ailment {
	return map[string]ailment{
		"the wire carries link frames of up to … octets": {
			put: func(p *patient) {
				for _, port := range []string{"a", "b"} {
					bed.Must(p.t, p.top.Wire.SetMTU(port, bed.EdgeMTU))
				}
			},
			values: func(c bed.Cure) map[string]string {
				if strings.Contains(c.Text, "lower") {
					return map[string]string{"EDGE": "edge0", "N": fmt.Sprint(bed.EdgeMTU - wire.Overhead)}
				}
				return map[string]string{"WAY": "a b", "N": fmt.Sprint(bed.LinkMTU)}
			},
		},
		"partner hears control frames of this port but no data frame": {
			put: func(p *patient) { // a switch that knows only the addresses of the ports
				p.A.Shell(p.t, p.top.Wire, "tc qdisc add dev a ingress && tc qdisc add dev b ingress")
				for port, to := range map[string]*bed.Daemon{"a": p.B, "b": p.A} {
					p.A.Shell(p.t, p.top.Wire, fmt.Sprintf("tc filter add dev %s parent ffff: protocol 0x88b5 prio 1 u32 match "+
						"ether dst %s flowid 1:1 && tc filter add dev %[1]s parent ffff: protocol 0x88b5 prio 2 u32 match u8 0 0 "+
						"action mirred egress redirect dev lo", port, to.Link().MAC))
				}
				for n := range uint32(20) {
					p.from.Send(bed.Probe(n, wire.MinFrameLen))
				}
			},
		},
		"control frames of this port come back to it (rx_looped)": {
			put:    func(p *patient) { p.A.Shell(p.t, p.top.Wire, "bridge link set dev a hairpin on") },
			values: func(bed.Cure) map[string]string { return map[string]string{"PORT": "a"} },
		},
	}
}

// matching returns what the words of a row match: they have dots for values of the case.
func matching(words string) *regexp.Regexp {
	return regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(words), "…", ".*"))
}

// shows waits until a problem of an end has the words of a row.
func (p *patient) shows(d *bed.Daemon, words string) {
	p.t.Helper()
	bed.Eventually(p.t, d.Name+" shows the trouble", func() string {
		_, problems := commands(d)
		for _, problem := range problems {
			if matching(words).MatchString(problem) {
				p.t.Logf("%s: %s", d.Name, problem)
				return ""
			}
		}
		return fmt.Sprintf("it says %q", problems)
	})
}

// Each cure of the rows by the words of the status that names what to do on the wire, or at both ends, heals the link.
func TestCuresByTheWordsOfStatus(t *testing.T) {
	t.Parallel()
	for words, a := range ailments() {
		cures := bed.Cures(t, words)
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			for _, cure := range cures {
				t.Run(cure.Text, func(t *testing.T) {
					top := bed.Bridged(t, bed.LinkMTU)
					p := &patient{person: &person{t: t, text: map[*bed.Daemon]string{}}, top: top}
					p.Pair = top.Daemons(bed.Settings{})
					p.from, p.to = bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)
					a.put(p)
					p.shows(p.A, words)
					values := map[string]string{}
					if a.values != nil {
						values = a.values(cure)
					}
					p.applies(cure, "link0", values)
					if values["EDGE"] != "" {
						for _, host := range []*netns.NS{top.HostA, top.HostB} {
							bed.Must(t, host.SetMTU("eth0", bed.EdgeMTU-wire.Overhead))
						}
					}
					bed.Eventually(t, "the link heals", p.well)
					bed.AwaitCrossing(p.from, p.to, bed.Patience)
				})
			}
		})
	}
}

// A host's interface that is switched off, and a host that stops its edge by PAUSE, have their command at this end.
func TestCommandsOfEdges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edge, words, command string
		put                  func(p *patient)
	}{
		"a created interface is switched off": {
			"create: true, host_interface: uelink0, address: [10.79.0.1/24]", "the host's interface … is switched off",
			"ip link set dev uelink0 up", func(p *patient) { bed.Must(p.t, p.top.A.SetLink("uelink0", false)) },
		},
		"PAUSE": {"pfc: {mode: static, pause: true, rate: 1Mbps}", "no frames leave by this port: the host …", "uelink config set " +
			"ports.edge0.pfc.pause false", func(p *patient) {
			frame := make([]byte, wire.MinFrameLen)
			copy(frame, "\x01\x80\xC2\x00\x00\x01\x02\x00\x00\x00\x00\x77\x88\x08\x00\x01\xFF\xFF")
			p.from.Send(frame)
			for n := range uint32(100) {
				p.to.Send(bed.Probe(n, 200))
			}
		}},
		"a larger MTU of the host": {"offload: off", "and edge0 has 1400", "ip link set dev edge0 mtu 1500",
			func(p *patient) { bed.Must(p.t, p.top.A.SetMTU("edge0", 1400)) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := bed.NewTopology(t)
			if strings.HasPrefix(c.edge, "create") {
				bed.Must(t, top.A.DeleteLink("edge0"))
			}
			bed.Must(t, netns.Veth(top.A, "link0", top.B, "link0", bed.LinkMTU))
			p := &patient{person: &person{t: t, text: map[*bed.Daemon]string{}}, top: top}
			p.Pair = bed.Pair{A: bed.NewDaemon(t, top.A, "A", bed.Settings{Edge: c.edge}),
				B: bed.NewDaemon(t, top.B, "B", bed.Settings{})}
			p.Start()
			p.to = bed.Open(t, top.HostB, "eth0", bed.ProbeType)
			if !strings.HasPrefix(c.edge, "create") {
				p.from = bed.Open(t, top.HostA, "eth0", bed.ProbeType)
			}
			bed.Eventually(t, "well before", p.well)
			c.put(p)
			p.shows(p.A, c.words)
			acts, command := p.both(&trouble{acts: "A", command: c.command})
			p.types(acts, command)
			bed.Eventually(t, "the edge is well again", p.well)
		})
	}
}

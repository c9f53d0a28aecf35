package tools

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// commands returns the commands that `uelink status` at an end tells to type, and its problems.
func commands(d *bed.Daemon) (commands, problems []string) {
	d.T.Helper()
	for _, l := range d.Tool("status").Objects() {
		if command := l["type"].(string); command != "" && !slices.Contains(commands, command) {
			commands = append(commands, command)
		}
		if l["state"].(string) != "ok" {
			problems = append(problems, l["problem"].(string))
		}
	}
	return commands, problems
}

// trouble is a mistake at one end of a link.
type trouble struct {
	name    string
	a, b    bed.Configuration // of either end; nil: that of the pair
	put     func(p *person, top *bed.Topology)
	acts    string // "A", "B", or "" for either end
	command string // begin of the command; with acts ""; a part of it
}

// both waits until the status of exactly one end has a command, and returns this end and the command.
func (p *person) both(c *trouble) (acts *bed.Daemon, command string) {
	p.t.Helper()
	var calm int
	bed.Eventually(p.t, "one end has the command", func() string {
		a, problemsA := commands(p.A)
		b, problemsB := commands(p.B)
		if len(a)+len(b) != 1 || !strings.Contains(strings.Join(append(a, b...), ""), c.command) {
			calm = 0
			return fmt.Sprintf("A: %q: %q\nB: %q: %q", problemsA, a, problemsB, b)
		}
		if calm++; calm < 2 {
			return "just now"
		}
		acts, command = p.A, strings.Join(append(a, b...), "")
		if len(b) > 0 {
			acts = p.B
		}
		return ""
	})
	if c.acts != "" && acts.Name != "uelinkd "+c.acts {
		p.t.Errorf("%s has the command %q", acts.Name, command)
	}
	return acts, command
}

// well returns in words why a link is not as it has to be; "" if it is. The status shows frames that were dropped while
// the trouble lasted for another 10 s.
func (p *person) well() string {
	for _, d := range []*bed.Daemon{p.A, p.B} {
		_, problems := commands(d)
		for _, problem := range problems {
			dropped := func(begin string) bool { return strings.HasPrefix(problem, begin) }
			if !slices.ContainsFunc([]string{"the driver drops frames", "frames are dropped", "frames come"}, dropped) {
				return d.Name + ": " + problem
			}
		}
	}
	for _, d := range []*bed.Daemon{p.A, p.B} {
		switch l := d.Link(); {
		case l.HIPPI != nil && !l.HIPPI.Ready:
			return d.Name + ": HIPPI-6400 in " + l.HIPPI.LinkState
		case l.LLR != nil && d.Advances() != "":
			return d.Advances()
		}
	}
	return ""
}

// hippi is the configuration of an end whose link speaks HIPPI-6400-PH; its value is more keys of the link port.
type hippi string

func (h hippi) Text(socket string) string {
	return fmt.Sprintf(`log: {level: debug, format: json}
control: {socket: %q}
ports:
  - {name: link0, interface: link0, role: link, protocol: hippi6400%s}
  - {name: edge0, interface: edge0, role: edge}
xconnects: [{edge: edge0, link: link0}]
`, socket, bed.AppendKeys(string(h)))
}

// hosts and edges are the configurations of ends whose port link0 is an interface of the host with LLDP, or an edge
// with LLDP in a bridge; the value is more keys of that port.
type (
	hosts string
	edges string
)

func (h hosts) Text(socket string) string {
	return fmt.Sprintf(`log: {level: debug, format: json}
control: {socket: %q}
ports:
  - {name: link0, interface: link0, role: host, %s}
`, socket, string(h))
}

func (e edges) Text(socket string) string {
	return fmt.Sprintf(`log: {level: debug, format: json}
control: {socket: %q}
ports:
  - {name: link0, interface: link0, role: edge, %s}
  - {name: edge0, interface: edge0, role: edge}
bridges: [{name: br0, ports: [{port: link0}, {port: edge0}]}]
`, socket, string(e))
}

// heals puts a trouble, types the command of the end that has it, and returns how long the link took to heal. It stays
// healed over a reload and a restart.
func (p *person) heals(c *trouble, top *bed.Topology) (took time.Duration) {
	p.t.Helper()
	for _, end := range []struct {
		d *bed.Daemon
		s bed.Configuration
	}{{p.A, c.a}, {p.B, c.b}} {
		if end.s == nil {
			end.s = bed.Settings{}
		}
		if text := end.s.Text(end.d.Socket); text != p.text[end.d] {
			end.d.Reload(text)
			p.text[end.d] = text
		}
	}
	if c.put != nil {
		c.put(p, top)
	}
	acts, command := p.both(c)
	p.types(acts, command)
	delete(p.text, acts) // a command may have changed the file
	took = bed.Within(p.t, 10*time.Second, "the link heals by "+command, p.well)
	acts.Signal(syscall.SIGHUP)
	acts.AwaitNotify("RELOADING=1")
	acts.AwaitNotify("READY=1")
	bed.Within(p.t, 10*time.Second, "it stays healed over a reload", p.well)
	acts.Terminate()
	acts.Start()
	bed.Within(p.t, 10*time.Second, "it stays healed over a restart", p.well)
	p.t.Logf("%s # %s: healed in %v", acts.Name, command, took)
	return took
}

// brisk are keys of LLDP by which a change is told at once.
const brisk = "lldp: {mode: rx-tx, " + bed.Brisk + "}"

// exchange returns keys of a port with LLDP, and DCBX with these keys.
func exchange(keys string) string {
	return brisk + ", dcbx: {mode: on" + bed.AppendKeys(keys) + "}"
}

// exchanges returns the troubles of DCBX and of PFC between two ports; with returns the configuration of an end with
// these keys of its port. The address of A is the lower one.
func exchanges(with func(keys string) bed.Configuration) []trouble {
	const set = "uelink config set ports.link0."
	first := func(p *person, _ *bed.Topology) {
		p.runs(p.A, "ip link set dev link0 address 02:00:00:00:00:0a")
		p.runs(p.B, "ip link set dev link0 address 02:00:00:00:00:0b")
	}
	insists, gives, none := with(exchange("pfc: {willing: false, priorities: [3]}")), with(exchange("")), with(brisk)
	asks := with(exchange("pfc: {priorities: [3]}"))
	const groups = "version: cee, pg: {willing: false, priority_group: [0, 0, 0, 3, 0, 0, 0, 15], bandwidth: [50, 0, 0, " +
		"50, 0, 0, 0, 0]}"
	return []trouble{
		{name: "off at B", a: insists, b: none, acts: "B", command: set + "dcbx.mode on && uelink reload", put: first},
		{name: "off at A", a: none, b: insists, acts: "A", command: set + "dcbx.mode on && uelink reload"},
		{name: "off at B, and A is willing", a: asks, b: none, acts: "B",
			command: set + "dcbx.mode on && " + set + "dcbx.pfc.priorities '[3]'"},
		{name: "off at A, and B is willing", a: none, b: asks, acts: "A", command: set + "dcbx.mode on && uelink reload"},
		{name: "PFC off at B", a: insists, b: with(exchange("pfc: {enabled: false}")), acts: "B",
			command: set + "dcbx.pfc.enabled true"},
		{name: "PFC not advertised at A", a: with(exchange("pfc: {advertise: false}")), b: insists, acts: "A",
			command: set + "dcbx.pfc.advertise true"},
		{name: "PFC off at B in CEE", a: with(exchange("version: cee, pfc: {willing: false, priorities: [3]}")),
			b: with(exchange("version: cee, pfc: {enabled: false}")), acts: "B", command: set + "dcbx.pfc.enabled true"},
		{name: "B decides, and has no PFC", a: asks, b: with(exchange("pfc: {willing: false}")), acts: "B",
			command: set + "dcbx.pfc.priorities '[3]'"},
		{name: "A decides, and has no PFC", a: with(exchange("version: cee, pfc: {willing: false}")),
			b: with(exchange("version: cee, pfc: {priorities: [3]}")), acts: "A", command: set + "dcbx.pfc.priorities '[3]'"},
		{name: "neither gives way, and B has no PFC", a: insists, b: with(exchange("pfc: {willing: false}")), acts: "B",
			command: set + "dcbx.pfc.priorities '[3]'"},
		{name: "both willing, and B decides", a: asks, b: gives, acts: "A", command: set + "dcbx.pfc.willing false"},
		{name: "both willing in CEE", a: with(exchange("version: cee")),
			b: with(exchange("version: cee, pfc: {priorities: [3]}")), acts: "B", command: set + "dcbx.pfc.willing false"},
		{name: "neither gives way", a: insists, b: with(exchange("pfc: {willing: false, priorities: [4]}")), acts: "A",
			command: set + "dcbx.pfc.willing true"},
		{name: "priority groups off at B", a: with(exchange(groups)), b: with(exchange("version: cee, pg: {enabled: false}")),
			acts: "B", command: set + "dcbx.pg.enabled true"},
		{name: "priority groups not advertised at A", a: with(exchange("version: cee, pg: {advertise: false}")),
			b: with(exchange(groups)), acts: "A", command: set + "dcbx.pg.advertise true"},
		{name: "B only listens to LLDP", a: insists, b: with(strings.Replace(exchange(""), "rx-tx", "rx-only", 1)),
			acts: "B", command: set + "lldp.mode rx-tx"},
		{name: "B only sends LLDP", a: insists, b: with(strings.Replace(exchange(""), "rx-tx", "tx-only", 1)), acts: "B",
			command: set + "lldp.mode rx-tx"},
	}
}

// With each trouble between two ends exactly one end's status has a command. Typed as printed, it heals the link.
func TestEachTroubleHasOneCommand(t *testing.T) {
	t.Parallel()
	link := func(keys string) bed.Settings { return bed.Settings{Link: keys} }
	llr := func(keys string) bed.Settings { return bed.Settings{LLR: keys} }
	const lldp = "lldp: {mode: rx-tx, " + bed.Brisk + "}"
	dynamic := func(keys string) bed.Settings { return bed.Settings{LLR: "mode: dynamic, " + keys, Link: lldp} }
	dcbx := func(keys string) bed.Settings { return link(lldp + ", dcbx: {mode: on, " + keys + "}") }
	const set, lossless = "uelink config set ports.link0.", "cbfc: {mode: static, vcs: [{index: 0, lossless: true}]}"
	for name, list := range map[string][]trouble{
		"values": {
			{name: "fcs at B", b: link("fcs: false"), acts: "B", command: set + "fcs true"},
			{name: "fcs at A", a: link("fcs: false"), acts: "A", command: set + "fcs true"},
			{name: "dialect at B", b: link("dialect: ue1"), command: set + "dialect"},
			{name: "dialect at A", a: link("dialect: ue1"), command: set + "dialect"},
			{name: "EtherType of data", b: link("ethertypes: {data: 0x9101}"), command: set + "ethertypes.data"},
			{name: "EtherType of control", b: link("ethertypes: {control: 0x9102}"), command: set + "ethertypes.control"},
			{name: "both EtherTypes", b: link("ethertypes: {data: 0x9101, control: 0x9102}"),
				command: set + "ethertypes.data"},
			{name: "both EtherTypes at A", a: link("ethertypes: {data: 0x9101, control: 0x9102}"),
				command: set + "ethertypes.data"},
			{name: "EtherTypes changed places", b: link("ethertypes: {data: 0x88B6, control: 0x88B5}"),
				command: set + "ethertypes.data"},
			{name: "EtherTypes by one", a: link("ethertypes: {data: 0x88B6, control: 0x88B7}"),
				command: set + "ethertypes.data"},
		},
		"modes": {
			{name: "LLR off at B", b: llr(`mode: "off"`), acts: "B", command: set + "llr.mode static"},
			{name: "LLR off at A", a: llr(`mode: "off"`), acts: "A", command: set + "llr.mode static"},
			{name: "LLR and LLDP off at B", a: link(`lldp: {mode: "off"}`), b: bed.Settings{LLR: `mode: "off"`,
				Link: `lldp: {mode: "off"}`}, acts: "B", command: set + "llr.mode static"},
			{name: "LLR of one direction", b: llr("mode: static, local: false, remote: true"), acts: "B",
				command: set + "llr.local true"},
			{name: "LLR of one direction at A", a: llr("mode: static, local: false, remote: true"), acts: "A",
				command: set + "llr.local true"},
			{name: "LLR off by command", acts: "B", command: "uelink llr local enable link0",
				put: func(p *person, _ *bed.Topology) { p.types(p.B, "uelink llr local disable link0") }},
			{name: "virtual channels at A", a: link("vcs: 4"), acts: "B", command: set + "vcs 4"},
			{name: "virtual channels at B", b: link("vcs: 2"), acts: "A", command: set + "vcs 2"},
			{name: "selective replay at A", a: bed.Settings{Profile: "replay: selective"}, acts: "B",
				command: "uelink config set llr_profiles.e2e.replay"},
			{name: "selective replay at B", b: bed.Settings{Profile: "replay: selective"}, acts: "A",
				command: "uelink config set llr_profiles.e2e.replay"},
			{name: "addressed at A", a: link("encapsulation: addressed"), acts: "B",
				command: set + "encapsulation addressed"},
			{name: "addressed at B", b: link("encapsulation: addressed"), acts: "A",
				command: set + "encapsulation addressed"},
			{name: "one address for both", a: link("encapsulation: addressed"), b: link("encapsulation: addressed"),
				command: "ip link set dev link0 address", put: func(p *person, _ *bed.Topology) {
					p.runs(p.A, "ip link set dev link0 address 02:00:00:00:00:11")
					p.runs(p.B, "ip link set dev link0 address 02:00:00:00:00:11")
				}},
			{name: "switched off at B", acts: "B", command: "ip link set dev link0 up",
				put: func(p *person, _ *bed.Topology) { bed.Must(p.t, p.B.NS.SetLink("link0", false)) }},
			{name: "switched off at A", acts: "A", command: "ip link set dev link0 up",
				put: func(p *person, _ *bed.Topology) { bed.Must(p.t, p.A.NS.SetLink("link0", false)) }},
		},
		"credits": {
			{name: "no CBFC at B", a: link(lossless), acts: "B", command: set + "cbfc.vcs.0.lossless true"},
			{name: "no CBFC at A", b: link(lossless), acts: "A", command: set + "cbfc.vcs.0.lossless true"},
			{name: "a channel is not lossless at B", a: link("vcs: 2, cbfc: {mode: static, vcs: [{index: 0, lossless: " +
				"true}, {index: 1, lossless: true}]}"), b: link("vcs: 2, " + lossless), acts: "B",
				command: set + "cbfc.vcs.1.lossless true"},
			{name: "credit size", a: link(lossless), b: link("cbfc: {mode: static, credit_size: 512, vcs: [{index: 0, " +
				"lossless: true}]}"), command: set + "cbfc.credit_size"},
			{name: "overhead", a: link(lossless), b: link("cbfc: {mode: static, packet_overhead: 20, vcs: [{index: 0, " +
				"lossless: true}]}"), command: set + "cbfc.packet_overhead"},
		},
		"neighbours": {
			{name: "PFC differs", a: dcbx("pfc: {willing: false, priorities: [3]}"),
				b: dcbx("pfc: {willing: false, priorities: [4]}"), command: set + "dcbx.pfc.willing true"},
			{name: "PFC differs in CEE", a: dcbx("version: cee, pfc: {willing: false, priorities: [3]}"),
				b: dcbx("version: cee, pfc: {willing: false, priorities: [4]}"), command: set + "dcbx.pfc.willing true"},
			{name: "dialects of DCBX", a: dcbx("version: ieee, pfc: {priorities: [3]}"),
				b: dcbx("version: cee, pfc: {priorities: [3]}"), command: set + "dcbx.version auto"},
			{name: "LLR is not offered at B", a: dynamic("local: true, remote: true"), b: bed.Settings{LLR: `mode: "off"`,
				Link: lldp}, acts: "B", command: set + "llr.mode dynamic"},
			{name: "LLR is offered for one direction at A", a: dynamic("local: false, remote: true"),
				b: dynamic("local: true, remote: true"), acts: "A", command: set + "llr.local true"},
			{name: "CBFC is not offered at B", a: link(lldp + ", cbfc: {mode: dynamic, vcs: [{index: 0, lossless: true}]}"),
				b: link(lldp), acts: "B", command: set + "cbfc.vcs.0.lossless true"},
		},
		"DCBX of links": exchanges(func(keys string) bed.Configuration { return link(keys) }),
		"DCBX of hosts": exchanges(func(keys string) bed.Configuration { return hosts(keys) }),
		"DCBX of edges": append(exchanges(func(keys string) bed.Configuration { return edges(keys) }),
			trouble{name: "no PFC for a dynamic one", a: edges(exchange("") + ", pfc: {mode: dynamic}"),
				b: edges(exchange("pfc: {enabled: false}")), acts: "B", command: set + "dcbx.pfc.enabled true"}),
		"HIPPI": {
			{name: "protocol at A", a: hippi(""), acts: "A", command: set + "protocol llr"},
			{name: "protocol at B", b: hippi(""), acts: "B", command: set + "protocol llr"},
			{name: "EtherType", a: hippi("ethertypes: {data: 0x9101}"), b: hippi(""), command: set + "ethertypes.data"},
			{name: "EtherTypes changed places", a: hippi("ethertypes: {data: 0x88B6, control: 0x88B5}"), b: hippi(""),
				command: set + "ethertypes."},
		},
		"lengths": {
			{name: "an edge at B lowered", acts: "B", command: "ip link set dev edge0 mtu 1500", put: func(p *person, _ *bed.Topology) {
				bed.Must(p.t, p.B.NS.SetMTU("edge0", 1400))
			}},
			{name: "a link at B lowered, checked", b: link("mtu: check"), acts: "B", command: "ip link set dev link0 mtu 1514",
				put: func(p *person, _ *bed.Topology) { bed.Must(p.t, p.B.NS.SetMTU("link0", 1400)) }},
			{name: "a link at A lowered, checked", a: link("mtu: check"), acts: "A", command: "ip link set dev link0 mtu 1514",
				put: func(p *person, _ *bed.Topology) { bed.Must(p.t, p.A.NS.SetMTU("link0", 1200)) }},
			{name: "jumbo frames at A", acts: "B", command: "ip link set dev edge0 mtu 9000", put: func(p *person, top *bed.Topology) {
				for _, ns := range []*netns.NS{top.HostA, top.HostB} {
					bed.Must(p.t, ns.SetMTU("eth0", 9000))
				}
				bed.Must(p.t, p.A.NS.SetMTU("edge0", 9000))
			}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := bed.NewTopology(t)
			bed.Must(t, netns.Veth(top.A, "link0", top.B, "link0", bed.LinkMTU))
			p := &person{t: t, text: map[*bed.Daemon]string{}}
			if first := list[0]; first.a != nil && first.b != nil { // a pair of any role
				p.Pair = bed.Pair{A: bed.NewDaemon(t, top.A, "A", first.a), B: bed.NewDaemon(t, top.B, "B", first.b)}
				p.A.Start()
				p.B.Start()
			} else {
				p.Pair = top.Daemons(bed.Settings{})
			}
			var all []time.Duration
			for _, c := range list {
				ok := t.Run(c.name, func(t *testing.T) {
					p.t = t
					all = append(all, p.heals(&c, top))
				})
				if p.t = t; !ok {
					return
				}
			}
			slices.Sort(all)
			t.Logf("%d troubles heal in %v in the median, %v at most", len(all), all[len(all)/2], all[len(all)-1])
		})
	}
}

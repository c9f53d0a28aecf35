package bed

import (
	"fmt"
	"strings"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

// Bridging is the configuration of a daemon with one bridge, br0, of its link and its edges.
type Bridging struct {
	Settings
	edges   []string          // names of the edge ports and of their interfaces; none = edge0
	Bridge  string            // keys of the bridge
	Members map[string]string // keys of ports in the bridge, by port
}

// Switching is a bridge whose link never gives up a frame.
var Switching = Bridging{Settings: Lossless}

// ByFrame returns a copy of the configuration whose edges do without super-frames.
func (b Bridging) ByFrame() Bridging {
	b.Settings = b.Settings.ByFrame()
	return b
}

// Text returns the daemon's whole configuration: link0, the edges, and the bridge br0 over all of them. socket is the
// path of its API.
func (b Bridging) Text(socket string) string {
	if b.edges == nil {
		b.edges = []string{"edge0"}
	}
	var ports strings.Builder
	members := []string{b.member("link0")}
	for _, edge := range b.edges {
		fmt.Fprintf(&ports, "  - {name: %[1]s, interface: %[1]s, role: edge%[2]s}\n", edge, AppendKeys(b.Edge))
		members = append(members, b.member(edge))
	}
	return fmt.Sprintf("%s%sbridges: [{name: br0, ports: [%s]%s}]\n%s\n",
		b.head(socket), ports.String(), strings.Join(members, ", "), AppendKeys(b.Bridge), b.Top)
}

// member returns the entry of a port in the bridge's list of ports, as YAML.
func (b Bridging) member(port string) string {
	return fmt.Sprintf("{port: %s%s}", port, AppendKeys(b.Members[port]))
}

// At returns a copy of the configuration with these edge ports in place of its own.
func (b Bridging) At(edges ...string) Bridging {
	b.edges = edges
	return b
}

// Host makes a host (a namespace named hostC, hostD, ...) with a veth to a new interface edge in the namespace at,
// A or B, and returns the host. Its address is 10.77.0.3, 10.77.0.4, ...
func (top *Topology) Host(at *netns.NS, edge string) *netns.NS {
	top.T.Helper()
	n := len(top.Hosts())
	host := nstest.New(top.T, "host"+string(rune('A'+n)))
	Must(top.T, netns.Veth(host, "eth0", at, edge, EdgeMTU))
	Must(top.T, host.AddAddr("eth0", fmt.Sprintf("10.77.0.%d/24", n+1)))
	top.MoreHosts = append(top.MoreHosts, host)
	return host
}

// Hosts returns the namespaces of all hosts: hostA, hostB, and then those made by Host.
func (top *Topology) Hosts() []*netns.NS {
	return append([]*netns.NS{top.HostA, top.HostB}, top.MoreHosts...)
}

// Bridges starts a daemon at each end, with the bridges a and b, and waits until LLR runs both ways.
func (top *Topology) Bridges(a, b Bridging) Pair {
	top.T.Helper()
	p := Pair{NewDaemon(top.T, top.A, "A", a), NewDaemon(top.T, top.B, "B", b)}
	p.Start()
	return p
}

// Talkers opens a talker, which sends and receives numbered frames, at each host.
func (top *Topology) Talkers() (list []*Talker) {
	top.T.Helper()
	for i, host := range top.Hosts() {
		list = append(list, NewTalker(top.T, host, byte(i+1)))
	}
	return list
}

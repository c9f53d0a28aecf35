package e2e

import (
	"fmt"
	"strings"
	"testing"

	"uelink/netns"
	"uelink/netns/nstest"
)

// bridging is the configuration of a daemon with one bridge, br0, of its link and its edges.
type bridging struct {
	settings
	edges   []string          // names of the edge ports and of their interfaces; none = edge0
	bridge  string            // keys of the bridge
	members map[string]string // keys of ports in the bridge, by port
}

// switching is a bridge whose link never gives up a frame.
var switching = bridging{settings: lossless}

// text returns the whole configuration.
func (b bridging) text(socket string) string {
	if b.edges == nil {
		b.edges = []string{"edge0"}
	}
	var ports strings.Builder
	members := []string{b.member("link0")}
	for _, edge := range b.edges {
		fmt.Fprintf(&ports, "  - {name: %[1]s, interface: %[1]s, role: edge%[2]s}\n", edge, following(b.edge))
		members = append(members, b.member(edge))
	}
	return fmt.Sprintf("%s%sbridges: [{name: br0, ports: [%s]%s}]\n%s\n",
		b.head(socket), ports.String(), strings.Join(members, ", "), following(b.bridge), b.top)
}

// member returns the entry of a port in the bridge.
func (b bridging) member(port string) string {
	return fmt.Sprintf("{port: %s%s}", port, following(b.members[port]))
}

// at returns the same bridge with other edges.
func (b bridging) at(edges ...string) bridging {
	b.edges = edges
	return b
}

// host adds a host, hostC, hostD ..., at another edge of A or B.
func (top *topology) host(at *netns.NS, edge string) *netns.NS {
	top.t.Helper()
	n := len(top.hosts())
	host := nstest.New(top.t, "host"+string(rune('A'+n)))
	must(top.t, netns.Veth(host, "eth0", at, edge, edgeMTU))
	must(top.t, host.AddAddr("eth0", fmt.Sprintf("10.77.0.%d/24", n+1)))
	top.more = append(top.more, host)
	return host
}

// hosts returns all hosts: hostA, hostB, and then the others.
func (top *topology) hosts() []*netns.NS {
	return append([]*netns.NS{top.hostA, top.hostB}, top.more...)
}

// bridges starts a daemon with a bridge at each end, and waits until LLR runs both ways.
func (top *topology) bridges(a, b bridging) pair {
	top.t.Helper()
	p := pair{newDaemon(top.t, top.A, "A", a), newDaemon(top.t, top.B, "B", b)}
	p.start()
	return p
}

// start starts both daemons, and waits until LLR runs both ways.
func (p pair) start() {
	p.a.t.Helper()
	p.a.start()
	p.b.start()
	p.advance()
}

// talkers opens a talker in each host.
func (top *topology) talkers() (list []*talker) {
	top.t.Helper()
	for i, host := range top.hosts() {
		list = append(list, newTalker(top.t, host, byte(i+1)))
	}
	return list
}

// noFlush demands that LLR has neither flushed nor started again at either end.
func (p pair) noFlush(t testing.TB) {
	t.Helper()
	for _, d := range []*daemon{p.a, p.b} {
		if c := d.llrCounters(); c.TxFlush+c.TxReinit != 0 {
			t.Errorf("%s: FLUSH %d times, initialised again %d times", d.name, c.TxFlush, c.TxReinit)
		}
	}
}

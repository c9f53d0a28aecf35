package bed

import (
	"testing"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/wire"
)

// MTUs of the interfaces, in octets: those of hosts and edges, and those of links and of the wire between them.
const (
	EdgeMTU = 1500
	LinkMTU = EdgeMTU + wire.Overhead
)

// Topology is the namespaces in the drawing of package e2e.
type Topology struct {
	T            testing.TB
	HostA, HostB *netns.NS
	A, B         *netns.NS
	Wire         *netns.NS   // nil where A and B are joined directly
	MoreHosts    []*netns.NS // hosts besides hostA and hostB
}

// Direct makes the namespaces of two hosts and two daemons, and joins the links of the daemons by one veth. The
// link interfaces have the edge's MTU, so that the daemons must raise it.
func Direct(t testing.TB) *Topology {
	t.Helper()
	top := NewTopology(t)
	Must(t, netns.Veth(top.A, "link0", top.B, "link0", EdgeMTU))
	return top
}

// Cabled makes the namespaces of two hosts, two daemons and a wire, and a veth from each link to interface a or b
// of the wire. Nothing joins a and b yet: see Cable.
func Cabled(t testing.TB) *Topology {
	t.Helper()
	top := NewTopology(t)
	top.Wire = nstest.New(t, "wire")
	Must(t, netns.Veth(top.A, "link0", top.Wire, "a", LinkMTU))
	Must(t, netns.Veth(top.B, "link0", top.Wire, "b", LinkMTU))
	return top
}

// NewTopology makes the namespaces of two hosts and two daemons, and a veth from each host to its daemon's edge0.
// There is no link between the daemons yet.
func NewTopology(t testing.TB) *Topology {
	t.Helper()
	top := &Topology{T: t, HostA: nstest.New(t, "hostA"), A: nstest.New(t, "A"), B: nstest.New(t, "B"),
		HostB: nstest.New(t, "hostB")}
	Must(t, netns.Veth(top.HostA, "eth0", top.A, "edge0", EdgeMTU))
	Must(t, netns.Veth(top.HostB, "eth0", top.B, "edge0", EdgeMTU))
	Must(t, top.HostA.AddAddr("eth0", AddressA+"/24"))
	Must(t, top.HostB.AddAddr("eth0", AddressB+"/24"))
	return top
}

// Addresses of the hosts.
const (
	AddressA = "10.77.0.1"
	AddressB = "10.77.0.2"
)

// Pair is the daemons at the two ends of a link.
type Pair struct{ A, B *Daemon }

// Daemons starts a daemon at each end, with equal settings, and waits until LLR runs both ways.
func (top *Topology) Daemons(s Settings) Pair {
	top.T.Helper()
	p := Pair{NewDaemon(top.T, top.A, "A", s), NewDaemon(top.T, top.B, "B", s)}
	p.A.Start()
	p.B.Start()
	p.Advance()
	return p
}

// Advance waits until LLR runs both ways at both ends.
func (p Pair) Advance() {
	p.A.T.Helper()
	Eventually(p.A.T, "LLR at both ends", func() string { return p.A.Advances() + p.B.Advances() })
}

// Bridged makes the namespaces of two hosts, two daemons and a wire, in which a Linux bridge with this MTU joins
// the links. The bridge forwards uelink's control frames, but no PAUSE and no LACP: no bridge does.
func Bridged(t testing.TB, mtu int) *Topology {
	t.Helper()
	top := NewTopology(t)
	top.Wire = nstest.New(t, "wire")
	Must(t, netns.Veth(top.A, "link0", top.Wire, "a", LinkMTU))
	Must(t, netns.Veth(top.B, "link0", top.Wire, "b", LinkMTU))
	Must(t, top.Wire.Bridge("br0", 1<<0x0E, "a", "b"))
	for _, port := range []string{"a", "b"} {
		Must(t, top.Wire.SetMTU(port, mtu))
	}
	return top
}

// Start starts both daemons, and waits until LLR runs both ways.
func (p Pair) Start() {
	p.A.T.Helper()
	p.A.Start()
	p.B.Start()
	p.Advance()
}

// NoFlush reports an error of the test if LLR of either daemon has flushed frames or restarted.
func (p Pair) NoFlush(t testing.TB) {
	t.Helper()
	for _, d := range []*Daemon{p.A, p.B} {
		if c := d.LLRCounters(); c.TxFlush+c.TxReinit != 0 {
			t.Errorf("%s: LLR has flushed %d times, and initialised again %d times", d.Name, c.TxFlush, c.TxReinit)
		}
	}
}

// RemakeEdge makes the veth between hostA and edge0 of A again, after it was deleted.
func (top *Topology) RemakeEdge() {
	top.T.Helper()
	Must(top.T, netns.Veth(top.HostA, "eth0", top.A, "edge0", EdgeMTU))
}

// Queued makes the namespaces of two hosts and two daemons, and joins the links by one veth with four TX and RX
// queues at each end.
func Queued(t testing.TB) *Topology {
	t.Helper()
	top := NewTopology(t)
	Must(t, netns.QueuedVeth(top.A, "link0", top.B, "link0", EdgeMTU, 4))
	return top
}

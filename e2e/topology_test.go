package e2e

import (
	"testing"

	"uelink/netns"
	"uelink/netns/nstest"
	"uelink/wire"
)

const (
	edgeMTU = 1500
	linkMTU = edgeMTU + wire.Overhead
)

// topology is the namespaces of the drawing in doc.go.
type topology struct {
	t            testing.TB
	hostA, hostB *netns.NS
	A, B         *netns.NS
	wire         *netns.NS   // nil where A and B are joined directly
	more         []*netns.NS // hosts besides hostA and hostB
}

// direct returns a topology whose wire is a veth. Its link interfaces have the edge's MTU, so that the daemons must
// raise it.
func direct(t testing.TB) *topology {
	t.Helper()
	top := newTopology(t)
	must(t, netns.Veth(top.A, "link0", top.B, "link0", edgeMTU))
	return top
}

// cabled returns a topology with a namespace for a cable between a and b.
func cabled(t testing.TB) *topology {
	t.Helper()
	top := newTopology(t)
	top.wire = nstest.New(t, "wire")
	must(t, netns.Veth(top.A, "link0", top.wire, "a", linkMTU))
	must(t, netns.Veth(top.B, "link0", top.wire, "b", linkMTU))
	return top
}

// newTopology returns a topology without a link.
func newTopology(t testing.TB) *topology {
	t.Helper()
	top := &topology{t: t, hostA: nstest.New(t, "hostA"), A: nstest.New(t, "A"), B: nstest.New(t, "B"),
		hostB: nstest.New(t, "hostB")}
	must(t, netns.Veth(top.hostA, "eth0", top.A, "edge0", edgeMTU))
	must(t, netns.Veth(top.hostB, "eth0", top.B, "edge0", edgeMTU))
	must(t, top.hostA.AddAddr("eth0", addressA+"/24"))
	must(t, top.hostB.AddAddr("eth0", addressB+"/24"))
	return top
}

// Addresses of the hosts.
const (
	addressA = "10.77.0.1"
	addressB = "10.77.0.2"
)

// pair is the daemons at the two ends of a link.
type pair struct{ a, b *daemon }

// daemons starts a daemon at each end, with equal configurations, and waits until LLR runs both ways.
func (top *topology) daemons(s settings) pair {
	top.t.Helper()
	p := pair{newDaemon(top.t, top.A, "A", s), newDaemon(top.t, top.B, "B", s)}
	p.a.start()
	p.b.start()
	p.advance()
	return p
}

// advance waits until LLR runs at both ends.
func (p pair) advance() {
	p.a.t.Helper()
	eventually(p.a.t, "LLR at both ends", func() string { return p.a.advances() + p.b.advances() })
}

package demo

import (
	"errors"
	"fmt"

	"uelink/internal/netns"
	"uelink/wire"
)

// linkMTU is the MTU of the link's interfaces: room for the shim.
const linkMTU = edgeMTU + wire.Overhead

// spaces is the network namespaces drawn in doc.go.
type spaces struct {
	hosts    [2]*netns.NS // the hosts behind A and B
	stations [2]*netns.NS // A and B, where the daemons run
	wire     *netns.NS    // where the cable runs
}

// buildSpaces makes the five namespaces of the demo and the veths between them. First it removes namespaces left
// by crashed runs.
func buildSpaces() (t *spaces, err error) {
	if err := netns.CleanStale(); err != nil {
		return nil, fmt.Errorf("remove what an earlier run left behind: %w", err)
	}
	t = &spaces{}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.close())
		}
	}()
	for _, n := range []struct {
		name string
		ns   **netns.NS
	}{{"hostA", &t.hosts[0]}, {"A", &t.stations[0]}, {"wire", &t.wire}, {"B", &t.stations[1]}, {"hostB", &t.hosts[1]}} {
		if *n.ns, err = netns.New(n.name); err != nil {
			return t, err
		}
	}
	for i, port := range []string{"a", "b"} {
		if err := netns.Veth(t.hosts[i], "eth0", t.stations[i], "edge0", edgeMTU); err != nil {
			return t, err
		}
		if err := netns.Veth(t.stations[i], "link0", t.wire, port, linkMTU); err != nil {
			return t, err
		}
	}
	return t, nil
}

// close removes the namespaces of the demo, with every interface and process in them.
func (t *spaces) close() error {
	var problems []error
	for _, ns := range []*netns.NS{t.hosts[0], t.stations[0], t.wire, t.stations[1], t.hosts[1]} {
		if ns != nil {
			problems = append(problems, ns.Close())
		}
	}
	return errors.Join(problems...)
}

package pods

import (
	"slices"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"

	"uelink/control/api"
	"uelink/dataplane/model"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// second is the configuration of a further daemon in the same namespace: a bridge with one edge.
type second struct{}

func (second) Text(socket string) string {
	return "control: {socket: " + socket + "}\nports: [{name: edge1, interface: edge1, role: edge}]\n" +
		"bridges: [{name: br0, ports: [{port: edge1}]}]\n"
}

// TestPodsAreCollected: GC removes what no valid attachment has, of its own network and owner alone: not the valid
// attachment, nor those of another network, nor those of another daemon, nor ports of another owner with the network's
// label, nor interfaces that only have a similar name or group.
func TestPodsAreCollected(t *testing.T) {
	t.Parallel()
	n, pod, config, p := oneNode(t)
	bed.Must(t, netns.Veth(p.A.NS, "other", p.A.NS, "edge1", bed.EdgeMTU))
	beside := newNode(bed.NewDaemon(t, p.A.NS, "beside", second{}), n.bin)
	beside.Start()
	at := map[string]*netns.NS{"stale": pod, "valid": nstest.New(t, "valid"), "foreign": nstest.New(t, "foreign"),
		"beside": nstest.New(t, "beside")}
	foreign := n.plugin("foreign", `"bridge": "br0", "ipam": `+n.ipam(30, 39))
	besides := beside.plugin("beside", `"bridge": "br0", "ipam": `+beside.ipam(20, 29))
	configOf := map[string]string{"stale": config, "valid": config, "foreign": foreign, "beside": besides}
	for id, ns := range at {
		if got := n.call(t, "ADD", id, ns.Path(), configOf[id]); got.code != 0 {
			t.Fatalf("%s: %+v", id, got)
		}
	}
	for _, name := range []string{"ue-0123456789ab", "ue-other"} {
		bed.Must(t, netns.Veth(p.A.NS, name, p.A.NS, "x"+name[3:], bed.EdgeMTU))
	}
	_, err := n.Client.AddPorts(t.Context(), api.PortAddition{
		Ports: []map[string]any{{"name": "ue-other", "interface": "ue-other", "role": "edge",
			"labels": model.Labels{Owner: "someone", Container: "stale", IfName: "eth0", Network: "pods"}}},
		Bridges: []map[string]any{{"name": "br0", "ports": []map[string]any{{"port": "ue-other"}}}},
	})
	bed.Must(t, err)
	both := func() []string { return slices.Concat(n.left(t), beside.left(t)) }
	before := both()
	valid := strings.Replace(config, `"bridge"`,
		`"cni.dev/valid-attachments": [{"containerID": "valid", "ifname": "eth0"}], "bridge"`, 1)
	for range 2 { // the second time finds nothing
		if got := n.call(t, "GC", "", "", valid); got.code != 0 {
			t.Errorf("%+v", got)
		}
	}
	var removed []string
	after := both()
	for _, name := range before {
		if !slices.Contains(after, name) {
			removed = append(removed, strings.Fields(name)[0])
		}
	}
	if slices.Sort(removed); len(removed) != 5 || len(before)-len(after) != 5 { // the interface is seen by both
		t.Errorf("of %q are left %q", before, after)
	}
	for id, ns := range at {
		_, err := ns.Link("eth0")
		if got := err == nil; got != (id != "stale") {
			t.Errorf("%s has an interface: %t", id, got)
		}
		if id != "stale" {
			n.call(t, "DEL", id, ns.Path(), configOf[id])
		}
	}
	for _, name := range []string{"ue-0123456789ab", "ue-other"} {
		link, err := p.A.NS.Link(name)
		if err != nil || link.OperState != netlink.OperUp {
			t.Errorf("%s: %+v, %v", name, link, err)
		}
	}
}

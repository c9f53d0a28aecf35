package pods

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// shipped is the configuration of a node in deploy/kubernetes, with a socket of the test.
type shipped string

// Text returns the daemon's whole configuration.
func (s shipped) Text(socket string) string {
	return fmt.Sprintf("%scontrol: {socket: %q}\n", string(s), socket)
}

// manifest returns an object for Kubernetes.
func manifest(t *testing.T, name string) (m struct {
	Data map[string]string
	Spec struct{ Config string }
}) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../deploy/kubernetes", name))
	bed.Must(t, err)
	bed.Must(t, yaml.Unmarshal(text, &m))
	return m
}

// withCapabilities returns the path of a program that runs uelinkd with these capabilities alone, as a pod of the
// DaemonSet: it may enter no namespace.
func withCapabilities(t *testing.T, list string) string {
	t.Helper()
	bed.InstalledProgram(t, "setpriv", "util-linux")
	path := filepath.Join(t.TempDir(), "uelinkd")
	bed.Must(t, os.WriteFile(path, fmt.Appendf(nil, "#!/bin/sh\nexec setpriv --bounding-set=-all,+%s %s \"$@\"\n", list,
		bed.Program("uelinkd")), 0o755))
	return path
}

// TestNodesAsShipped: two nodes with the configurations and capabilities of deploy/kubernetes reach each other, and so
// do pods of its network, over a wire that loses every hundredth frame. IPAM alone is another: whereabouts needs a
// cluster.
func TestNodesAsShipped(t *testing.T) {
	bed.InstalledProgram(t, "ping", "iputils-ping")
	top := bed.NewTopology(t)
	top.Wire = nstest.New(t, "wire")
	bed.Must(t, netns.Veth(top.A, "eth1", top.Wire, "a", 1500))
	bed.Must(t, netns.Veth(top.B, "eth1", top.Wire, "b", 1500))
	bin := plugins(t)
	top.Cable("--loss", "0.01")
	data := manifest(t, "nodes.yaml").Data
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", shipped(data["node-a.yaml"])),
		B: bed.NewDaemon(t, top.B, "B", shipped(data["node-b.yaml"]))}
	for _, d := range []*bed.Daemon{p.A, p.B} {
		d.Binary = withCapabilities(t, "net_admin,+net_raw,+bpf,+ipc_lock")
	}
	p.Start()
	answers := func(from *netns.NS, to string) {
		bed.Eventually(t, "20 answers in a row from "+to, func() string {
			out, err := exec.Command("ip", "netns", "exec", from.Name(), "ping", "-n", "-q", "-i", "0.01", "-c", "20", "-W",
				"1", to).CombinedOutput()
			if err != nil || !strings.Contains(string(out), " 0% packet loss") {
				return string(out)
			}
			return ""
		})
	}
	answers(top.A, "10.0.0.2")
	var network map[string]any
	bed.Must(t, json.Unmarshal([]byte(manifest(t, "network.yaml").Spec.Config), &network))
	var pod []*netns.NS
	for i, d := range []*bed.Daemon{p.A, p.B} {
		n := newNode(t, d, bin, 10, 99)
		network["socket"] = n.Socket
		network["ipam"] = map[string]any{"type": "host-local", "dataDir": n.data, "subnet": "10.0.0.0/24",
			"rangeStart": fmt.Sprintf("10.0.0.%d", 64+i), "rangeEnd": fmt.Sprintf("10.0.0.%d", 64+i)}
		config, err := json.Marshal(network)
		bed.Must(t, err)
		pod = append(pod, nstest.New(t, "pod"))
		if got := n.call(t, "ADD", "c", pod[i].Path(), string(config)); got.code != 0 {
			t.Fatalf("%+v", got)
		}
	}
	answers(pod[0], "10.0.0.65")
	answers(pod[1], "10.0.0.1") // the other node
	octets(t, pod[0], pod[1], "10.0.0.65")
}

package pods

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	current "github.com/containernetworking/cni/pkg/types/100"
	"github.com/vishvananda/netlink"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// node is a node with a daemon and plugins of its own.
type node struct {
	*bed.Daemon
	conf string // folder of the configurations of networks
	bin  string // of the plugins
	data string // of the leases of host-local
}

// plugins builds cnitool and host-local, of the versions that deploy/cni.mod pins, and installs uelink-cni as an init
// container does. It returns their folder.
func plugins(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for _, name := range []string{"cni/cnitool", "plugins/plugins/ipam/host-local"} {
		build := exec.Command("go", "build", "-modfile", "deploy/cni.mod", "-o", folder+"/",
			"github.com/containernetworking/"+name)
		build.Dir, build.Env = "../../..", append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			nstest.Missing(t, fmt.Sprintf("%s (by the Go module proxy): %v\n%s", name, err, out))
		}
	}
	if out, err := exec.Command(bed.Program("uelink-cni"), "install", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return folder
}

// newNode makes a node of a daemon, with the network pods, whose addresses end in first to last.
func newNode(t *testing.T, d *bed.Daemon, bin string, first, last int) *node {
	t.Helper()
	n := &node{d, filepath.Join(d.Dir, "net.d"), bin, filepath.Join(d.Dir, "leases")}
	for _, folder := range []string{n.conf, filepath.Join(d.Dir, "cache")} {
		bed.Must(t, os.Mkdir(folder, 0o755))
	}
	n.write(t, "pods", n.plugin("pods", fmt.Sprintf(`"bridge": "br0", "ipam": %s`, n.ipam(first, last))))
	return n
}

// ipam returns the configuration of host-local for addresses that end in first to last.
func (n *node) ipam(first, last int) string {
	return fmt.Sprintf(`{"type": "host-local", "dataDir": %q, "ranges": [[{"subnet": "10.78.0.0/24", "rangeStart": `+
		`"10.78.0.%d", "rangeEnd": "10.78.0.%d"}]], "routes": [{"dst": "0.0.0.0/0", "gw": "10.78.0.254"}]}`,
		n.data, first, last)
}

// plugin returns the configuration of a network for the plugin.
func (n *node) plugin(network, keys string) string {
	return fmt.Sprintf(`{"cniVersion": "1.1.0", "name": %q, "type": "uelink-cni", "socket": %q, %s}`, network, n.Socket,
		keys)
}

// write writes the configuration of a network as cnitool reads it.
func (n *node) write(t *testing.T, network, plugin string) {
	t.Helper()
	text := fmt.Sprintf(`{"cniVersion": "1.1.0", "name": %q, "plugins": [%s]}`, network, plugin)
	bed.Must(t, os.WriteFile(filepath.Join(n.conf, network+".conflist"), []byte(text), 0o644))
}

// cnitool runs cnitool at the node, with a cache of the node's own, and returns its output and error.
func (n *node) cnitool(verb, network string, pod *netns.NS) (string, error) {
	cache := filepath.Join(n.Dir, "cache")
	cmd := exec.Command("unshare", "--mount", "sh", "-c", `mkdir -p /var/lib/cni && mount --bind "$1" /var/lib/cni && `+
		`exec "$2" "$3" "$4" "$5"`, "sh", cache, filepath.Join(n.bin, "cnitool"), verb, network, pod.Path())
	cmd.Env = append(os.Environ(), "NETCONFPATH="+n.conf, "CNI_PATH="+n.bin)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	err := n.NS.Run(cmd)
	return out.String(), err
}

// add adds a pod to a network by cnitool, and returns its address.
func (n *node) add(t *testing.T, pod *netns.NS) (address string) {
	t.Helper()
	out, err := n.cnitool("add", "pods", pod)
	var r current.Result
	if err == nil {
		err = json.Unmarshal([]byte(out), &r)
	}
	if err != nil || len(r.IPs) != 1 || len(r.Interfaces) != 2 {
		t.Fatalf("add: %v: %s", err, out)
	}
	return r.IPs[0].Address.IP.String()
}

// del removes a pod from a network by cnitool.
func (n *node) del(t *testing.T, pod *netns.NS) {
	t.Helper()
	if out, err := n.cnitool("del", "pods", pod); err != nil {
		t.Fatalf("del: %v: %s", err, out)
	}
}

// answer is what a call of the plugin has printed.
type answer struct {
	code   int    // exit code
	error  uint   // code of CNI
	stdout string // all of it
	stderr string
}

// command returns the command by which a runtime calls the plugin for a container.
func (n *node) command(verb, container, netnsPath, config string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(n.bin, "uelink-cni"))
	cmd.Env = append(os.Environ(), "CNI_COMMAND="+verb, "CNI_CONTAINERID="+container, "CNI_NETNS="+netnsPath,
		"CNI_IFNAME=eth0", "CNI_PATH="+n.bin)
	cmd.Stdin = strings.NewReader(config)
	return cmd
}

// call calls the plugin itself for a container, as a runtime does.
func (n *node) call(t *testing.T, verb, container, netnsPath, config string) (a answer) {
	t.Helper()
	cmd := n.command(verb, container, netnsPath, config)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = n.NS.Run(cmd) // the exit code says it
	a = answer{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String()}
	if a.code != 0 {
		var e struct{ Code uint }
		if err := json.Unmarshal([]byte(a.stdout), &e); err != nil || a.stderr != "" {
			t.Errorf("%s: the error is not CNI's alone: %s%s", verb, a.stdout, a.stderr)
		}
		a.error = e.Code
	}
	return a
}

// left lists what pods have left at a node: interfaces, ports, leases.
func (n *node) left(t *testing.T) (list []string) {
	t.Helper()
	bed.Must(t, n.NS.Do(func() error {
		links, err := netlink.LinkList()
		for _, l := range links {
			if strings.HasPrefix(l.Attrs().Name, "ue-") {
				list = append(list, "interface "+l.Attrs().Name)
			}
		}
		return err
	}))
	ports, err := n.Client.Ports(t.Context())
	bed.Must(t, err)
	for _, p := range ports {
		if p.Labels != nil {
			list = append(list, "port "+p.Name)
		}
	}
	leases, _ := filepath.Glob(filepath.Join(n.data, "*", "10.*")) // an error: a wrong pattern
	for _, lease := range leases {
		list = append(list, "lease "+filepath.Base(lease))
	}
	additions, _ := filepath.Glob(filepath.Join(n.Rig.Run, "ports*.d", "*"))
	list = append(list, additions...)
	slices.Sort(list)
	return list
}

// ping sends pings from a pod, and reports an error of the test unless each is answered.
func ping(t *testing.T, from *netns.NS, to string, count int) {
	t.Helper()
	out := bed.Run(t, from, exec.Command("ping", "-n", "-q", "-i", "0.01", "-c", fmt.Sprint(count), "-W", "5", to))
	if !strings.Contains(out, " 0% packet loss") {
		t.Errorf("pings to %s: %s", to, out)
	}
}

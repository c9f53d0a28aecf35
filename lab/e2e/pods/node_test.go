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

	"github.com/vishvananda/netlink"

	"uelink/client"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// node is a node with a daemon and plugins of its own.
type node struct {
	*bed.Daemon
	bin  string // folder of the plugins
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

// newNode makes a node of a daemon.
func newNode(d *bed.Daemon, bin string) *node { return &node{d, bin, filepath.Join(d.Dir, "leases")} }

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

// answer is what a call of the plugin has printed.
type answer struct {
	code   int    // exit code
	error  uint   // code of CNI
	stdout string // all of it
	stderr string
}

// command returns the command by which a runtime calls the plugin for an interface of a container.
func (n *node) command(verb, container, ifname, netnsPath, config string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(n.bin, "uelink-cni"))
	cmd.Env = append(os.Environ(), "CNI_COMMAND="+verb, "CNI_CONTAINERID="+container, "CNI_NETNS="+netnsPath,
		"CNI_IFNAME="+ifname, "CNI_PATH="+n.bin)
	cmd.Stdin = strings.NewReader(config)
	return cmd
}

// call calls the plugin itself for eth0 of a container, as a runtime does.
func (n *node) call(t *testing.T, verb, container, netnsPath, config string) answer {
	t.Helper()
	return n.callFor(t, verb, container, "eth0", netnsPath, config)
}

// callFor calls the plugin for an interface of a container.
func (n *node) callFor(t *testing.T, verb, container, ifname, netnsPath, config string) (a answer) {
	t.Helper()
	cmd := n.command(verb, container, ifname, netnsPath, config)
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

// left lists what pods have left at a node: interfaces, ports, leases, additions.
func (n *node) left(t *testing.T) []string {
	t.Helper()
	return left(t, n.NS, n.Client, filepath.Join(n.data, "*", "10.*"), filepath.Join(n.Rig.Run, "ports*.d", "*"))
}

// left lists what pods have left in a network namespace, at its daemon, and in files, given by patterns: but for the
// interfaces of the ports in the daemon's configuration.
func left(t *testing.T, ns *netns.NS, daemon *client.Client, files ...string) (list []string) {
	t.Helper()
	ports, err := daemon.Ports(t.Context())
	bed.Must(t, err)
	var configured []string
	for _, p := range ports {
		if p.Labels != nil {
			list = append(list, "port "+p.Name)
		} else {
			configured = append(configured, p.Interface)
		}
	}
	bed.Must(t, ns.Do(func() error {
		links, err := netlink.LinkList()
		for _, l := range links {
			if name := l.Attrs().Name; strings.HasPrefix(name, "ue-") && !slices.Contains(configured, name) {
				list = append(list, "interface "+name)
			}
		}
		return err
	}))
	for _, pattern := range files {
		names, err := filepath.Glob(pattern)
		bed.Must(t, err)
		for _, name := range names {
			list = append(list, filepath.Base(filepath.Dir(name))+"/"+filepath.Base(name))
		}
	}
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

// eventuallyAnswers waits until 20 pings in a row are answered.
func eventuallyAnswers(t *testing.T, from *netns.NS, to string) {
	t.Helper()
	bed.Eventually(t, "20 answers in a row from "+to, func() string {
		out, err := exec.Command("ip", "netns", "exec", from.Name(), "ping", "-n", "-q", "-i", "0.01", "-c", "20", "-W", "1",
			to).CombinedOutput()
		if err != nil || !strings.Contains(string(out), " 0% packet loss") {
			return string(out)
		}
		return ""
	})
}

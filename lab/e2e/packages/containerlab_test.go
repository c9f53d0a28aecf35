package packages

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"uelink/client"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
	"uelink/lab/traffic"
)

// containerlabMTU is the MTU of a link of containerlab without the key mtu.
const containerlabMTU = 9500

// labNode is a node in a topology of containerlab.
type labNode struct {
	Kind, Image, Entrypoint, Cmd string
	Binds                        []string
}

// containerlabFile returns the example for containerlab, checked by the schema.
func containerlabFile(t *testing.T) (nodes map[string]labNode, links []struct {
	Endpoints []string
	MTU       int
}) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deploy, "containerlab/uelink.clab.yml"))
	bed.Must(t, err)
	var any any
	bed.Must(t, yaml.Load(text, &any))
	asJSON, err := json.Marshal(any)
	bed.Must(t, err)
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(asJSON)))
	bed.Must(t, err)
	schema, err := jsonschema.NewCompiler().Compile("testdata/containerlab.schema.json")
	bed.Must(t, err)
	if err := schema.Validate(doc); err != nil {
		t.Errorf("the schema refuses the example: %v", err)
	}
	var file struct {
		Topology struct {
			Kinds, Nodes map[string]labNode
			Links        []struct {
				Endpoints []string
				MTU       int
			}
		}
	}
	bed.Must(t, yaml.Unmarshal(text, &file))
	for name, n := range file.Topology.Nodes {
		if n.Image == "" {
			n.Image = file.Topology.Kinds[n.Kind].Image
		}
		file.Topology.Nodes[name] = n
	}
	return file.Topology.Nodes, file.Topology.Links
}

// containerfile returns the value of a line of the image's description, such as ENTRYPOINT.
func containerfile(t *testing.T, key string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deploy, "image/Containerfile"))
	bed.Must(t, err)
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, key+" "); ok {
			var words []string
			if json.Unmarshal([]byte(value), &words) == nil {
				value = strings.Join(words, " ")
			}
			return strings.TrimSpace(value)
		}
	}
	t.Fatalf("the image has no %s", key)
	return ""
}

// labContainer is a process in namespaces and a root of its own, as a runtime of containers makes it: with its loopback
// as the only interface, until somebody gives it others.
type labContainer struct {
	*bed.Process
	ns     *netns.NS
	root   string
	client *client.Client
}

// containerScript starts a program as process 1 of a container: root, binds and program with its arguments, the latter
// as a shell reads them.
const containerScript = `set -e
root=$1 binds=$2
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount --rbind /dev "$root/dev"
for bind in $binds; do
	from=${bind%%:*} to=${bind#*:}
	mount --bind -o ro "$from" "$root${to%:ro}"
done
eval "set -- $3"
exec chroot "$root" "$@"
`

// startNode starts the container of a node. roots has the root of each image.
func startNode(t *testing.T, name string, n labNode, roots map[string]string) *labContainer {
	t.Helper()
	image, _, _ := strings.Cut(n.Image, ":")
	root := filepath.Join(t.TempDir(), "root")
	output(t, exec.Command("cp", "-a", roots[image], root))
	path, program := "/bin", n.Cmd
	if image == "uelink" {
		path = strings.TrimPrefix(containerfile(t, "ENV"), "PATH=")
		if n.Entrypoint == "" {
			n.Entrypoint = containerfile(t, "ENTRYPOINT")
		}
		if n.Cmd == "" {
			n.Cmd = containerfile(t, "CMD")
		}
		program = n.Entrypoint + " " + n.Cmd
	}
	for _, dir := range []string{"proc", "sys", "dev"} {
		bed.Must(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	var binds []string
	for _, b := range n.Binds {
		from, err := filepath.Abs(filepath.Join(deploy, "containerlab", b))
		bed.Must(t, err)
		binds = append(binds, from)
	}
	cmd := exec.Command(bed.InstalledProgram(t, "unshare", "util-linux"), "--mount", "--propagation", "private", "--pid",
		"--fork", "--kill-child", "sh", "-c", containerScript, "sh", root, strings.Join(binds, " "), program)
	cmd.Env = []string{"PATH=" + path + ":" + os.Getenv("PATH")}
	c := &labContainer{ns: nstest.New(t, name), root: root,
		client: client.NewClient(filepath.Join(root, "run/uelink/uelink.sock"))}
	c.Process = bed.Start(t, c.ns, "container "+name, cmd)
	t.Cleanup(c.client.Close)
	return c
}

// ports waits until all ports of the daemon in a container have this operational status.
func (c *labContainer) ports(t *testing.T, status string) {
	t.Helper()
	bed.Eventually(t, c.Name+" with ports "+status, func() string {
		ports, err := c.client.Ports(t.Context())
		if err != nil {
			return fmt.Sprint(err, "\n", c.Stderr)
		}
		for _, p := range ports {
			if p.OperStatus != status {
				return fmt.Sprintf("%s is %s: %s", p.Name, p.OperStatus, p.Fault)
			}
		}
		return ""
	})
}

// imageRoots returns the roots of the images by their names: the one of uelink as make image has it, and a busybox.
func imageRoots(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	roots := map[string]string{"uelink": filepath.Join(dir, "uelink"), "busybox": filepath.Join(dir, "busybox")}
	cmd := exec.Command("make", "-s", "image-root", "IMAGE_ROOT="+roots["uelink"], "IMAGE_PROGRAMS="+bed.Binaries)
	cmd.Dir, cmd.Env = "../../..", append(os.Environ(), "MAKEFLAGS=")
	output(t, cmd)
	bin := filepath.Join(roots["busybox"], "bin")
	bed.Must(t, os.MkdirAll(bin, 0o755))
	output(t, exec.Command("cp", bed.InstalledProgram(t, "busybox", "busybox-static"), bin))
	for _, applet := range []string{"sh", "ip", "sleep", "ping"} {
		bed.Must(t, os.Symlink("busybox", filepath.Join(bin, applet)))
	}
	return roots
}

// plug makes a link as containerlab does: a veth with names of the runtime, whose ends get their names inside the
// containers and are set up there. Offloads and IPv6 are as the kernel has them.
func plug(t *testing.T, runtime *netns.NS, all map[string]*labContainer, ends []string, mtu int) {
	t.Helper()
	ip := bed.InstalledProgram(t, "ip", "iproute2")
	size := fmt.Sprint(mtu)
	output(t, exec.Command(ip, "-n", runtime.Name(), "link", "add", "end0", "mtu", size, "type", "veth", "peer", "name",
		"end1", "mtu", size))
	for i, end := range ends {
		node, ifname, _ := strings.Cut(end, ":")
		ns := all[node].ns.Name()
		output(t, exec.Command(ip, "-n", runtime.Name(), "link", "set", fmt.Sprint("end", i), "netns", ns, "name", ifname))
		output(t, exec.Command(ip, "-n", ns, "link", "set", ifname, "up"))
	}
}

// The example for containerlab comes up where its nodes are processes in the root of the image, started before they
// have an interface: both links run, and no frame is lost over the bad wire, jumbo frames neither. containerlab itself
// is not here.
func TestContainerlabExample(t *testing.T) {
	runtime := nstest.New(t, "runtime") // or skip
	nodes, links := containerlabFile(t)
	roots, all := imageRoots(t), map[string]*labContainer{}
	for name, n := range nodes {
		all[name] = startNode(t, name, n, roots)
	}
	a, b := all["A"], all["B"]
	a.ports(t, "absent")
	b.ports(t, "absent")
	bed.Eventually(t, "the cable waits", func() string {
		if text := all["wire"].Stderr.String(); !strings.Contains(text, "waiting for eth1, eth2") {
			return text
		}
		return ""
	})
	for _, l := range links {
		if l.MTU == 0 {
			l.MTU = containerlabMTU
		}
		plug(t, runtime, all, l.Endpoints, l.MTU)
	}
	a.ports(t, "up")
	b.ports(t, "up")
	for _, s := range []*labContainer{a, b} {
		bed.Eventually(t, "LLR of "+s.Name, func() string {
			l, err := s.client.LLRInterface(t.Context(), "link0")
			if err != nil || !l.Established() {
				return fmt.Sprint(l.TxStatus, ", ", l.RxStatus, ", ", err)
			}
			return ""
		})
	}
	bed.Eventually(t, "an answer of hostB", func() string {
		out, err := exec.Command("ip", "netns", "exec", all["hostA"].ns.Name(), "chroot", all["hostA"].root,
			"/bin/ping", "-c", "5", "-s", "8900", "-W", "1", "10.77.0.2").CombinedOutput()
		if err != nil || !strings.Contains(string(out), " 0% packet loss") {
			return string(out)
		}
		return ""
	})
	c := traffic.DefaultConfig()
	c.From = traffic.End{Interface: "eth1", NetNS: all["hostA"].ns.Name(), Label: "hostA"}
	c.To = traffic.End{Interface: "eth1", NetNS: all["hostB"].ns.Name(), Label: "hostB"}
	c.Frames, c.Window, c.Size = 5000, 32, "imix"
	bed.Untouched(t, c)
	for _, s := range []*labContainer{a, b} {
		counters, err := s.client.LLRCountersOf(t.Context(), "link0")
		bed.Must(t, err)
		if counters.Counters.TxReplay == 0 || counters.Counters.TxFlush > 0 {
			t.Errorf("%s: %+v", s.Name, counters.Counters)
		}
		bed.Must(t, syscall.Kill(bed.ChildOf(t, s.Cmd.Process.Pid), syscall.SIGTERM))
		<-s.Ended
		if code := s.Cmd.ProcessState.ExitCode(); code != 0 {
			t.Errorf("%s ended with %d", s.Name, code)
		}
	}
}

// The schema for the example refuses what would not do without exec, and names that no node has.
func TestContainerlabSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("testdata/containerlab.schema.json")
	bed.Must(t, err)
	for _, text := range []string{
		`{name: x, topology: {nodes: {a: {kind: linux, exec: [ls]}}, links: []}}`,
		`{name: x, topology: {nodes: {a: {kind: srl}}, links: []}}`,
		`{name: x, topology: {nodes: {a: {image: "uelink:1"}}, links: []}}`,
		`{name: x, topology: {nodes: {a: {kind: linux, binds: [relative]}}, links: []}}`,
		`{name: x, topology: {nodes: {a: {kind: linux}}, links: [{endpoints: ["a:eth1"]}]}}`,
		`{name: x, topology: {nodes: {a: {kind: linux}}, links: [{endpoints: ["a:eth1", "a:eth0"]}]}}`,
	} {
		var v any
		bed.Must(t, yaml.Load([]byte(text), &v))
		asJSON, err := json.Marshal(v)
		bed.Must(t, err)
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(asJSON)))
		bed.Must(t, err)
		if schema.Validate(doc) == nil {
			t.Errorf("the schema takes %s", text)
		}
	}
	text, err := os.ReadFile(filepath.Join(deploy, "containerlab/station.yaml"))
	bed.Must(t, err)
	checkConfiguration(t, string(text))
}

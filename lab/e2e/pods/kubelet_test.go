package pods

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	current "github.com/containernetworking/cni/pkg/types/100"

	"uelink/client"
	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// kubelet is a node with mounts of its own, which carries the manifests out as kubelet and a container runtime do.
type kubelet struct {
	machine
	manifests
	t       *testing.T
	name    string // of the node
	folder  string // of the node's own files, in its mounts
	cnitool string // program of this machine, and no part of the node
	daemon  *bed.Process
	client  *client.Client
}

// nodeMounts makes the folders that the pods of a node see: of the node alone, and empty but for the programs of the
// image and host-local. $1 is a folder with these programs, $2 the folder of the node's own files.
const nodeMounts = `
mount -t tmpfs node "$2"; cd "$2"; mkdir config netns bin bin-work etc etc-work
mount --rbind /run/netns netns
mount -t tmpfs node /run; mkdir -p /run/uelink /run/netns; mount --rbind netns /run/netns
mount -t overlay -o "lowerdir=/usr/bin,upperdir=$2/bin,workdir=$2/bin-work" node /usr/bin; cp "$1"/uelink* /usr/bin
mount -t overlay -o "lowerdir=/etc,upperdir=$2/etc,workdir=$2/etc-work" node /etc; mkdir -p /etc/cni/net.d /etc/uelink
touch /etc/uelink/uelink.yaml
mount -t tmpfs node /opt; mkdir -p /opt/cni/bin; cp "$1"/host-local /opt/cni/bin
mount -t tmpfs node /var/lib; mkdir /var/lib/uelink /var/lib/cni
mount --bind /proc/sys /proc/sys
cd /`

// newKubelet makes a node. image is a folder with the programs of the image, host-local and cnitool.
func newKubelet(t *testing.T, ns *netns.NS, name, image string, m manifests) *kubelet {
	t.Helper()
	folder := t.TempDir()
	k := &kubelet{t: t, manifests: m, name: name, folder: folder, cnitool: filepath.Join(image, "cnitool"),
		machine: newMachine(t, ns, name, fmt.Sprintf("set -- %s %s%s", image, folder, nodeMounts))}
	for key, text := range m.configs {
		bed.Must(t, os.WriteFile(k.path(filepath.Join(folder, "config", key)), []byte(text), 0o644))
	}
	k.client = client.NewClient(k.path("/run/uelink/uelink.sock"))
	t.Cleanup(k.client.Close)
	return k
}

// start starts the pod of the DaemonSet, and waits until it is ready by its own probe.
func (k *kubelet) start() {
	k.t.Helper()
	for _, c := range k.pod.Init {
		bed.Run(k.t, k.ns, k.container(c))
	}
	main := k.pod.Containers[0]
	k.daemon = bed.Start(k.t, k.ns, "uelinkd of "+k.name, k.container(main))
	bed.Eventually(k.t, "a ready pod at "+k.name, func() string {
		if !k.daemon.Running() {
			k.t.Fatalf("uelinkd of %s has ended: %s", k.name, k.daemon.Stderr)
		}
		probe := append([]string{fmt.Sprintf("--mount=/proc/%d/ns/mnt", k.daemon.Cmd.Process.Pid), "--"},
			main.Readiness.Exec.Command...)
		if out, err := exec.Command("nsenter", probe...).CombinedOutput(); err != nil {
			return string(out)
		}
		return ""
	})
}

// readOnly is what a container without a root that it may write to sees read-only, beside its volumes.
const readOnly = "for m in /usr/bin /etc /run /opt /var/lib /sys /proc/sys /; do mount -o remount,bind,ro $m; done\n"

// container returns the command that starts a container in mounts, and with capabilities, of its own.
func (k *kubelet) container(c container) *exec.Cmd {
	k.t.Helper()
	script := "set -e\n"
	env := map[string]string{}
	for _, e := range c.Env {
		if e.ValueFrom.FieldRef.FieldPath != "spec.nodeName" {
			k.t.Fatalf("%s is %+v", e.Name, e.ValueFrom)
		}
		env[e.Name] = k.name
	}
	for _, m := range c.VolumeMounts {
		path := strings.ReplaceAll(m.SubPath, "$(", "${")
		path = os.Expand(strings.ReplaceAll(path, ")", "}"), func(name string) string { return env[name] })
		source := filepath.Join(k.source(m.Name), path)
		if _, err := os.Stat(k.path(source)); errors.Is(err, fs.ErrNotExist) {
			script += fmt.Sprintf("mkdir %s; rm -f %s; mkdir -p %[2]s\n", source, m.MountPath) // as kubelet does
		}
		script += fmt.Sprintf("mount --bind %s %s\n", source, m.MountPath)
		if m.ReadOnly {
			script += fmt.Sprintf("mount -o remount,bind,ro %s\n", m.MountPath)
		}
	}
	if !c.SecurityContext.ReadOnly || strings.Join(c.SecurityContext.Capabilities.Drop, "") != "ALL" {
		k.t.Fatalf("%+v", c.SecurityContext)
	}
	capabilities := "-all"
	for _, name := range c.SecurityContext.Capabilities.Add {
		capabilities += ",+" + strings.ToLower(name)
	}
	run := c.Command
	if len(run) == 0 {
		run = k.command
	}
	script += readOnly + "exec setpriv --no-new-privs --bounding-set=" + capabilities + " env -i PATH=/usr/bin"
	for name, value := range env {
		script += " " + name + "=" + value
	}
	return k.inside(append([]string{"unshare", "--mount", "--propagation", "slave", "sh", "-c", script + ` "$@"`, "sh"},
		run...)...)
}

// source returns the folder of a volume, in the node's mounts.
func (k *kubelet) source(volume string) string {
	k.t.Helper()
	for _, v := range k.pod.Volumes {
		switch {
		case v.Name != volume:
		case v.HostPath.Path != "":
			return v.HostPath.Path
		case v.ConfigMap.Name != "":
			return filepath.Join(k.folder, "config")
		}
	}
	k.t.Fatalf("there is no volume %s", volume)
	return ""
}

// join writes the network for pods, whose addresses end in first to last. IPAM is another than in the manifest:
// whereabouts needs a cluster.
func (k *kubelet) join(first, last int) {
	k.t.Helper()
	config := map[string]any{}
	for key, value := range k.network {
		config[key] = value
	}
	config["ipam"] = map[string]any{"type": "host-local", "subnet": "10.0.0.0/24",
		"rangeStart": fmt.Sprint("10.0.0.", first), "rangeEnd": fmt.Sprint("10.0.0.", last)}
	text, err := json.Marshal(config)
	bed.Must(k.t, err)
	bed.Must(k.t, os.WriteFile(k.path("/etc/cni/net.d/uelink.conf"), text, 0o644))
}

// attach calls the plugin of the node for a pod by cnitool, and returns the output.
func (k *kubelet) attach(verb string, pod *netns.NS) string {
	k.t.Helper()
	cmd := k.inside("env", "CNI_PATH=/opt/cni/bin", k.cnitool, verb, "uelink", pod.Path())
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := k.ns.Run(cmd); err != nil {
		k.t.Fatalf("%s: %v: %s", verb, err, out.String())
	}
	return out.String()
}

// add adds a pod to the network, and returns its address.
func (k *kubelet) add(pod *netns.NS) (address string) {
	k.t.Helper()
	var r current.Result
	if out := k.attach("add", pod); json.Unmarshal([]byte(out), &r) != nil || len(r.IPs) != 1 || len(r.Interfaces) != 2 {
		k.t.Fatalf("add: %s", out)
	}
	return r.IPs[0].Address.IP.String()
}

// left lists what pods have left at the node.
func (k *kubelet) left() []string {
	k.t.Helper()
	return left(k.t, k.ns, k.client, k.path("/var/lib/cni/networks/*/10.*"), k.path("/var/lib/cni/results/*"),
		k.path("/run/uelink/ports.d/*"), k.path("/var/lib/uelink/ports.d/*"))
}

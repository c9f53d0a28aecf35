package packages

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

var (
	kubernetes = flag.Bool("packages.kubernetes", false,
		"TestKubernetesFilesAreValid runs the kubeconform that deploy/kubernetes.mod pins, which go builds first")
	ansible = flag.Bool("packages.ansible", false, "TestAnsible runs ansible-playbook")
)

// manifest is what the tests look at in the objects for Kubernetes.
type manifest struct {
	Kind string
	Data map[string]string
	Spec struct {
		Template struct {
			Spec struct {
				HostNetwork bool `yaml:"hostNetwork"`
				Containers  []container
				Volumes     []struct {
					Name string
				}
			}
		}
	}
}

// container is a container of a pod.
type container struct {
	SecurityContext struct {
		ReadOnly     bool `yaml:"readOnlyRootFilesystem"`
		Capabilities struct{ Drop, Add []string }
	} `yaml:"securityContext"`
	Ports []struct {
		ContainerPort int `yaml:"containerPort"`
	}
	VolumeMounts []struct {
		Name      string
		MountPath string `yaml:"mountPath"`
	} `yaml:"volumeMounts"`
}

// manifests returns the objects for Kubernetes by their kind.
func manifests(t testing.TB) map[string]manifest {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deploy, "kubernetes/uelink.yaml"))
	bed.Must(t, err)
	all := map[string]manifest{}
	for part := range bytes.SplitSeq(text, []byte("\n---\n")) {
		var m manifest
		bed.Must(t, yaml.Unmarshal(part, &m))
		all[m.Kind] = m
	}
	return all
}

// unitLine returns the words of a key of the daemon's unit.
func unitLine(t testing.TB, key string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deploy, "uelinkd.service"))
	bed.Must(t, err)
	for line := range strings.Lines(string(text)) {
		if value, is := strings.CutPrefix(line, key+"="); is {
			return strings.Fields(value)
		}
	}
	t.Fatalf("the unit has no %s", key)
	return nil
}

// checkConfiguration reports a problem unless `uelinkd --check` accepts a configuration, and returns the output.
func checkConfiguration(t testing.TB, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "uelink.yaml")
	text += "\ncontrol: {socket: " + filepath.Join(t.TempDir(), "api") + "}\n"
	bed.Must(t, os.WriteFile(name, []byte(text), 0o600))
	out, err := exec.Command(bed.Program("uelinkd"), "--config", name, "--check").CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s\n%s", err, out, text)
	}
	return string(out)
}

// The pod has the privileges of the daemon's unit, a place for all that outlives the daemon, and a right configuration,
// whose metrics are those that the pod is scraped for.
func TestDaemonSet(t *testing.T) {
	all := manifests(t)
	config, pod := all["ConfigMap"].Data["uelink.yaml"], all["DaemonSet"].Spec.Template.Spec
	checkConfiguration(t, config)
	if !pod.HostNetwork || len(pod.Containers) != 1 {
		t.Fatalf("%+v", pod)
	}
	c := pod.Containers[0]
	var want []string
	for _, name := range unitLine(t, "AmbientCapabilities") {
		want = append(want, strings.TrimPrefix(name, "CAP_"))
	}
	slices.Sort(want)
	have := slices.Sorted(slices.Values(c.SecurityContext.Capabilities.Add))
	if !slices.Equal(have, want) || !slices.Equal(c.SecurityContext.Capabilities.Drop, []string{"ALL"}) {
		t.Errorf("capabilities %v, the unit has %v", have, want)
	}
	var mounted []string
	for _, m := range c.VolumeMounts {
		mounted = append(mounted, m.MountPath)
		if !slices.ContainsFunc(pod.Volumes, func(v struct{ Name string }) bool { return v.Name == m.Name }) {
			t.Errorf("there is no volume %s", m.Name)
		}
	}
	if !slices.Equal(mounted, []string{"/etc/uelink", "/run/uelink", "/var/lib/uelink"}) || !c.SecurityContext.ReadOnly {
		t.Errorf("folders %v, a root that cannot be written to: %t", mounted, c.SecurityContext.ReadOnly)
	}
	if len(c.Ports) != 1 || !strings.Contains(config, fmt.Sprintf(`metrics: {listen: ":%d"}`, c.Ports[0].ContainerPort)) {
		t.Errorf("ports %+v and\n%s", c.Ports, config)
	}
}

// sinceSystemd252 has the system calls that systemd 257 (Debian 13) has in the sets of the unit, and 252 (Debian 12),
// whose list the image has, does not know.
var sinceSystemd252 = []string{"file_getattr", "file_setattr", "fstatat", "getxattrat", "landlock_add_rule",
	"landlock_create_ruleset", "landlock_restrict_self", "listmount", "listxattrat", "llseek", "lsm_get_self_attr",
	"lsm_list_modules", "mseal", "newfstat", "removexattrat", "seccomp", "setxattrat", "statmount"}

// The image's filter of system calls is that of the daemon's unit.
func TestSystemCallsOfTheImage(t *testing.T) {
	bed.RequireProgram(t, "systemd-analyze", "systemd")
	text, err := os.ReadFile(filepath.Join(deploy, "image/seccomp.json"))
	bed.Must(t, err)
	var profile struct {
		DefaultAction string
		Syscalls      []struct {
			Action string
			Names  []string
		}
	}
	bed.Must(t, json.Unmarshal(text, &profile))
	if len(profile.Syscalls) != 1 || profile.Syscalls[0].Action != "SCMP_ACT_ALLOW" ||
		profile.DefaultAction != "SCMP_ACT_ERRNO" {
		t.Fatalf("%+v", profile)
	}
	of := systemCalls(t)
	allowed := map[string]bool{}
	for _, word := range unitLine(t, "SystemCallFilter") {
		for name := range of(word) {
			allowed[name] = true
		}
	}
	for _, name := range profile.Syscalls[0].Names {
		if !allowed[name] {
			t.Errorf("%s is not allowed by the unit", name)
		}
		delete(allowed, name)
	}
	for _, name := range sinceSystemd252 {
		delete(allowed, name)
	}
	if len(allowed) > 10 { // a newer systemd has some more
		t.Errorf("the unit allows %v", allowed)
	}
}

// systemCalls returns a function that returns the system calls of one of systemd's sets, or the call itself.
func systemCalls(t testing.TB) (of func(word string) map[string]bool) {
	t.Helper()
	sets, set := map[string][]string{}, ""
	text := output(t, exec.Command("systemd-analyze", "--no-pager", "syscall-filter"))
	for line := range strings.Lines(text) {
		switch word := strings.TrimSpace(line); {
		case strings.HasPrefix(line, "@"):
			set = word
		case word != "" && !strings.HasPrefix(word, "#"):
			sets[set] = append(sets[set], word)
		}
	}
	of = func(word string) map[string]bool {
		all := map[string]bool{}
		if !strings.HasPrefix(word, "@") {
			all[word] = true
		}
		for _, member := range sets[word] {
			for name := range of(member) {
				all[name] = true
			}
		}
		return all
	}
	return of
}

// The objects for Kubernetes are those of its schema, without a field that the schema does not have.
func TestKubernetesFilesAreValid(t *testing.T) {
	if !*kubernetes {
		t.Skip("skipped, missing kubeconform: make test-all installs it (-packages.kubernetes)")
	}
	dir := t.TempDir()
	answer, err := exec.Command("go", "mod", "download", "-modfile="+deploy+"/kubernetes.mod", "-json",
		"k8s.io/client-go").Output()
	bed.Must(t, err)
	var module struct{ Dir string }
	bed.Must(t, json.Unmarshal(answer, &module))
	for kind, from := range map[string][2]string{
		"namespace": {"api__v1", "core.v1.Namespace"}, "configmap": {"api__v1", "core.v1.ConfigMap"},
		"daemonset": {"apis__apps__v1", "apps.v1.DaemonSet"},
	} {
		text, err := os.ReadFile(filepath.Join(module.Dir, "openapi/openapitest/testdata", from[0]+"_openapi.json"))
		bed.Must(t, err)
		var api struct {
			Components struct {
				Schemas map[string]map[string]any `json:"schemas"`
			} `json:"components"`
		}
		bed.Must(t, json.Unmarshal(text, &api))
		for _, s := range api.Components.Schemas {
			if s["properties"] != nil {
				s["additionalProperties"] = false
			}
		}
		text, err = json.Marshal(map[string]any{
			"$ref": "#/components/schemas/io.k8s.api." + from[1], "components": api.Components,
		})
		bed.Must(t, err)
		bed.Must(t, os.WriteFile(filepath.Join(dir, kind+".json"), text, 0o600))
	}
	validate := func(name string) (string, error) {
		out, err := exec.Command("go", "tool", "-modfile="+deploy+"/kubernetes.mod", "kubeconform", "-summary",
			"-schema-location", dir+"/{{.ResourceKind}}.json", name).CombinedOutput()
		return string(out), err
	}
	name := filepath.Join(deploy, "kubernetes/uelink.yaml")
	out, err := validate(name)
	if err != nil || !strings.Contains(out, "3 resources found in 1 file - Valid: 3") {
		t.Errorf("%v: %s", err, out)
	}
	text, err := os.ReadFile(name)
	bed.Must(t, err)
	wrong := filepath.Join(dir, "wrong.yaml")
	bed.Must(t, os.WriteFile(wrong, bytes.Replace(text, []byte("hostNetwork"), []byte("hostNetworks"), 1), 0o600))
	if out, err := validate(wrong); err == nil || !strings.Contains(out, "hostNetworks") {
		t.Errorf("a field that there is not: %v, %s", err, out)
	}
}

// sshScript plays ssh: it runs the last argument, a command, in the root of the host that the argument before names.
const sshScript = `#!/bin/sh
for word; do host=$last last=$word; done
pid=$(cat "$0.$host") && exec nsenter -t "$pid" -a /bin/sh -c "$last"
`

// The play, by the commands of docs/INSTALL.md, makes a link between two hosts with a systemd each. Another run changes
// nothing.
func TestAnsible(t *testing.T) {
	if !*ansible {
		t.Skip("skipped, missing Ansible: make test-all installs it (-packages.ansible)")
	}
	bed.RequireProgram(t, "ansible-playbook", "ansible-core")
	lines := commands(t, "Two hosts by Ansible")[0]
	if lines[0] != "make deb" || len(lines) != 3 {
		t.Fatalf("the commands are %q", lines)
	}
	dir := t.TempDir()
	output(t, exec.Command("cp", "-r", deploy, dir))
	bed.Must(t, os.Mkdir(filepath.Join(dir, "bin"), 0o755))
	output(t, exec.Command("cp", makePackage(t, "1.0"), filepath.Join(dir, "bin")))

	top := bed.NewTopology(t)
	bed.Must(t, netns.Veth(top.A, "eth1", top.B, "eth1", bed.LinkMTU))
	ssh := filepath.Join(dir, "ssh")
	bed.Must(t, os.WriteFile(ssh, []byte(sshScript), 0o755))
	for host, ns := range map[string]*netns.NS{"host-a": top.A, "host-b": top.B} {
		b := bootRoot(t, ns, unpackedRoot(t))
		bed.Must(t, os.WriteFile(ssh+"."+host, fmt.Append(nil, b.init), 0o644))
	}
	play := func() string {
		cmd := exec.Command("sh", "-ec", strings.Join(lines[1:], "\n"))
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "ANSIBLE_SSH_EXECUTABLE="+ssh, "ANSIBLE_SSH_TRANSFER_METHOD=piped",
			"ANSIBLE_LOCAL_TEMP="+dir, "ANSIBLE_NOCOLOR=1")
		return output(t, cmd)
	}
	t.Log(play())
	says(t, bed.Run(t, top.A, exec.Command("ping", "-n", "-q", "-c", "20", "-i", "0.01", "10.0.0.2")), "20 received")
	if again := play(); strings.Count(again, "changed=0 ") != 2 {
		t.Errorf("another run changes something:\n%s", again)
	}
}

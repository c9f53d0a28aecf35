package packages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"uelink/lab/e2e/bed"
)

// manifest is what the tests look at in the objects for Kubernetes.
type manifest struct {
	Kind string
	Data map[string]string
	Spec struct {
		Template struct {
			Spec struct {
				HostNetwork bool        `yaml:"hostNetwork"`
				Init        []container `yaml:"initContainers"`
				Containers  []container
				Volumes     []struct {
					Name string
				}
			}
		}
		Config string // of a NetworkAttachmentDefinition
	}
}

// container is a container of a pod.
type container struct {
	Command         []string
	SecurityContext struct {
		ReadOnly     bool `yaml:"readOnlyRootFilesystem"`
		Capabilities struct{ Drop, Add []string }
	} `yaml:"securityContext"`
	Ports []struct {
		ContainerPort int `yaml:"containerPort"`
	}
	Env          []struct{ Name string }
	VolumeMounts []struct {
		Name      string
		MountPath string `yaml:"mountPath"`
		SubPath   string `yaml:"subPathExpr"`
	} `yaml:"volumeMounts"`
}

// objects returns the objects of a file for Kubernetes.
func objects(t testing.TB, name string) (list []manifest) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deploy, "kubernetes", name))
	bed.Must(t, err)
	for part := range bytes.SplitSeq(text, []byte("\n---\n")) {
		var m manifest
		bed.Must(t, yaml.Unmarshal(part, &m))
		list = append(list, m)
	}
	return list
}

// manifests returns the objects for Kubernetes by their kind.
func manifests(t testing.TB) map[string]manifest {
	t.Helper()
	all := map[string]manifest{}
	for _, name := range []string{"uelink.yaml", "nodes.yaml", "network.yaml", "monitor.yaml"} {
		for _, m := range objects(t, name) {
			all[m.Kind] = m
		}
	}
	return all
}

// The pod has the privileges of the daemon's unit, a place for all that outlives the daemon, the configuration of its
// node, and metrics where it is scraped for them. The plugin is installed without privileges.
func TestDaemonSet(t *testing.T) {
	all := manifests(t)
	pod := all["DaemonSet"].Spec.Template.Spec
	if !pod.HostNetwork || len(pod.Containers) != 1 || len(pod.Init) != 1 {
		t.Fatalf("%+v", pod)
	}
	c, plugin := pod.Containers[0], pod.Init[0]
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
	for _, m := range append(slices.Clone(plugin.VolumeMounts), c.VolumeMounts...) {
		mounted = append(mounted, m.MountPath+" "+m.SubPath)
		if !slices.ContainsFunc(pod.Volumes, func(v struct{ Name string }) bool { return v.Name == m.Name }) {
			t.Errorf("there is no volume %s", m.Name)
		}
	}
	if !slices.Equal(mounted, []string{"/opt/cni/bin ", "/etc/uelink/uelink.yaml $(NODE_NAME).yaml", "/run/uelink ",
		"/var/lib/uelink "}) || !c.SecurityContext.ReadOnly || len(c.Env) != 1 || c.Env[0].Name != "NODE_NAME" {
		t.Errorf("folders %q, a root that cannot be written to: %t, %v", mounted, c.SecurityContext.ReadOnly, c.Env)
	}
	if !slices.Equal(plugin.Command, []string{"uelink-cni", "install", "/opt/cni/bin"}) ||
		len(plugin.SecurityContext.Capabilities.Add) > 0 || !plugin.SecurityContext.ReadOnly {
		t.Errorf("the plugin: %+v", plugin)
	}
	for name, text := range all["ConfigMap"].Data {
		checkConfiguration(t, text)
		if len(c.Ports) != 1 || !strings.Contains(text, fmt.Sprintf(`metrics: {listen: ":%d"}`, c.Ports[0].ContainerPort)) {
			t.Errorf("%s: ports %+v and\n%s", name, c.Ports, text)
		}
	}
}

// The two nodes differ in the address of the host alone, so that they are the two ends of a link.
func TestNodesDiffer(t *testing.T) {
	data := manifests(t)["ConfigMap"].Data
	a, b := data["node-a.yaml"], data["node-b.yaml"]
	if a == b || strings.Replace(a, "10.0.0.1/24", "10.0.0.2/24", 1) != b || len(data) != 2 {
		t.Errorf("node-a:\n%s\nnode-b:\n%s", a, b)
	}
}

// A node without a key is told the key: kubelet makes a folder where the key is missing.
func TestMissingKeyOfANode(t *testing.T) {
	cmd := exec.Command(bed.Program("uelinkd"), "--config", t.TempDir())
	cmd.Env = append(os.Environ(), "NODE_NAME=node-c")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "node-c.yaml") {
		t.Errorf("%v: %s", err, out)
	}
}

// networkSchema is the schema of a NetworkAttachmentDefinition, and of the configuration in it for uelink-cni.
const networkSchema = `{
	"type": "object", "additionalProperties": false, "required": ["apiVersion", "kind", "metadata", "spec"],
	"properties": {
		"apiVersion": {"const": "k8s.cni.cncf.io/v1"}, "kind": {"const": "NetworkAttachmentDefinition"},
		"metadata": {"type": "object", "additionalProperties": false, "required": ["name", "namespace"],
			"properties": {"name": {"type": "string"}, "namespace": {"type": "string"}}},
		"spec": {"type": "object", "additionalProperties": false, "required": ["config"], "properties": {
			"config": {"type": "string", "contentMediaType": "application/json", "contentSchema": {
				"type": "object", "additionalProperties": false, "required": ["cniVersion", "name", "type"],
				"properties": {
					"cniVersion": {"enum": ["0.4.0", "1.0.0", "1.1.0"]}, "name": {"type": "string"},
					"type": {"const": "uelink-cni"}, "bridge": {"type": "string"}, "link": {"type": "string"},
					"mtu": {"type": "integer"}, "socket": {"type": "string"}, "port": {"type": "object"},
					"member": {"type": "object"}, "capabilities": {"type": "object"},
					"ipam": {"type": "object", "required": ["type"]}}}}}}}}`

// The network for pods is one of its schema, and the plugin takes its configuration: the bridge is one of the nodes'.
func TestNetworkForPods(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(deploy, "kubernetes/network.yaml"))
	bed.Must(t, err)
	compiler := jsonschema.NewCompiler()
	compiler.AssertContent()
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(networkSchema))
	bed.Must(t, err)
	bed.Must(t, compiler.AddResource("network.json", schema))
	valid := compiler.MustCompile("network.json")
	check := func(text string) error {
		var object any
		bed.Must(t, yaml.Unmarshal([]byte(text), &object))
		return valid.Validate(object)
	}
	if err := check(string(text)); err != nil {
		t.Error(err)
	}
	for _, wrong := range [][2]string{{"config:", "configs:"}, {`"bridge"`, `"bridges"`}, {"uelink-cni", "bridge"}} {
		if err := check(strings.Replace(string(text), wrong[0], wrong[1], 1)); err == nil {
			t.Errorf("%s is not refused", wrong[1])
		}
	}
	all := manifests(t)
	var network struct{ Bridge string }
	bed.Must(t, json.Unmarshal([]byte(all["NetworkAttachmentDefinition"].Spec.Config), &network))
	for name, text := range all["ConfigMap"].Data {
		if !strings.Contains(text, "{name: "+network.Bridge+", ports:") {
			t.Errorf("%s has no bridge %q", name, network.Bridge)
		}
	}
}

// The objects for Kubernetes are those of its schema and of prometheus-operator's types, without a field that these do
// not have, and kustomize puts them together.
func TestKubernetesFilesAreValid(t *testing.T) {
	if !*kubernetes {
		t.Skip("skipped, missing kubeconform: make test-all installs it (-packages.kubernetes)")
	}
	dir := t.TempDir()
	writeSchemas(t, dir)
	tool := func(name string, args ...string) (string, error) {
		out, err := exec.Command("go", append([]string{"tool", "-modfile=" + deploy + "/kubernetes.mod", name},
			args...)...).CombinedOutput()
		return string(out), err
	}
	validate := func(name string) (string, error) {
		return tool("kubeconform", "-summary", "-skip", "PodMonitor,ServiceMonitor", "-schema-location",
			dir+"/{{.ResourceKind}}.json", name)
	}
	for name, want := range map[string]string{
		"uelink.yaml":  "2 resources found in 1 file - Valid: 2",
		"nodes.yaml":   "1 resource found in 1 file - Valid: 1",
		"monitor.yaml": "3 resources found in 1 file - Valid: 1, Invalid: 0, Errors: 0, Skipped: 2",
	} {
		if out, err := validate(filepath.Join(deploy, "kubernetes", name)); err != nil || !strings.Contains(out, want) {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
	text, err := os.ReadFile(filepath.Join(deploy, "kubernetes/uelink.yaml"))
	bed.Must(t, err)
	wrong := filepath.Join(dir, "wrong.yaml")
	bed.Must(t, os.WriteFile(wrong, bytes.Replace(text, []byte("hostNetwork"), []byte("hostNetworks"), 1), 0o600))
	if out, err := validate(wrong); err == nil || !strings.Contains(out, "hostNetworks") {
		t.Errorf("a field that there is not: %v, %s", err, out)
	}
	out, err := tool("kustomize", "build", filepath.Join(deploy, "kubernetes"))
	if err != nil || strings.Count(out, "\nkind: ") != 3 || !strings.Contains(out, "subPathExpr: $(NODE_NAME).yaml") {
		t.Errorf("kustomize: %v: %s", err, out)
	}
	checkMonitors(t, dir)
}

// writeSchemas writes the schemas of Kubernetes' own kinds into a folder.
func writeSchemas(t *testing.T, dir string) {
	t.Helper()
	answer, err := exec.Command("go", "mod", "download", "-modfile="+deploy+"/kubernetes.mod", "-json",
		"k8s.io/client-go").Output()
	bed.Must(t, err)
	var module struct{ Dir string }
	bed.Must(t, json.Unmarshal(answer, &module))
	for kind, from := range map[string][2]string{
		"namespace": {"api__v1", "core.v1.Namespace"}, "configmap": {"api__v1", "core.v1.ConfigMap"},
		"service": {"api__v1", "core.v1.Service"}, "daemonset": {"apis__apps__v1", "apps.v1.DaemonSet"},
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
}

// checkMonitors decodes the monitors by the types of prometheus-operator, and one with a field that there is not.
func checkMonitors(t *testing.T, dir string) {
	t.Helper()
	source, err := os.ReadFile("testdata/monitors.txt")
	bed.Must(t, err)
	program := filepath.Join(dir, "monitors.go")
	bed.Must(t, os.WriteFile(program, source, 0o600))
	text, err := os.ReadFile(filepath.Join(deploy, "kubernetes/monitor.yaml"))
	bed.Must(t, err)
	decode := func(text string) (string, error) {
		cmd := exec.Command("go", "run", "-modfile="+deploy+"/kubernetes.mod", program)
		cmd.Stdin = strings.NewReader(text)
		var errors bytes.Buffer // and what go says of downloads
		cmd.Stderr = &errors
		out, err := cmd.Output()
		if err != nil {
			out = append(out, errors.Bytes()...)
		}
		return string(out), err
	}
	if out, err := decode(string(text)); err != nil || out != "PodMonitor valid\nServiceMonitor valid\n" {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := decode(strings.Replace(string(text), "targetLabel", "targetLabels", 1)); err == nil ||
		!strings.Contains(out, "targetLabels") {
		t.Errorf("a field that there is not: %v, %s", err, out)
	}
}

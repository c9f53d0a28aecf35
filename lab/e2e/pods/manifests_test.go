package pods

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"uelink/lab/e2e/bed"
)

// manifests is what the objects in deploy/kubernetes ask of a node.
type manifests struct {
	configs map[string]string // of the ConfigMap
	pod     podSpec           // of the DaemonSet
	network map[string]any    // configuration in the NetworkAttachmentDefinition
	command []string          // that the image runs by default
}

// podSpec is the part of a pod that a node carries out.
type podSpec struct {
	Init       []container `yaml:"initContainers"`
	Containers []container
	Volumes    []struct {
		Name      string
		HostPath  struct{ Path string } `yaml:"hostPath"`
		ConfigMap struct{ Name string } `yaml:"configMap"`
	}
}

type container struct {
	Command []string
	Env     []struct {
		Name      string
		ValueFrom struct {
			FieldRef struct {
				FieldPath string `yaml:"fieldPath"`
			} `yaml:"fieldRef"`
		} `yaml:"valueFrom"`
	}
	SecurityContext struct {
		ReadOnly     bool `yaml:"readOnlyRootFilesystem"`
		Capabilities struct{ Drop, Add []string }
	} `yaml:"securityContext"`
	Readiness struct {
		Exec struct{ Command []string }
	} `yaml:"readinessProbe"`
	VolumeMounts []struct {
		Name      string
		MountPath string `yaml:"mountPath"`
		SubPath   string `yaml:"subPathExpr"`
		ReadOnly  bool   `yaml:"readOnly"`
	} `yaml:"volumeMounts"`
}

// readManifests reads the objects as they ship.
func readManifests(t *testing.T) (m manifests) {
	t.Helper()
	for _, name := range []string{"nodes.yaml", "uelink.yaml", "network.yaml"} {
		text, err := os.ReadFile(filepath.Join("../../../deploy/kubernetes", name))
		bed.Must(t, err)
		for part := range bytes.SplitSeq(text, []byte("\n---\n")) {
			var object struct {
				Kind string
				Data map[string]string
				Spec struct {
					Config   string
					Template struct{ Spec podSpec }
				}
			}
			bed.Must(t, yaml.Unmarshal(part, &object))
			switch object.Kind {
			case "ConfigMap":
				m.configs = object.Data
			case "DaemonSet":
				m.pod = object.Spec.Template.Spec
			case "NetworkAttachmentDefinition":
				bed.Must(t, json.Unmarshal([]byte(object.Spec.Config), &m.network))
			}
		}
	}
	file, err := os.ReadFile("../../../deploy/image/Containerfile")
	bed.Must(t, err)
	for _, key := range []string{"ENTRYPOINT ", "CMD "} {
		_, rest, _ := strings.Cut(string(file), "\n"+key)
		var words []string
		bed.Must(t, json.Unmarshal([]byte(strings.SplitN(rest, "\n", 2)[0]), &words))
		m.command = append(m.command, words...)
	}
	return m
}

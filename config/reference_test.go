package config

import (
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"uelink/config/schema"
)

// The page of the configuration holds the reference, between two markers.
func TestReference(t *testing.T) {
	const file, begin, end = "../docs/CONFIGURATION.md", "<!-- config reference -->\n", "<!-- /config reference -->"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, opened := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		t.Fatalf("%s has no part between %q and %q", file, begin, end)
	}
	golden(t, file, before+begin+"\n"+Reference()+"\n"+end+after)
}

// Every default in the table is a value that the key itself accepts.
func TestDefaultsAreValues(t *testing.T) {
	for _, r := range rootFields().Rows("") {
		if r.Default == "required" || r.Default == "" {
			continue
		}
		text := strings.ReplaceAll(strings.Trim(r.Default, "`"), "empty", `""`)
		steps := strings.Split(strings.ReplaceAll(r.Path, "NAME", "fast"), ".")
		for i := len(steps) - 1; i >= 0; i-- {
			text = beneath(steps[i], text)
			switch above := strings.Join(steps[:i], "."); {
			case above == "trimming":
				text = "{" + text + ", dscp_value: 16, tc_value: 1}"
			case above == "ports[]" && (strings.HasSuffix(r.Path, "tc_to_queue_map") || onEdge(steps[i])):
				text = edgePort(text)
				i--
			case above == "ports[]" && steps[i] == "hippi":
				text = port(text + ", protocol: hippi6400")
				i--
			case above == "ports[]":
				text = port(text)
				i--
			case above == "bridges[]":
				text = bridgeOf(text, "")
				i--
			case above == "bridges[].ports[]":
				text = bridgeOf(filteringFor(steps[i]), text)
				i -= 2
			case above == "llr_profiles.fast":
				text = profile(text)
				i -= 2
			case above == "cbfc_profiles.fast":
				text = "{reserved: 1, " + text + "}"
				if steps[i] == "shared_static_th" {
					text = strings.Replace(text, "}", ", threshold_mode: static}", 1)
				}
			case above == "xconnects[]":
				text = strings.Replace(edgePort("mtu: auto"), "[{edge: edge0", "[{"+text+", edge: edge0", 1)
				i--
			case above != "" && !strings.HasSuffix(above, "[]"):
				text = "{" + text + "}"
			}
		}
		if _, err := Parse(r.Path, []byte(text)); err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
}

// onEdge tells whether only an edge has a key.
func onEdge(key string) bool {
	edge := slices.Concat(pfcFields(), hostFields(), schema.Within(edgeFields(), frames))
	key = strings.TrimSuffix(key, "[]")
	return slices.ContainsFunc(edge, func(f schema.Field[portEntry]) bool { return f.Key == key })
}

// filteringFor is the key that a bridge needs for a key of its port, or nothing.
func filteringFor(key string) string {
	if slices.ContainsFunc(membershipFields(), func(f schema.Field[bridgePortEntry]) bool { return f.Key == key }) {
		return "vlan_filtering: true"
	}
	return ""
}

// beneath is a value under a key, with what has to be there besides.
func beneath(step, text string) string {
	key, isList := strings.CutSuffix(step, "[]")
	switch {
	case step == "qos" && strings.HasSuffix(text, "to_tc_map: default}"):
		text = strings.Replace(text, "}", ", trust: uet}", 1)
	case !isList:
	case key == "vcs":
		text += ", index: 0"
	case key == "static":
		text += `, mac: "02:00:00:00:00:01"`
	case key == "custom_tlvs":
		text += `, oui: "00:1b:21", subtype: 9`
	case key == "entries" && strings.HasPrefix(text, "port:"):
		text += ", ethertype: 0x8906"
	case key == "entries":
		text += ", port: 3260"
	}
	if isList {
		return key + ": [{" + text + "}]"
	}
	return key + ": " + text
}

// The example shows every key; each has its default, or a comment that names it.
func TestExampleShowsEveryKey(t *testing.T) {
	const file = "../deploy/uelink.yaml"
	if _, err := Load(file); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	shown := shownKeys(t, data)
	for _, r := range rootFields().Rows("") {
		values, there := shown[r.Path]
		if !there {
			t.Errorf("%s is not shown", r.Path)
			continue
		}
		def := strings.Trim(r.Default, "`")
		if def == "empty" {
			def = ""
		}
		for _, v := range values {
			if r.Default == "required" || r.Default == "" || def == "[]" || def == "{}" || v.text == def {
				continue
			}
			if line := lines[v.line-1]; !strings.Contains(line, "(default: "+def+")") {
				t.Errorf("%s:%d: %s is %q, and nothing says that the default is %q: %s", file, v.line, r.Path, v.text,
					def, line)
			}
		}
		delete(shown, r.Path)
	}
	if len(shown) > 0 {
		t.Errorf("shown but not in the reference: %v", slices.Sorted(maps.Keys(shown)))
	}
}

// shownValue is the value of a key in a document.
type shownValue struct {
	text string
	line int
}

// shownKeys lists the keys of a document as the reference writes them.
func shownKeys(t *testing.T, data []byte) map[string][]shownValue {
	t.Helper()
	var document yaml.Node
	if err := yaml.Load(data, &document); err != nil {
		t.Fatal(err)
	}
	shown := map[string][]shownValue{}
	showKeys(shown, "", document.Content[0])
	return shown
}

// showKeys adds the keys of n, which stands at where, and of the values inside it.
func showKeys(shown map[string][]shownValue, where string, n *yaml.Node) {
	switch n.Kind {
	case yaml.SequenceNode:
		for _, element := range n.Content {
			showKeys(shown, where+"[]", element)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			value := n.Content[i+1]
			key := strings.TrimPrefix(where+"."+n.Content[i].Value, ".")
			if name := referenceKey(key); !strings.HasSuffix(name, ".NAME") {
				shown[name] = append(shown[name], shownValue{valueText(value), value.Line})
			}
			showKeys(shown, key, value)
		}
	}
}

// valueText is a value as the reference writes it.
func valueText(n *yaml.Node) string {
	if n.Kind != yaml.SequenceNode {
		return n.Value
	}
	elements := make([]string, len(n.Content))
	for i, element := range n.Content {
		elements[i] = element.Value
	}
	return "[" + strings.Join(elements, ", ") + "]"
}

// referenceKey is a key with what the reference has for names and numbers.
func referenceKey(key string) string {
	key = regexp.MustCompile(`^(llr_profiles|cbfc_profiles|qos\.\w+)\.\w+`).ReplaceAllString(key, "$1.NAME")
	for _, element := range [][2]string{
		{"qos.dot1p_to_tc_map.NAME.", "PCP"}, {"qos.dscp_to_tc_map.NAME.", "DSCP"}, {"qos.tc_to_queue_map.NAME.", "TC"},
		{"qos.uet_to_tc_map.NAME.", "KIND"}, {"qos.tc_to_vc_map.NAME.", "TC"}, {"ports[].qos.scheduler.", "QUEUE"},
		{"ports[].qos.trimming.packet_discard_action.", "QUEUE"},
	} {
		if strings.HasPrefix(key, element[0]) {
			return element[0] + element[1]
		}
	}
	return key
}

// The unit makes the directory of the default socket and restarts the
// daemon only after what a restart can heal.
func TestUnitMatchesTheDefaults(t *testing.T) {
	unit, err := os.ReadFile("../deploy/uelinkd.service")
	if err != nil {
		t.Fatal(err)
	}
	directory := path.Base(path.Dir(contractConfig().Control.Socket))
	for _, line := range []string{
		"Type=notify", "RuntimeDirectory=" + directory, "LimitMEMLOCK=infinity",
		"ExecStart=/usr/bin/uelinkd --config /etc/uelink/uelink.yaml",
		"AmbientCapabilities=CAP_NET_ADMIN CAP_NET_RAW CAP_BPF CAP_IPC_LOCK",
		"RestartPreventExitStatus=2 3 4",
	} {
		if !slices.Contains(strings.Split(string(unit), "\n"), line) {
			t.Errorf("uelinkd.service has no line %s", line)
		}
	}
}

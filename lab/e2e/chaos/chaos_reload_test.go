package chaos

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"uelink/config"
	"uelink/lab/e2e/bed"
)

// setting is a key of the configuration with values that the fault "reload" draws from. %s in a value is a file of the
// daemon's own.
type setting struct {
	path   string // as in docs/data/uelink.schema.json, without the part that the section says
	values []string
}

// section is where keys stand in the configuration of a daemon.
type section struct {
	prefix string // of the keys in docs/data/uelink.schema.json
	text   func(s *bed.Settings, keys []string)
	keys   []setting
}

// The lossless channels of a link, and the priorities of an edge that PFC pauses, belong together: a value has all keys
// of them.
const (
	channels = "{mode: static, vcs: [{index: 1, lossless: true, limit: 200}]}, vcs: 2"
	paused   = "{mode: static, priorities: [3], xoff: 128, xon: 64}"
)

// sections has every key that can change at one end of a link. What changes takes at most new sockets, or a new
// attachment of the interface: nothing may be lost by it that is not counted.
var sections = []section{
	{"llr_profiles{}.", func(s *bed.Settings, keys []string) {
		s.Profile = enduring(keys...).Profile
	}, []setting{
		{"ctlos_spacing_bytes", []string{"400", "16384"}},
		{"data_age_timeout", []string{"20s"}},
		{"max_outstanding_bytes", []string{"256KiB", "1MiB"}},
		{"max_outstanding_frames", []string{"64", "256", "1024"}},
		{"max_replay_timer", []string{"1ms", "5ms", "auto"}},
		{"re_init_on_flush", []string{"false"}},
		{"replay", []string{"auto", "selective"}},
	}},
	{"ports[].", func(s *bed.Settings, keys []string) { s.Link = strings.Join(keys, ", ") }, []setting{
		{"bind", []string{"copy"}},
		{"capture", []string{"%s", "%s, capture_limit: 8192"}},
		{"cbfc", []string{channels, "{mode: dynamic}"}},
		{"chunk_size", []string{"4096"}},
		{"lldp", []string{"{tx_interval: 5s}", "{mode: 'off'}"}},
		{"mtu", []string{"check", "set"}},
		{"native", []string{"socket", "pass", "drop"}},
		{"offloads", []string{"off"}},
		{"opener", []string{"native", "asavie"}},
		{"promiscuous", []string{"true", "false"}},
		{"qos", []string{"{trust: dscp}", "{rate: 200Mbps}"}},
		{"queues", []string{"1", "[0]"}},
		{"ring_size", []string{"512", "4096"}},
		{"rx_ring_size", []string{"8192"}},
		{"tx_path", []string{"af_xdp", "live"}},
		{"tx_queue", []string{"0"}},
		{"xdp", []string{"generic"}},
	}},
	{"ports[].", func(s *bed.Settings, keys []string) { s.Edge = strings.Join(keys, ", ") }, []setting{
		{"bind", []string{"copy"}},
		{"capture", []string{"%s"}},
		{"chunk_size", []string{"4096"}},
		{"mtu", []string{"check"}},
		{"opener", []string{"native", "asavie"}},
		{"pfc", []string{paused}},
		{"promiscuous", []string{"true", "false"}},
		{"push_back", []string{"on", "off", "auto"}},
		{"qos", []string{"{trust: dot1p}", "{trust: dscp}"}},
		{"ring_size", []string{"512", "4096"}},
		{"rx_ring_size", []string{"8192"}},
		{"tx_path", []string{"af_xdp", "live"}},
		{"xdp", []string{"generic"}},
	}},
	{"", func(s *bed.Settings, keys []string) { s.Top = strings.Join(keys, "\n") }, []setting{
		{"drain_timeout", []string{"1s"}},
		{"lldp", []string{"{system_name: another}"}},
		{"qos", []string{"{dscp_to_tc_map: {dscps: {46: 1}}}"}},
		{"spin", []string{"0s", "200us"}},
		{"trimming", []string{"{dscp_value: 5, tc_value: 1, trimmable_dscps: [10]}"}},
		{"workers", []string{"2"}},
	}},
}

// unchanged has the keys that a reload at one end cannot change while the link goes on, each with the reason.
var unchanged = map[string]string{
	"llr_profiles{}.flush_action":     "the profile of the test blocks, so that nothing is given up",
	"llr_profiles{}.hold_timeout":     "as flush_action",
	"llr_profiles{}.init_action":      "as flush_action",
	"llr_profiles{}.max_replay_count": "as flush_action",
	"llr_profiles{}.pcs_lost_timeout": "a veth has no PCS",
	"ports[].address":                 "the host of the created edge keeps its address",
	"ports[].allow_zerocopy":          "a veth has no zero copy",
	"ports[].capture_limit":           "a value of capture has it",
	"ports[].create":                  "the kind of the edge is the test's",
	"ports[].dcbx":                    "it needs a partner that agrees",
	"ports[].dialect":                 "both ends have to have the same",
	"ports[].encapsulation":           "both ends have to have the same",
	"ports[].ethertypes":              "both ends have to have the same",
	"ports[].fcs":                     "both ends have to have the same",
	"ports[].hippi":                   "for links of another protocol",
	"ports[].host_interface":          "the kind of the edge is the test's",
	"ports[].interface":               "another port",
	"ports[].llr":                     "without LLR frames are lost that nobody counts",
	"ports[].mac":                     "the host of the created edge keeps its address",
	"ports[].name":                    "another port",
	"ports[].labels":                  "they are words for programs, and the control plane's alone",
	"ports[].offload":                 "TestSuperFramesBeginAndEndWithoutLoss reloads it",
	"ports[].partner":                 "for addressed links",
	"ports[].protocol":                "both ends have to have the same",
	"ports[].role":                    "another port",
	"ports[].sai":                     "numbers for SAI alone",
	"ports[].vcs":                     "cbfc has them, as num_vcs",
	"bridges":                         "TestRandomReloads has bridges",
	"cbfc_profiles":                   "for the profiles of channels that the test does not have",
	"control":                         "the test asks by the socket",
	"llr_profiles":                    "a section",
	"log":                             "the test reads the log",
	"metrics":                         "no port of the link",
	"ports":                           "a section",
	"real_time":                       "no daemon of the test is in a real-time class",
	"sai":                             "what clients of SAI may do",
	"web":                             "no port of the link",
	"xconnects":                       "the two ports belong together",
}

// reload gives a daemon new values of one to four keys, of which some need new sockets or a new attachment. The keys
// hold until the next reload.
func (c *chaos) reload(p *phase) string {
	i, d := c.end()
	p.counted = true
	drawn := map[int][]string{}
	names := []string{}
	for range 1 + c.r.IntN(4) {
		n := c.r.IntN(len(sections))
		key := sections[n].keys[c.r.IntN(len(sections[n].keys))]
		value := key.values[c.r.IntN(len(key.values))]
		if strings.Contains(value, "%s") {
			value = fmt.Sprintf(value, filepath.Join(d.Dir, fmt.Sprintf("%d.pcapng", n)))
		}
		if words := key.path + ": " + value; !slices.ContainsFunc(drawn[n], func(s string) bool {
			return strings.HasPrefix(s, key.path+":")
		}) {
			drawn[n], names = append(drawn[n], words), append(names, words)
		}
	}
	s := enduring()
	for n, keys := range drawn {
		sections[n].text(&s, keys)
	}
	const taken = `"configuration reloaded"`
	before := strings.Count(d.Stderr.String(), taken)
	d.Reload(edges[i](s).Text(d.Socket))
	bed.Eventually(c.t, d.Name+" takes "+strings.Join(names, ", "), func() string {
		if strings.Count(d.Stderr.String(), taken) == before {
			return "it does not say so"
		}
		return ""
	})
	time.Sleep(c.duration(time.Second))
	return d.Name + ": " + strings.Join(names, ", ")
}

// Each key of the configuration is among those that chaos reloads, or has a reason not to be.
func TestChaosReloadsEveryKey(t *testing.T) {
	text, err := os.ReadFile("../../../docs/data/uelink.schema.json")
	bed.Must(t, err)
	var schema node
	bed.Must(t, json.Unmarshal(text, &schema))
	known := maps.Clone(unchanged)
	for _, s := range sections {
		for _, k := range s.keys {
			known[s.prefix+k.path] = "reloaded"
		}
	}
	documented := map[string]bool{}
	for key, property := range schema.Properties {
		documented[key] = true
		switch key {
		case "ports":
			for of := range property.Items.Properties {
				documented["ports[]."+of] = true
			}
		case "llr_profiles":
			for of := range property.AdditionalProperties.Properties {
				documented["llr_profiles{}."+of] = true
			}
		}
	}
	for key := range documented {
		if known[key] == "" {
			t.Errorf("%s is not among the keys that chaos reloads, and unchanged has no reason", key)
		}
	}
	for key := range known {
		if !documented[key] {
			t.Errorf("%s is no key of the configuration", key)
		}
	}
}

// Every value of a key is one that a daemon takes, at either end.
func TestChaosReloadsRightValues(t *testing.T) {
	for _, section := range sections {
		for _, key := range section.keys {
			for _, value := range key.values {
				s := enduring()
				section.text(&s, []string{key.path + ": " + strings.ReplaceAll(value, "%s", "/tmp/frames.pcapng")})
				for _, edge := range edges {
					if _, err := config.Parse("uelink.yaml", []byte(edge(s).Text("/run/uelink.sock"))); err != nil {
						t.Errorf("%s%s: %s: %v", section.prefix, key.path, value, err)
					}
				}
			}
		}
	}
}

// node is a part of a JSON schema.
type node struct {
	Properties           map[string]node `json:"properties"`
	Items                *node           `json:"items"`
	AdditionalProperties *node           `json:"-"`
}

// UnmarshalJSON reads additionalProperties only where it is a schema: elsewhere it is false.
func (n *node) UnmarshalJSON(text []byte) error {
	type plain node
	if err := json.Unmarshal(text, (*plain)(n)); err != nil {
		return err
	}
	var more struct {
		AdditionalProperties json.RawMessage `json:"additionalProperties"`
	}
	if err := json.Unmarshal(text, &more); err != nil || len(more.AdditionalProperties) == 0 ||
		more.AdditionalProperties[0] != '{' {
		return err
	}
	n.AdditionalProperties = &node{}
	return json.Unmarshal(more.AdditionalProperties, n.AdditionalProperties)
}

package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"uelink/dataplane"
	"uelink/dataplane/model"
)

// changedKeys are the keys of a port with two values each, as YAML: of a link, and of an edge.
var changedKeys = map[model.Role]map[string][2]string{
	model.RoleLink: {
		"mtu": {"auto", "set"}, "offloads": {"auto", "leave"}, "promiscuous": {"auto", "true"}, "xdp": {"auto", "generic"},
		"bind": {"auto", "copy"}, "allow_zerocopy": {"false", "true"}, "opener": {"auto", "native"}, "tx_path": {"auto", "af_xdp"},
		"queues": {"[0]", "[0, 1]"}, "tx_queue": {"auto", "0"}, "ring_size": {"1024", "2048"},
		"rx_ring_size": {"1024", "2048"}, "chunk_size": {"auto", "4096"}, "capture": {"/tmp/a", "/tmp/b"},
		"capture_limit": {"1MiB", "2MiB"}, "qos.trust": {"none", "dscp"}, "qos.rate": {"1Gbps", "2Gbps"},
		"dialect": {"seed", "ue1"}, "fcs": {"true", "false"}, "encapsulation": {"transparent", "addressed"},
		"native": {"auto", "drop"}, "ethertypes.data": {"0x88B5", "0x9001"}, "ethertypes.control": {"0x88B6", "0x9002"},
		"llr.mode": {"static", "dynamic"}, "llr.local": {"true", "false"}, "llr.remote": {"true", "false"},
		"llr.profile": {"default", "other"}, "vcs": {"1", "4"}, "cbfc.mode": {"off", "static"},
		"cbfc.cc_message_timer": {"10ms", "20ms"}, "lldp.tx_interval": {"10s", "20s"},
		"protocol": {"llr", "hippi6400"}, "hippi.buffer": {"255", "64"}, "hippi.retries": {"3", "4"}, "hippi.recover": {"5s", "0"},
	},
	model.RoleEdge: {
		"mtu": {"auto", "check"}, "offloads": {"auto", "leave"}, "xdp": {"auto", "driver"}, "bind": {"auto", "copy"},
		"ring_size": {"1024", "512"}, "rx_ring_size": {"4096", "8192"}, "capture": {"/tmp/a", "/tmp/b"},
		"push_back": {"auto", "on"},
		"offload":   {"off", "on"},
		"qos.trust": {"none", "dot1p"}, "pfc.rate": {"1Gbps", "2Gbps"}, "interface": {"eth1", "eth2"},
	},
}

// withKey returns a configuration in which one key of one port has a value.
func withKey(role model.Role, key, value string) string {
	for _, part := range strings.Split(key, ".")[1:] {
		value = fmt.Sprintf("{%s: %s}", part, value)
	}
	key, _, _ = strings.Cut(key, ".")
	protocol := "llr"
	if key == "hippi" {
		protocol = "hippi6400"
	}
	ports := map[model.Role]map[string]string{
		model.RoleLink: {"name": "l", "role": "link", "interface": "eth0", "llr": "{mode: static, local: true, remote: true}",
			"protocol": protocol},
		model.RoleEdge: {"name": "e", "role": "edge", "interface": "eth1"},
	}
	if ports[role][key] = value; ports[model.RoleLink]["protocol"] == "hippi6400" {
		delete(ports[model.RoleLink], "llr")
	}
	var lines strings.Builder
	for _, r := range []model.Role{model.RoleLink, model.RoleEdge} {
		var keys []string
		for k, v := range ports[r] {
			keys = append(keys, k+": "+v)
		}
		fmt.Fprintf(&lines, "  - {%s}\n", strings.Join(keys, ", "))
	}
	return "llr_profiles: {other: {max_replay_timer: 3ms}}\nports:\n" + lines.String() +
		"xconnects: [{edge: e, link: l}]\n"
}

// What the reference says that a key costs is what the data plane does when the key changes.
func TestCostsAreTrue(t *testing.T) {
	for role, keys := range changedKeys {
		for key, values := range keys {
			var ports [2]model.PortSettings
			for i, value := range values {
				c, err := Parse("uelink.yaml", []byte(withKey(role, key, value)))
				if err != nil {
					t.Fatalf("%s: %s: %v", key, value, err)
				}
				for _, p := range c.Settings.Ports {
					if p.Role == role {
						ports[i] = p
					}
				}
			}
			claimed, _, _ := strings.Cut(costOf("ports[]."+key), ",")
			if does := dataplane.Cost(&ports[1], &ports[0]); does != claimed {
				t.Errorf("%s: a reload does: %s, and the reference says: %s", key, does, claimed)
			}
		}
	}
}

// Each cost is of a key that there is, and each key of a port that costs something is changed by TestCostsAreTrue.
func TestCostsAreOfKeys(t *testing.T) {
	there := map[string]bool{"": true}
	for _, r := range rootFields().Rows("") {
		there[r.Path] = true
	}
	for key, cost := range costs {
		if !there[key] {
			t.Errorf("there is no key %s", key)
		}
		name, isPort := strings.CutPrefix(key, "ports[].")
		_, link := changedKeys[model.RoleLink][name]
		_, edge := changedKeys[model.RoleEdge][name]
		deep := cost == costRoom || cost == costHost || cost == costNone || cost == costLLDP ||
			slices.Contains([]string{"name", "role", "create", "partner"}, name)
		if isPort && !deep && !link && !edge {
			t.Errorf("nothing shows what %s costs", key)
		}
	}
}

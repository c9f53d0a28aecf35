package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"uelink/control/controltest"
)

// Every key of every JSON is in lower case with underscores, but for iproute2's own. Words
// that an administrator or a peer chose are keys nowhere.
func TestKeysAreAlike(t *testing.T) {
	_, bridged := startBridged(t)
	_, all := startWith(t, controltest.Ports(), controltest.NewLLDP())
	troubled := serve(t, controltest.New(nil, controltest.Profiles()), controltest.NewTroubled())
	alike, iproute2 := regexp.MustCompile(`^[a-z][a-z0-9_]*$`), "vlanEnd"
	seen := 0
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch v := value.(type) {
		case []any:
			for _, one := range v {
				walk(path, one)
			}
		case map[string]any:
			for key, one := range v {
				seen++
				if !alike.MatchString(key) && key != iproute2 {
					t.Errorf("%s: key %q", path, key)
				}
				walk(path+"."+key, one)
			}
		}
	}
	for _, socket := range []string{bridged, all, troubled} {
		for _, args := range []string{"port", "llr interface", "llr counters", "llr profile", "bridge", "fdb -s",
			"vlan",
			"vlan show -c", "lldp neighbors", "lldp interfaces", "lldp statistics", "lldp chassis", "dcbx show", "log level",
			"version", "support -"} {
			stdout, stderr, code := uelink(t.Context(), socket, append(strings.Fields(args), "-o", "json")...)
			var value any
			if err := json.Unmarshal([]byte(stdout), &value); err != nil || code != 0 {
				t.Errorf("%s: exit %d, %v, %s", args, code, err, stderr)
			}
			walk(args, value)
		}
	}
	if seen < 1000 {
		t.Errorf("only %d keys were seen", seen)
	}
}

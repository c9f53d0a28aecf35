package main

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"uelink/cbfc"
	"uelink/cmd/uelink/view"
	"uelink/control/controltest"
	"uelink/dataplane/model"
)

// A counter of the data plane is in the listings of its port and its bridge by itself.
func TestEveryCounterIsShown(t *testing.T) {
	b, keys := controltest.Counted()
	socket := serve(t, b, controltest.NewLLDP())
	port, _, _ := uelink(t.Context(), socket, "port", "link0")
	bridge, _, _ := uelink(t.Context(), socket, "bridge", "br0")
	for n, key := range keys {
		line := regexp.MustCompile(`(?m)^` + key + ` \.+ ` + view.Count(n) + `$`)
		if !line.MatchString(port + bridge) {
			queues := port[strings.Index(port, "[queue_stats]"):]
			if !strings.Contains(queues, key) || !strings.Contains(queues, view.Count(n)) {
				t.Errorf("no %s", key)
			}
		}
	}
}

// With --detailed every counter has its meaning below it.
func TestEveryCounterIsExplained(t *testing.T) {
	b, keys := controltest.Counted()
	socket := serve(t, b, controltest.NewLLDP())
	port, _, _ := uelink(t.Context(), socket, "port", "link0", "--detailed")
	for n, key := range keys {
		if !strings.Contains(port, view.Count(n)) {
			continue // of the bridge
		}
		if !regexp.MustCompile(`(?m)^` + key + `( \.+ [0-9,]+)?\n    [A-Za-z]\S* .+\.$`).MatchString(port) {
			t.Errorf("%s has no meaning", key)
		}
	}
}

// The counters of CBFC and of queues have listings of their own.
func TestEveryCreditCounterIsShown(t *testing.T) {
	b, keys := controltest.Counted()
	socket := serve(t, b, controltest.NewLLDP())
	credits, _, _ := uelink(t.Context(), socket, "cbfc", "counters")
	queues, _, _ := uelink(t.Context(), socket, "queue", "counters")
	shown := 0
	for n, key := range keys {
		if strings.Contains(credits+queues, view.Count(n)) {
			shown++
			if !strings.Contains(credits+queues, key) {
				t.Errorf("%s is shown under another name", key)
			}
		}
	}
	want := reflect.TypeFor[cbfc.PortCounters]().NumField() + reflect.TypeFor[cbfc.Counters]().NumField() +
		reflect.TypeFor[model.QueueCounters]().NumField() - 1 + // one of them is a struct
		reflect.TypeFor[model.TrimCounters]().NumField()
	if shown != want {
		t.Errorf("%d counters are shown, of %d:\n%s%s", shown, want, credits, queues)
	}
}

// uncounted is a listing, or JSON, without what is counted: a new counter changes no golden
// file, and TestEveryCounterIsShown sees that it is there.
func uncounted(text string) string {
	var object any
	if json.Unmarshal([]byte(text), &object) == nil {
		dropCounters(object)
		octets, _ := json.MarshalIndent(object, "", "  ") // it was JSON
		return string(octets) + "\n"
	}
	sections := strings.SplitAfter(text, "\n\n")
	return strings.Join(slices.DeleteFunc(sections, func(s string) bool {
		title, _, _ := strings.Cut(s, "\n")
		return strings.HasPrefix(title, "[") &&
			regexp.MustCompile("counters|socket|queue_stats|virtual_channels").MatchString(title)
	}), "")
}

func dropCounters(object any) {
	switch o := object.(type) {
	case []any:
		for _, one := range o {
			dropCounters(one)
		}
	case map[string]any:
		maps.DeleteFunc(o, func(key string, _ any) bool {
			return slices.Contains([]string{"counters", "socket", "queue_stats", "virtual_channels"}, key)
		})
		for _, one := range o {
			dropCounters(one)
		}
	}
}

// What is there to see of a port and a bridge besides its counters.
func TestOutputOfObjectsWithCounters(t *testing.T) {
	_, socket := startBridged(t)
	for _, c := range []struct{ file, args string }{
		{"port-link0.txt", "port link0"},
		{"port-edge1.txt", "port edge1"},
		{"port.json", "port -o json"},
		{"llr-interface.json", "llr interface -o json"},
		{"pfc.txt", "pfc"},
		{"pfc.json", "pfc -o json"},
		{"bridge-br0.txt", "bridge br0"},
		{"bridge-br0.txt", "bridge show br0"},
		{"bridge-br0.txt", "bridge list br0"},
		{"bridge-br1.txt", "bridge br1"},
		{"bridge.json", "bridge -o json"},
	} {
		t.Run(c.args, func(t *testing.T) {
			stdout, stderr, code := uelink(t.Context(), socket, strings.Fields(c.args)...)
			if code != 0 || stderr != "" {
				t.Errorf("exit %d, %s", code, stderr)
			}
			golden(t, c.file, uncounted(stdout))
		})
	}
}

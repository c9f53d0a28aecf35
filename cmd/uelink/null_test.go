package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"uelink/control/controltest"
)

// unasked are commands that do not show an answer of the daemon, change the host, or run until they are stopped.
var unasked = strings.Fields("cable traffic demo lab down doctor support watch top conformance sonic decode " +
	"completion help trace upgrade reload confirm config")

// singles are the keys of single objects, which may be null; all other keys with null would be lists.
var singles = strings.Fields("last_reload uelinkd loop_time last_change_time recommendation configuration peer_cin pfc")

// nulls calls found for each key in a value that is null.
func nulls(value any, key string, found func(key string)) {
	switch v := value.(type) {
	case nil:
		found(key)
	case []any:
		for _, item := range v {
			nulls(item, key, found)
		}
	case map[string]any:
		for key, inner := range v {
			nulls(inner, key, found)
		}
	}
}

// leaves returns the words of each command that holds no others and asks the daemon.
func leaves(cmd *cobra.Command, words []string) (all [][]string) {
	for _, sub := range cmd.Commands() {
		path := append(words[:len(words):len(words)], sub.Name())
		switch {
		case slices.Contains(unasked, sub.Name()):
		case isGroup(sub):
			all = append(all, leaves(sub, path)...)
		default:
			all = append(all, path)
		}
	}
	return all
}

// No command prints null where a list belongs, with ports and bridges and without.
func TestNoCommandPrintsNullForAList(t *testing.T) {
	printed := map[string]bool{}
	for _, socket := range []string{
		serve(t, controltest.New(nil, nil), &controltest.LLDP{}),
		serve(t, controltest.New(controltest.Ports(), controltest.Profiles()), controltest.NewLLDP()),
		serve(t, controltest.NewBridged(), controltest.NewLLDP()),
		serve(t, controltest.New(nil, nil), controltest.NewTroubled()),
	} {
		for _, words := range leaves(newRoot(), nil) {
			for _, args := range [][]string{nil, {"link0"}, {"edge0"}, {"br0"}, {"default"}} {
				line := append(append([]string{"-o", "json"}, words...), args...)
				stdout, _, _ := uelink(t.Context(), socket, line...)
				var value any
				if json.Unmarshal([]byte(stdout), &value) != nil {
					continue // refused, or no JSON
				}
				printed[strings.Join(words, " ")] = true
				nulls(value, "the whole", func(key string) {
					if !slices.Contains(singles, key) {
						t.Errorf("uelink %s: %s is null", strings.Join(line, " "), key)
					}
				})
			}
		}
	}
	if len(printed) < 30 {
		t.Errorf("%d commands print JSON: %v", len(printed), printed)
	}
}

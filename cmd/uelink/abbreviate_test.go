package main

import (
	"slices"
	"strings"
	"testing"
)

func TestCommandsInFull(t *testing.T) {
	for abbreviated, want := range map[string]string{
		"":                    "",
		"lldp sh nei det":     "lldp show neighbors det", // the last is a word, and no command
		"ll neighbors":        "ll neighbors",            // lldp or llr
		"lld n":               "lldp neighbors",
		"lldp s":              "lldp s", // show or statistics
		"lldp sta link0":      "lldp statistics link0",
		"lldp neighbour":      "lldp neighbour", // another name
		"--socket llr lldp i": "--socket llr lldp interfaces",
		"po":                  "port",
		"llr c cl":            "llr counters cl", // the name of a port, not clear
		"llr rem en eth1":     "llr remote enable eth1",
		"br br":               "bridge br", // the name of a bridge
		"fdb fl":              "fdb fl",
		"dc s":                "dcbx show",
		"nonsense x":          "nonsense x",
		"__complete lld":      "__complete lld",
	} {
		got := inFull(newRoot(), strings.Fields(abbreviated))
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q is %q, want %q", abbreviated, got, want)
		}
	}
}

func TestViewWords(t *testing.T) {
	for args, want := range map[string]viewWords{
		"":                           {},
		"link0":                      {ports: []string{"link0"}},
		"details":                    {details: true},
		"det link0":                  {details: true, ports: []string{"link0"}},
		"ports link0,edge0 s":        {summary: true, ports: []string{"link0", "edge0"}},
		"po details":                 {ports: []string{"details"}},
		"link0 link1":                {ports: []string{"link0", "link1"}},
		"summary0 ports d summaries": {ports: []string{"summary0", "d", "summaries"}},
	} {
		var got viewWords
		err := got.read(strings.Fields(args))
		if err != nil || !slices.Equal(got.ports, want.ports) || got.details != want.details ||
			got.summary != want.summary {
			t.Errorf("%q is %+v, %v, want %+v", args, got, err, want)
		}
	}
	for _, args := range [][]string{{"ports"}, {"details", "summary"}, {"ports", "a,,b"}, {""}} {
		if err := new(viewWords).read(args); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
	both := viewWords{flag: true}
	if err := both.read([]string{"summary"}); err == nil {
		t.Error("--details summary is taken")
	}
}

package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"uelink/control/controltest"
)

// Every view can be shown again each second.
func TestViewsAreWatched(t *testing.T) {
	_, socket := startWith(t, controltest.Ports(), controltest.NewTroubled())
	for args, code := range map[string]int{
		"status": 1, "port": 0, "port link0": 0, "llr interface": 0, "llr counters": 0, "pfc": 0,
		"cbfc vc": 0, "cbfc credits": 0,
		"queue counters": 0, "qos": 0, "bridge": 0, "bridge show": 0, "fdb": 0, "vlan show": 0, "switch-trimming": 0,
		"lldp neighbors": 0, "lldp interfaces": 0, "lldp statistics": 0, "dcbx show": 0,
	} {
		var once, twice, stderr bytes.Buffer
		base := append([]string{"--socket", socket, "-o", "json"}, strings.Fields(args)...)
		if got := run(t.Context(), base, &once, &stderr); got != code || once.Len() == 0 {
			t.Errorf("%s: exit %d, %s", args, got, &stderr)
		}
		// The first listing comes at once, the second after a second: all views need not wait.
		count, want := "1", once.String()
		if args == "status" {
			count, want = "2", once.String()+"\n"+once.String()
		}
		if got := run(t.Context(), append(base, "--watch", "--count", count), &twice, &stderr); got != code ||
			twice.String() != want {
			t.Errorf("%s --watch: exit %d, %s\n%s", args, got, &stderr, &twice)
		}
	}
}

// A mistyped flag names the right one.
func TestFlagIsSuggested(t *testing.T) {
	for args, want := range map[string]string{
		"llr interface --deteiled": "did you mean --detailed?", "port --wacth": "did you mean --watch?",
		"events --lsat 3": "did you mean --last?", "port --sockt x": "did you mean --socket?",
	} {
		var stderr bytes.Buffer
		code := run(t.Context(), strings.Fields(args), &stderr, &stderr)
		if code != 2 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit %d, %s", args, code, &stderr)
		}
	}
	var stderr bytes.Buffer
	run(t.Context(), []string{"port", "--nothing-like-it"}, &stderr, &stderr)
	if strings.Contains(stderr.String(), "mean") {
		t.Error(stderr.String())
	}
}

// The shell completes the values of --output and the names of ports.
func TestCompletionOfValues(t *testing.T) {
	_, socket := startDaemon(t, controltest.Ports())
	for args, want := range map[string]string{
		"port --output ":                      "table\njson\n",
		"--socket " + socket + " port ":       "edge0\nlink0\nlink1\n",
		"llr interface --wait ":               "ADVANCE\n",
		"--socket " + socket + " log level ":  "debug\n",
		"--socket " + socket + " lldp watch ": "",
	} {
		var stdout, stderr bytes.Buffer
		words := strings.Split(args, " ")
		code := run(t.Context(), append([]string{cobra.ShellCompNoDescRequestCmd}, words...), &stdout, &stderr)
		if code != 0 || !strings.Contains(stdout.String(), want) {
			t.Errorf("%s: exit %d\n%s%s", args, code, &stdout, &stderr)
		}
	}
}

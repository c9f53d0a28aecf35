package main

import (
	"strings"
	"testing"

	"uelink/cmd/uelink/view"
	"uelink/control/api"
	"uelink/control/controltest"
)

func TestTrimmingOutput(t *testing.T) {
	_, socket := startBridged(t)
	for _, c := range []struct{ file, args string }{
		{"switch-trimming.txt", "switch-trimming"},
		{"switch-trimming.json", "switch-trimming -o json"},
		{"queue-counters-trim.txt", "queue counters --trim"},
		{"queue-counters-edge0.txt", "queue counters edge0 --trim"},
	} {
		t.Run(c.args, func(t *testing.T) {
			stdout, stderr, code := uelink(t.Context(), socket, strings.Fields(c.args)...)
			if code != 0 || stderr != "" {
				t.Errorf("exit %d, %s", code, stderr)
			}
			golden(t, c.file, stdout)
		})
	}
}

// Where there is nothing to show, the tool says why.
func TestNoTrimmingSaysWhy(t *testing.T) {
	_, socket := startDaemon(t, controltest.Ports())
	for args, want := range map[string]string{
		"switch-trimming":              "packet trimming is not configured\n",
		"queue counters edge0 -o json": "[]\n",
	} {
		stdout, stderr, code := uelink(t.Context(), socket, strings.Fields(args)...)
		if stdout != want || code != 0 {
			t.Errorf("%s: exit %d, %q, %s", args, code, stdout, stderr)
		}
	}
	var w strings.Builder
	view.WriteSwitchTrimming(&w, api.SwitchTrimming{Size: 128})
	if !strings.HasSuffix(w.String(), "\nno queue of any port is set to trim frames\n") {
		t.Errorf("%q", w.String())
	}
}

func TestQueueCountersOfNoPort(t *testing.T) {
	_, socket := startBridged(t)
	_, stderr, code := uelink(t.Context(), socket, "queue", "counters", "none")
	if code != 1 || !strings.Contains(stderr, "none") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

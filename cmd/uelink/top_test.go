package main

import (
	"encoding/json"
	"strings"
	"testing"

	"uelink/cmd/uelink/top"
	"uelink/control/controltest"
)

// Where the output is no terminal, the rates of one interval are printed.
func TestTopOnce(t *testing.T) {
	_, socket := startWith(t, controltest.Ports(), &controltest.LLDP{})
	out, stderr, code := uelink(t.Context(), socket, "top", "--interval", "100ms")
	if code != 0 || stderr != "" || !strings.Contains(out, "CPU of workers:  0: 0 %  1: 0 %\n") ||
		!strings.Contains(out, "TX bit/s") || !strings.Contains(out, "link0") {
		t.Errorf("exit %d, %s\n%s", code, stderr, out)
	}
	out, _, code = uelink(t.Context(), socket, "top", "--once", "--interval", "100ms", "--sort", "window", "-o", "json")
	var l top.Load
	if err := json.Unmarshal([]byte(out), &l); err != nil || code != 0 || len(l.Ports) != len(controltest.Ports()) ||
		l.Seconds < 0.1 || len(l.Workers) != 2 {
		t.Errorf("exit %d, %v: %s", code, err, out)
	}
}

// A wrong flag is refused with the right ones.
func TestTopFlags(t *testing.T) {
	_, socket := startWith(t, controltest.Ports(), &controltest.LLDP{})
	for args, want := range map[string]string{
		"--sort loss": "--sort loss: one of port, state, tx-fps", "--interval 1ms": "--interval 1ms: 100ms or more is wanted",
	} {
		_, stderr, code := uelink(t.Context(), socket, append([]string{"top"}, strings.Fields(args)...)...)
		if code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %s", args, code, stderr)
		}
	}
}

package main

import (
	"strings"
	"testing"

	"uelink/control/controltest"
)

// A trace is a line for each frame, or for each port by which it leaves; who gets fewer frames than asked for is told.
func TestTrace(t *testing.T) {
	t.Setenv("TZ", "UTC")
	b := controltest.New(controltest.Ports(), nil)
	socket := serve(t, b, controltest.NewLLDP())
	for _, c := range []struct {
		args, file, stderr string
		code               int
	}{
		{"trace edge0 --count 2", "trace.txt", "", 0},
		{"trace edge0 --count 2 -o json", "trace.json", "", 0},
		{"trace edge0 --count 4 --timeout 1ms", "trace-under-way.txt", "3 of 4 frames came", 1},
	} {
		stdout, stderr, code := uelink(t.Context(), socket, strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%s: exit %d, %s", c.args, code, stderr)
		}
		golden(t, c.file, stdout)
	}
	const filtered = "trace edge0 --count 1 --vc 3,4 --host 10.0.0.1,02:00:00:00:00:21 --type 0x800"
	if _, stderr, code := uelink(t.Context(), socket, strings.Fields(filtered)...); code != 0 {
		t.Errorf("exit %d, %s", code, stderr)
	}
	calls := b.Calls()
	const want = "TraceFrames edge0 1 {MACs:[02:00:00:00:00:21] IPs:[10.0.0.1] EtherTypes:[2048] Queues:[3 4]}"
	if last := calls[len(calls)-1]; last != want {
		t.Errorf("%s, want %s", last, want)
	}
}

// A trace that cannot be is refused with the reason.
func TestTraceRefuses(t *testing.T) {
	socket := serve(t, controltest.New(controltest.Ports(), nil), controltest.NewLLDP())
	for args, want := range map[string]string{
		"trace link9":                "link9: no such port",
		"trace edge0 --count 1001":   "a number from 1 to 1000 is wanted",
		"trace edge0 --timeout 2h":   "a time of up to 1h0m0s is wanted",
		"trace edge0 --vc 32":        "a number from 0 to 31 is wanted",
		"trace edge0 --host nowhere": "neither a MAC address nor an IP address",
		"trace edge0 --type ip":      "no EtherType",
	} {
		_, stderr, code := uelink(t.Context(), socket, strings.Fields(args)...)
		if code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %s", args, code, stderr)
		}
	}
}

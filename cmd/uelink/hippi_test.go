package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"uelink/control/controltest"
)

// What the tool shows of a link that speaks HIPPI-6400-PH.
func TestHIPPIOutput(t *testing.T) {
	_, socket := startDaemon(t, append(controltest.Ports(), controltest.HIPPIPort()))
	_, none := startDaemon(t, controltest.Ports())
	for file, c := range map[string]struct{ socket, args string }{
		"hippi-interface.txt":  {socket, "hippi interface"},
		"hippi-interface.json": {socket, "hippi interface eth3 -o json"},
		"hippi-credits.txt":    {socket, "hippi credits link2"},
		"hippi-events.txt":     {socket, "hippi events"},
		"hippi-none.txt":       {none, "hippi interface"},
		"hippi-llr.txt":        {socket, "llr interface"},
	} {
		stdout, stderr, code := uelink(t.Context(), c.socket, strings.Fields(c.args)...)
		if code != 0 || stderr != "" {
			t.Errorf("%s: exit %d, %s", file, code, stderr)
		}
		golden(t, file, stdout)
	}
}

// Commands reach links that speak HIPPI-6400-PH, and no other port.
func TestHIPPICommands(t *testing.T) {
	b, socket := startDaemon(t, append(controltest.Ports(), controltest.HIPPIPort()))
	for _, verb := range []string{"reset", "initialize", "clear"} {
		if stdout, stderr, code := uelink(t.Context(), socket, "hippi", verb, "eth3"); code != 0 ||
			stdout+stderr != "" {
			t.Errorf("%s: exit %d, %s%s", verb, code, stdout, stderr)
		}
	}
	for _, args := range []string{"link2 c0FFee", "eth3 --vc 2 00"} {
		args := append([]string{"hippi", "admin", "send"}, strings.Fields(args)...)
		if stdout, stderr, code := uelink(t.Context(), socket, args...); code != 0 || stdout+stderr != "" {
			t.Errorf("%s: exit %d, %s%s", args, code, stdout, stderr)
		}
	}
	zeros := strings.Repeat("00", 29)
	want := []string{"HIPPICommand link2 0", "HIPPICommand link2 1", "HIPPICommand link2 2",
		"HIPPIAdmin link2 1 c0ffee" + zeros, "HIPPIAdmin link2 2 000000" + zeros}
	if diff := cmp.Diff(want, b.Calls()); diff != "" {
		t.Error(diff)
	}
	for args, want := range map[string]string{
		"hippi reset link0":     "link0: the link speaks llr, not hippi6400 (protocol): the links with protocol: hippi6400 are",
		"hippi reset edge0":     "edge0: not a link port",
		"hippi interface link9": "link9: no such port",

		"hippi admin send link0 00":                          "link0: the link speaks llr, not hippi6400 (protocol)",
		"hippi admin send link2 --vc 3 00":                   "virtual channel 3: a command goes on 1, a response on 2",
		"hippi admin send link2 0g":                          "1 to 32 octets in hexadecimal are wanted",
		"hippi admin send link2 " + strings.Repeat("00", 33): "1 to 32 octets in hexadecimal are wanted",
		"llr local enable link2":                             "link2: the link speaks hippi6400, not llr (protocol)",
		"llr counters link2":                                 "link2: the link speaks hippi6400, not llr (protocol)",
		"cbfc vc enable link2 1":                             "link2: the link speaks hippi6400, not llr (protocol)",
	} {
		_, stderr, code := uelink(t.Context(), socket, strings.Fields(args)...)
		if code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %s", args, code, stderr)
		}
	}
}

package main

import (
	"testing"

	"uelink/control/controltest"
)

// The status of ports with and without problems, with its exit code.
func TestStatus(t *testing.T) {
	for file, c := range map[string]struct {
		socket string
		code   int
	}{
		"status.txt":          {serve(t, controltest.New(controltest.Ports(), controltest.Profiles()), controltest.NewLLDP()), 1},
		"status-troubled.txt": {serve(t, controltest.New(nil, nil), controltest.NewTroubled()), 1},
		"status-none.txt":     {serve(t, controltest.New(nil, nil), &controltest.LLDP{}), 0},
	} {
		stdout, stderr, code := uelink(t.Context(), c.socket, "status")
		if code != c.code || stderr != "" {
			t.Errorf("%s: exit %d, %s", file, code, stderr)
		}
		golden(t, file, stdout)
	}
}

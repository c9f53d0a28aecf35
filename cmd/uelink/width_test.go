package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"uelink/control/controltest"
)

// terminal is a writer of 80 columns.
type terminal struct{ bytes.Buffer }

func (*terminal) Width() int { return 80 }

// No table is wider than the terminal.
func TestTablesFoldToTheTerminal(t *testing.T) {
	_, socket := startWith(t, controltest.Ports(), controltest.NewLLDP())
	for _, command := range []string{
		"port", "llr interface", "llr counters", "cbfc vc", "cbfc credits", "qos", "pfc", "dcbx show", "queue counters",
		"lldp statistics",
	} {
		var out terminal
		var stderr bytes.Buffer
		code := run(t.Context(), append([]string{"--socket", socket}, strings.Fields(command)...), &out, &stderr)
		if code != 0 {
			t.Errorf("%s: exit %d, %s", command, code, stderr.String())
		}
		for line := range strings.SplitSeq(out.String(), "\n") {
			if utf8.RuneCountInString(line) > 80 {
				t.Errorf("%s: more than 80 columns: %s", command, line)
			}
		}
		if command == "port" {
			golden(t, "port-narrow.txt", out.String())
		}
	}
}

package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"uelink/control/controltest"
)

// terminal is a writer with lines of a width.
type terminal struct {
	bytes.Buffer
	width int
}

func (t *terminal) Width() int { return t.width }

// No view is wider than the terminal, however narrow, but for words that are longer than what is left of a line.
func TestViewsFoldToTheTerminal(t *testing.T) {
	_, socket := startWith(t, controltest.Ports(), controltest.NewLLDP())
	bridged := serve(t, controltest.NewBridged(), controltest.NewLLDP())
	for _, command := range []string{
		"port", "port link0", "port link0 --detailed", "llr interface", "llr interface --detailed", "llr counters",
		"llr counters --detailed", "llr profile", "cbfc vc", "cbfc credits", "qos", "pfc", "dcbx show",
		"dcbx show --details", "queue counters", "lldp statistics", "lldp neighbors", "lldp neighbors --details",
		"lldp interfaces", "lldp chassis", "bridge", "fdb", "vlan", "switch-trimming", "status", "hippi interface",
	} {
		for _, width := range []int{40, 80} {
			for _, socket := range []string{socket, bridged} {
				out := terminal{width: width}
				var stderr bytes.Buffer
				code := run(t.Context(), append([]string{"--socket", socket}, strings.Fields(command)...), &out,
					&stderr)
				if code != 0 && command != "status" {
					t.Errorf("%s: exit %d, %s", command, code, stderr.String())
				}
				for line := range strings.SplitSeq(out.String(), "\n") {
					if utf8.RuneCountInString(line) > width && strings.Contains(strings.TrimSpace(line), " ") {
						t.Errorf("%s: more than %d columns: %s", command, width, line)
					}
				}
				if command == "port" && width == 80 && socket != bridged {
					golden(t, "port-narrow.txt", out.String())
				}
			}
		}
	}
}

package main

import (
	"slices"
	"strings"
	"testing"

	"uelink/control/controltest"
)

// SONiC's words show and change the same as the words of uelink llr.
func TestSONiCsWords(t *testing.T) {
	b := controltest.New(controltest.Ports(), controltest.Profiles())
	socket := serve(t, b, controltest.NewLLDP())
	for words, same := range map[string]string{
		"show llr interface":               "llr interface",
		"show llr interface link0":         "llr interface link0",
		"show llr profile careful":         "llr profile careful",
		"show llr counters link0":          "llr counters link0",
		"show llr counters detailed":       "llr counters --detailed",
		"show llr counters detailed link0": "llr counters detailed link0",
	} {
		got, stderr, code := uelink(t.Context(), socket, strings.Fields(words)...)
		if want, _, _ := uelink(t.Context(), socket, strings.Fields(same)...); code != 0 || got != want || got == "" {
			t.Errorf("%s: exit %d, %s\n%s\nwant\n%s", words, code, stderr, got, want)
		}
	}
	for words, call := range map[string]string{
		"config llr interface local link0 enabled":        "SetLLRLocal link0 true",
		"config llr interface remote link0 disabled":      "SetLLRRemote link0 false",
		"config llr interface local-state link0 disabled": "SetLLRLocal link0 false",
		"config llr interface remote-state link0 enabled": "SetLLRRemote link0 true",
		"sonic-clear llr counters":                        "ClearCounters ",
		"sonic-clear llr counters link0":                  "ClearCounters link0",
		"sonic-clear llr counters interface link0":        "ClearCounters link0",
	} {
		_, stderr, code := uelink(t.Context(), socket, strings.Fields(words)...)
		if calls := b.Calls(); code != 0 || calls[len(calls)-1] != call {
			t.Errorf("%s: exit %d, %s, %q", words, code, stderr, b.Calls())
		}
	}
	for words, want := range map[string]string{
		"config llr interface local link0 on":      `"on": one of enabled, disabled is wanted`,
		"config llr interface locl link0 enabled":  `did you mean "local"?`,
		"show llr interfaces":                      `did you mean "interface"?`,
		"sonic-clear llr":                          "which command of uelink sonic-clear llr?",
		"show":                                     "which command of uelink show?",
		"config llr interface local link9 enabled": "link9: no such port",
	} {
		_, stderr, code := uelink(t.Context(), socket, strings.Fields(words)...)
		if code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %s", words, code, stderr)
		}
	}
	for words, want := range map[string][]string{
		"config llr interface local ":       {"link0", "link1"},
		"config llr interface local link0 ": {"enabled", "disabled"},
		"config llr interface mode link0 ":  {"static", "dynamic", "off"},
		"show llr counters detailed ":       {"link0", "link1"},
		"sonic-clear llr ":                  {"counters"},
	} {
		stdout, _, _ := uelink(t.Context(), socket, append([]string{"__complete"}, strings.Split(words, " ")...)...)
		var got []string
		for line := range strings.Lines(stdout) {
			if word, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); !strings.HasPrefix(word, ":") {
				got = append(got, word)
			}
		}
		for _, word := range want {
			if !slices.Contains(got, word) {
				t.Errorf("%s: %q, want %q", words, got, want)
			}
		}
	}
}

// In the detailed listing the last word of a line is the number, without separators: awk adds them up.
func TestDetailedCountersAreForAwk(t *testing.T) {
	socket := serve(t, controltest.New(controltest.Ports(), nil), controltest.NewLLDP())
	stdout, _, _ := uelink(t.Context(), socket, "show", "llr", "counters", "detailed", "link0")
	numbers := 0
	for line := range strings.Lines(stdout) {
		words := strings.Fields(line)
		if !strings.Contains(line, " ...") {
			continue
		}
		if last := words[len(words)-1]; strings.Trim(last, "0123456789") != "" {
			t.Errorf("no number: %s", line)
		}
		numbers++
	}
	if numbers < 22 || !strings.Contains(stdout, "LLR Frames Transmitted OK ......................... 7650079\n") {
		t.Errorf("%d numbers\n%s", numbers, stdout)
	}
}

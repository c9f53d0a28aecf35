package main

import (
	"strconv"
	"strings"
	"testing"
)

// Each flag chooses frames, several together, and --count ends the output.
func TestFrameFilter(t *testing.T) {
	for args, want := range map[string]string{
		"--only nack":                       "1",
		"--only llr,station":                "14 15 16 17 19",
		"--only NACK --only control":        "1 2",
		"--vc 3":                            "10",
		"--vc 1":                            "11 22",
		"--host 2001:db8:0:0::1":            "6",
		"--host 02:00:00:00:00:02 --vc 3":   "10",
		"--type 0x86dd":                     "6",
		"--type 34525,0x800 --only fetch":   "3 6",
		"--only ack --count 2":              "4 9",
		"--count 3":                         "1 2 3",
		"--only none":                       "",
		"--host 192.0.2.1 --type 0x86dd":    "",
		"--host 198.51.100.1,2001:db8::2":   "6",
		"--only ue --host ff-ff-ff-ff-ff-f": "error",
	} {
		stdout, stderr, code := uelink(t.Context(), "none", append([]string{"decode", shownCapture, "--dialect", "ue1"},
			strings.Fields(args)...)...)
		if want == "error" {
			if code != 2 || !strings.Contains(stderr, "neither a MAC address nor an IP address") {
				t.Errorf("%s: exit %d, %s", args, code, stderr)
			}
			continue
		}
		var numbers []string
		for line := range strings.Lines(stdout) {
			if first := strings.Fields(line)[0]; code == 0 && stderr == "" {
				if _, err := strconv.Atoi(first); err == nil {
					numbers = append(numbers, first)
				}
			}
		}
		if got := strings.Join(numbers, " "); got != want || code != 0 {
			t.Errorf("%s: frames %s, want %s (exit %d, %s)\n%s", args, got, want, code, stderr, stdout)
		}
	}
}

// A filter does not choose what --write writes.
func TestFrameFilterAndWrite(t *testing.T) {
	_, stderr, code := uelink(t.Context(), "none", "watch", "frames", "link0", "--vc", "3", "-w", "-")
	if code != 1 || !strings.Contains(stderr, "--write writes all frames") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if _, stderr, code := uelink(t.Context(), "none", "decode", shownCapture, "--type", "ip"); code != 2 ||
		!strings.Contains(stderr, "is no EtherType") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

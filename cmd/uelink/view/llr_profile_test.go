package view

import (
	"strings"
	"testing"

	"uelink/control/api"
)

// What the loop time decides is shown as auto, and not as 0.
func TestProfileThatFollowsTheLoopTime(t *testing.T) {
	var b strings.Builder
	writeLLRProfile(&b, api.LLRProfile{Name: "far"})
	for _, name := range []string{"Maximum Outstanding Frames", "Maximum Replay Timer"} {
		if !strings.Contains(b.String(), name+" ") || strings.Count(b.String(), " auto\n") != 2 {
			t.Errorf("%s is not auto in\n%s", name, b.String())
		}
	}
}

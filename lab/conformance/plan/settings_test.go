package plan

import (
	"strings"
	"testing"
	"time"

	"uelink/config"
)

// The configurations of all kinds of settings are valid, and have the values of the case.
func TestSettingsAreValid(t *testing.T) {
	for name, s := range map[string]settings{
		"common": common(), "several": common().several(), "limited": limited("discard"), "lossless": credited(),
		"off": {frames: 1, octets: 1, count: 1, flush: "block", off: true},
	} {
		for _, replay := range []string{goBackN, selective} {
			text := s.withTimer(time.Second/10).text("/run/x/api", replay)
			if _, err := config.Parse(name, []byte(text)); err != nil {
				t.Errorf("%s: %v\n%s", name, err, text)
			}
			if !strings.Contains(text, "max_replay_timer: 100ms") || !strings.Contains(text, "replay: "+replay) {
				t.Errorf("%s: %s", name, text)
			}
		}
	}
}

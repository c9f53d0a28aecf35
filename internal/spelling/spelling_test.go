package spelling

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	words := []string{"detailed", "details", "watch", "wait"}
	for typed, want := range map[string]string{
		"detailed": "detailed", "deteiled": "detailed", "detail": "details", "wacht": "watch", "wat": "wait", "x": "",
		"something": "", "": "", strings.Repeat("w", 100_000): "",
	} {
		if got := Nearest(typed, words); got != want {
			t.Errorf("%.20s: %q, want %q", typed, got, want)
		}
	}
}

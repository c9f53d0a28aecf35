package api

import (
	"testing"
	"time"
)

// A time within a day is one of the day, an older one a date; each has its age in one unit.
func TestBegan(t *testing.T) {
	at := time.Date(2026, 11, 21, 8, 12, 33, 0, time.Local)
	for age, want := range map[int64]string{
		0: "08:12:33, 0 s", 119: "08:12:33, 119 s", 120: "08:12:33, 2 min", 7199: "08:12:33, 119 min",
		7200: "08:12:33, 2 h", 86400: "2026-11-21, 24 h", 3 * 86400: "2026-11-21, 3 d",
	} {
		if got := (&StatusLine{Since: &at, Age: age}).Began(); got != want {
			t.Errorf("%d s: %q, want %q", age, got, want)
		}
	}
	if got := (&StatusLine{}).Began(); got != "-" {
		t.Errorf("no time: %q", got)
	}
}

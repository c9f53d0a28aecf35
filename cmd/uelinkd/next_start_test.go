package main

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"uelink/control/api"
)

// Changed keys that wait for the next start are in the answer to the reload, and wanted and not in force until they are
// taken back.
func TestKeysThatWaitForTheNextStart(t *testing.T) {
	r := begin(t, newFakeFrames(), nil)
	r.logged("ready")
	first := fmt.Sprintf(someConfig, "info", r.socket)
	second := strings.ReplaceAll(first, `mode: "0600"`, `mode: "0660"`) + "workers: 2\n"
	third := strings.ReplaceAll(first, "level: info", "level: warn") + "workers: 2\n"
	for _, c := range []struct {
		text string
		want []string
	}{
		{second, []string{"control", "workers"}}, {third, []string{"workers"}}, {first, []string{}},
	} {
		r.configure(c.text)
		done, err := r.client().Reload(t.Context())
		if err != nil || len(done.Errors) > 0 || !slices.Equal(done.NextStart, c.want) {
			t.Errorf("%+v, %v, want %q", done, err, c.want)
		}
		status, err := r.client().Status(t.Context())
		if told := unmetIn(status, api.WantedRestart); err != nil || (told != "") != (len(c.want) > 0) ||
			!strings.Contains(told, strings.Join(c.want, ", ")) {
			t.Errorf("%q, %v, want %q", told, err, c.want)
		}
	}
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

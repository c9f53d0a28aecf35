package control_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"uelink/control/api"
	"uelink/control/controltest"
)

// reloading is a daemon whose reloads have the outcome done.
type reloading struct {
	done  api.Reload
	fails error
}

func (r *reloading) Reload() (api.Reload, error) { return r.done, r.fails }

// A client that asks for a reload gets the outcome, and the status has the outcome of the last reload.
func TestReload(t *testing.T) {
	d := start(t, controltest.Ports())
	if _, err := d.client.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "no configuration file") {
		t.Errorf("a daemon without a file: %v", err)
	}
	r := &reloading{}
	d.server.SetReloader(r)
	for _, errs := range [][]string{{}, {"u.yaml:3: no such key", "u.yaml:4: no such port"}, {}} {
		r.done = api.Reload{Time: time.Now(), Errors: errs}
		d.server.Reloaded(r.done)
		done, err := d.client.Reload(t.Context())
		if err != nil || !slices.Equal(done.Errors, errs) {
			t.Errorf("%+v, %v, want %q", done, err, errs)
		}
		status, err := d.client.Status(t.Context())
		if err != nil || status.LastReload == nil || !slices.Equal(status.LastReload.Errors, errs) {
			t.Errorf("%+v, %v, want the outcome %q", status.LastReload, err, errs)
		}
	}
	r.fails = errors.New("it is busy")
	if _, err := d.client.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "it is busy") {
		t.Errorf("a busy daemon: %v", err)
	}
}

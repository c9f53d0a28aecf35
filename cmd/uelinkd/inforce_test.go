package main

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"uelink/control/api"
)

// inForce asks a daemon for its configuration.
func inForce(t *testing.T, r *running) api.Configuration {
	t.Helper()
	c, err := r.client().Configuration(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// What a command has changed is in the running text. A file that has been saved can be saved again; one with something
// else in it is not read yet.
func TestConfigurationInForce(t *testing.T) {
	r := begin(t, newFakeFrames(), nil)
	r.logged("ready")
	file, err := os.ReadFile(r.config)
	if err != nil {
		t.Fatal(err)
	}
	c := inForce(t, r)
	if c.File != r.config || c.Text != string(file) || c.Running != c.Text || c.Unread || len(c.Lost) > 0 {
		t.Errorf("%+v", c)
	}
	if err := r.client().SetLogLevel(t.Context(), "error"); err != nil {
		t.Fatal(err)
	}
	saved := inForce(t, r)
	if !strings.Contains(saved.Running, "level: error") || saved.Text != string(file) || saved.Unread {
		t.Errorf("%+v", saved)
	}
	r.configure("# a comment\n" + saved.Running)
	if err := r.client().SetLogLevel(t.Context(), "debug"); err != nil {
		t.Fatal(err)
	}
	want := "# a comment\n" + strings.Replace(saved.Running, "level: error", "level: debug", 1)
	if c := inForce(t, r); c.Running != want || c.Unread {
		t.Errorf("saved again: %+v, want\n%s", c, want)
	}
	r.configure(saved.Running + "workers: 2\n")
	if c := inForce(t, r); !c.Unread || strings.Contains(c.Running, "workers") {
		t.Errorf("with something that was not read: %+v", c)
	}
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// After a reload that nobody confirmed, the text is that of the configuration before.
func TestConfigurationAfterAReloadTakenBack(t *testing.T) {
	r := begin(t, newFakeFrames(), nil, "--confirm", "2s")
	r.logged("ready")
	if err := r.client().Confirm(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := inForce(t, r).Text
	r.another("eth2")
	r.signals <- syscall.SIGHUP
	r.logged("waiting for confirmation")
	if c := inForce(t, r); !strings.Contains(c.Text, "eth2") || c.Unread {
		t.Errorf("%+v", c)
	}
	r.logged("the reload was not confirmed: the previous configuration is in force again")
	if c := inForce(t, r); c.Text != before || !c.Unread {
		t.Errorf("%+v, want\n%s", c, before)
	}
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"uelink/control"
	"uelink/control/api"
	"uelink/control/controltest"
)

// configured is a daemon with a configuration.
type configured api.Configuration

func (k *configured) Configuration() (api.Configuration, error) { return api.Configuration(*k), nil }

// fileOf is a configuration of a port with a level of the log.
func fileOf(level string) string {
	return "# ours\nlog: {level: " + level + "} # loud\nports:\n  - {name: edge0, interface: eth0, role: host}\n"
}

// startConfigured serves a daemon whose file says info, and in which a command has set another level. It returns the
// daemon, the socket, and a file as the daemon has read it.
func startConfigured(t *testing.T, level string) (k *configured, socket, file string) {
	t.Helper()
	k = &configured{Text: fileOf("info"), Running: fileOf(level)}
	socket = serveWith(t, controltest.New(nil, nil), &controltest.LLDP{},
		func(s *control.Server) { s.SetConfigured(k) })
	file = filepath.Join(t.TempDir(), "uelink.yaml")
	if err := os.WriteFile(file, []byte(k.Text), 0o640); err != nil {
		t.Fatal(err)
	}
	return k, socket, file
}

// The configuration in force is printed as a file, with what it cannot have as comments.
func TestConfigShow(t *testing.T) {
	k, socket, _ := startConfigured(t, "debug")
	k.Lost = []string{"QoS maps of port link0: because"}
	out, stderr, code := uelink(t.Context(), socket, "config", "show")
	want := fileOf("debug") + "# a configuration file cannot have this: QoS maps of port link0: because\n"
	if code != 0 || stderr != "" || out != want {
		t.Errorf("exit %d, %s\n%s", code, stderr, out)
	}
	out, _, _ = uelink(t.Context(), socket, "config", "show", "-o", "json")
	var c api.Configuration
	if err := json.Unmarshal([]byte(out), &c); err != nil || c.Text != fileOf("info") || c.File != "/etc/uelink.yaml" {
		t.Errorf("%v: %s", err, out)
	}
}

// A file is compared with what is in force, and a difference gives the exit code 1.
func TestConfigDiff(t *testing.T) {
	_, socket, file := startConfigured(t, "debug")
	out, stderr, code := uelink(t.Context(), socket, "config", "diff", file)
	if code != 1 || stderr != "" || strings.Join(strings.Fields(out), " ") !=
		"Key In force File Reload --------- -------- ---- ------ log.level debug info none" {
		t.Errorf("exit %d, %s\n%s", code, stderr, out)
	}
	_, socket, file = startConfigured(t, "info")
	out, _, code = uelink(t.Context(), socket, "config", "diff", file)
	if code != 0 || out != "There is no difference.\n" {
		t.Errorf("exit %d\n%s", code, out)
	}
	if err := os.WriteFile(file, []byte("ports: 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, stderr, code = uelink(t.Context(), socket, "config", "diff", file)
	if code != 2 || !strings.Contains(stderr, "ports") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// What is in force is written into a file, which keeps its permissions, and the keys that it changes are printed.
func TestConfigSave(t *testing.T) {
	k, socket, file := startConfigured(t, "debug")
	link := filepath.Join(t.TempDir(), "link.yaml")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	out, stderr, code := uelink(t.Context(), socket, "config", "save", link)
	if code != 0 || stderr != "" || !strings.Contains(out, "Saved in "+link) || !strings.Contains(out, "log.level") {
		t.Errorf("exit %d, %s\n%s", code, stderr, out)
	}
	text, err := os.ReadFile(file)
	st, statErr := os.Lstat(file)
	if err != nil || string(text) != fileOf("debug") || statErr != nil || st.Mode() != 0o640 {
		t.Errorf("%v, %v\n%s", err, st, text)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".*")); left != nil {
		t.Errorf("left behind: %s", left)
	}
	k.Lost = []string{"this: because", "that: because"}
	_, stderr, code = uelink(t.Context(), socket, "config", "save", filepath.Join(t.TempDir(), "new.yaml"))
	if code != 1 || !strings.Contains(stderr, "not saved: this: because\nnot saved: that: because") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if _, stderr, code := uelink(t.Context(), socket, "config", "save", "/proc/none/x"); code != 1 || stderr == "" {
		t.Errorf("a folder that is not there: exit %d, %s", code, stderr)
	}
	k.Unread = true
	_, stderr, code = uelink(t.Context(), socket, "config", "save")
	if code != 1 || !strings.Contains(stderr, "/etc/uelink.yaml has changes that the daemon has not read") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// A command whose change a reload would take back says so.
func TestChangesThatAreNotSaved(t *testing.T) {
	_, socket := startWith(t, controltest.Ports(), &controltest.LLDP{})
	for _, args := range [][]string{
		{"llr", "local", "enable", "link0"}, {"llr", "remote", "disable", "link0"}, {"cbfc", "vc", "enable", "link0", "3"},
		{"log", "level", "warn"},
	} {
		out, stderr, code := uelink(t.Context(), socket, args...)
		if code != 0 || out != "" || !strings.Contains(stderr, "uelink config save") {
			t.Errorf("%v: exit %d, %q, %q", args, code, out, stderr)
		}
	}
}

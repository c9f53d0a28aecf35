package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// programVariable makes this program print its own path, in the place of its tests.
const programVariable = "UELINK_TEST_PROGRAM"

// printProgram prints the path by which this process was started.
func printProgram() {
	path, err := programPath(os.Args[0])
	if err != nil {
		path = err.Error()
	}
	_, _ = os.Stdout.WriteString(path)
}

// The path of a program is the one that it was started by: not that of the file which a symbolic link names.
func TestPathOfTheProgram(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "uelinkd")
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		name, want string // os.Args[0], and the path; "" = the file that runs
	}{
		"a path": {link, link}, "a relative path": {"./uelinkd", link}, "a name in PATH": {"uelinkd", link},
		"another name": {"wrapped", ""}, "another program": {"/bin/sh", ""},
	} {
		cmd := exec.CommandContext(t.Context(), link)
		cmd.Args, cmd.Dir = []string{c.name}, dir
		cmd.Env = []string{programVariable + "=1", "PATH=" + dir + ":/bin"}
		got, err := cmd.Output()
		if c.want == "" {
			c.want = self
		}
		if err != nil || strings.TrimSpace(string(got)) != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}

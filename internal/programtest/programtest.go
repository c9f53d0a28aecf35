// Package programtest provides the programs uelinkd and uelink to tests that start them, and starts others for tests.
package programtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Variable is the environment variable that names a directory with uelinkd and uelink, for runs of several packages:
// the linker takes some 2 seconds of CPU time for each.
const Variable = "UELINK_PROGRAMS"

// Path returns the path of a program, uelinkd or uelink: in the directory of Variable, or built for the test.
func Path(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv(Variable)
	if dir == "" {
		dir = t.TempDir()
		if err := Build(dir, name); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%[1]s: %[2]v: run make build, or unset %[1]s", Variable, err)
	}
	return path
}

// Build compiles programs into dir, with the flags of the Makefile.
func Build(dir string, names ...string) error {
	args := []string{"build", "-trimpath", "-o", dir + "/"}
	for _, name := range names {
		args = append(args, "uelink/cmd/"+name)
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %v: %w\n%s", names, err, out)
	}
	return nil
}

// NotRoot makes a command of root run as nobody, who may read every file: tshark from 4.4 on loads no script for root.
func NotRoot(cmd *exec.Cmd) {
	if os.Geteuid() != 0 {
		return
	}
	cmd.Env = append(cmd.Environ(), "HOME=/nonexistent")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential:  &syscall.Credential{Uid: 65534, Gid: 65534},
		AmbientCaps: []uintptr{unix.CAP_DAC_READ_SEARCH},
	}
}

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"uelink/e2e/unit"
	"uelink/netns"
)

// binaries is the directory of the uelinkd and uelink built by TestMain; empty without root, when no test starts
// them.
var binaries string

func TestMain(m *testing.M) {
	unit.Main() // some processes of tests are this program
	os.Exit(run(m))
}

// run builds the programs under test once, removes the remains of a crashed run, and runs the tests.
func run(m *testing.M) int {
	if os.Geteuid() == 0 {
		dir, err := os.MkdirTemp("", "uelink-e2e-")
		if err != nil {
			return failed(err)
		}
		defer os.RemoveAll(dir)
		// A test runs a daemon from this directory without privileges.
		if err := os.Chmod(dir, 0o755); err != nil {
			return failed(err)
		}
		if err := build(dir); err != nil {
			return failed(err)
		}
		binaries = dir
		if err := netns.CleanStale(); err != nil {
			return failed(err)
		}
	}
	return m.Run()
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "e2e:", err)
	return 1
}

// build builds uelinkd and uelink in dir, as the Makefile does.
func build(dir string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-o", dir, "uelink/cmd/uelinkd", "uelink/cmd/uelink")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build uelinkd and uelink: %w\n%s", err, out)
	}
	return nil
}

// program returns the path of one of the programs.
func program(name string) string { return filepath.Join(binaries, name) }

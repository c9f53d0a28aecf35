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

// binaries is the directory of uelinkd and uelink as TestMain has built them;
// empty without root, when no test gets far enough to start them.
var binaries string

func TestMain(m *testing.M) {
	unit.Main() // some processes that tests start are this program
	os.Exit(run(m))
}

// run builds the programs under test once, and takes away what a crashed run
// left behind.
func run(m *testing.M) int {
	if os.Geteuid() == 0 {
		dir, err := os.MkdirTemp("", "uelink-e2e-")
		if err != nil {
			return failed(err)
		}
		defer os.RemoveAll(dir)
		// Others run a daemon of it without privileges.
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

// build makes uelinkd and uelink in dir, as the Makefile does.
func build(dir string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-o", dir, "uelink/cmd/uelinkd", "uelink/cmd/uelink")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build uelinkd and uelink: %w\n%s", err, out)
	}
	return nil
}

// program is the path of one of the programs.
func program(name string) string { return filepath.Join(binaries, name) }

package bed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"uelink/internal/netns"
	"uelink/internal/programtest"
	"uelink/lab/rig"
)

// programs are the programs under test.
var programs = []string{"uelinkd", "uelink", "uelink-cni"}

// Binaries is the directory of the uelinkd and uelink under test; empty without root, when no test starts them.
var Binaries string

// Main runs the tests of a package and exits with their result; the package's TestMain calls it. Before, it builds
// the programs under test, or copies them from the directory in UELINK_PROGRAMS, and removes namespaces and directories
// left by a crashed run.
func Main(m *testing.M) {
	os.Exit(run(m))
}

// run provides the programs under test, removes what a crashed run left, and runs the tests.
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
		if err := provide(dir); err != nil {
			return failed(err)
		}
		Binaries = dir
		if err := errors.Join(netns.CleanStale(), rig.CleanStale()); err != nil {
			return failed(err)
		}
	}
	return m.Run()
}

// failed prints an error, and returns the exit code 1.
func failed(err error) int {
	fmt.Fprintln(os.Stderr, "e2e:", err)
	return 1
}

// provide puts the programs into dir: copies from the directory in UELINK_PROGRAMS, or built.
func provide(dir string) error {
	from := os.Getenv(programtest.Variable)
	if from == "" {
		return programtest.Build(dir, programs...)
	}
	for _, name := range programs {
		octets, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return fmt.Errorf("%[1]s: %[2]w: build the program, or unset %[1]s", programtest.Variable, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), octets, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// Program returns the path of a program under test by its name.
func Program(name string) string { return filepath.Join(Binaries, name) }

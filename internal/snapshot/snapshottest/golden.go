package snapshottest

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"uelink/internal/snapshot"
)

var write = flag.Bool("state.write", false, "write the saved state of a machine as its next golden file")

// Golden checks that states saved by all earlier versions can be restored: Golden restores each file states/NAME-N.txt,
// N from 1, into a new machine from fresh, and compares the last file with the state that machine saves now. With flag
// -state.write, a state that differs from the last file is added as a new file.
func Golden(t *testing.T, name string, machine snapshot.Machine, fresh func() snapshot.Machine) {
	t.Helper()
	saved := snapshot.Save(name, machine)
	var last []byte
	n := 1
	for ; ; n++ {
		golden, err := os.ReadFile(goldenFile(name, n))
		if err != nil {
			break
		}
		last = golden
		if err := snapshot.Restore(name, golden, fresh()); err != nil {
			t.Errorf("%s: %v", goldenFile(name, n), err)
		}
	}
	switch {
	case bytes.Equal(saved, last):
	case *write:
		if err := os.MkdirAll(filepath.Dir(goldenFile(name, n)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(goldenFile(name, n), saved, 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the saved state differs from the last golden file: run the test with -state.write\n%s", saved)
	}
}

// goldenFile returns the path of golden file number n of the states of a name.
func goldenFile(name string, n int) string {
	return filepath.Join("states", fmt.Sprintf("%s-%d.txt", name, n))
}

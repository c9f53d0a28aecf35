package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// With too little address space the daemon says so in one line. How little that is, and from where
// on Go's own start fails, depends on the version of Go: so it is looked for.
func TestTooLittleAddressSpace(t *testing.T) {
	daemon := filepath.Join(t.TempDir(), "uelinkd")
	build := exec.Command("go", "build", "-o", daemon, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is shipped
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	refused := 0
	for mb := 1300; mb <= 2000; mb += 50 {
		cmd := exec.Command("/bin/sh", "-c", fmt.Sprintf(`ulimit -v %d; exec "$0" --version`, mb<<10), daemon)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		err := cmd.Run()
		if err == nil {
			continue
		}
		refused++
		said := strings.TrimSuffix(stderr.String(), "\n")
		if cmd.ProcessState.ExitCode() != exitPrivilege || strings.Contains(said, "\n") ||
			!strings.HasPrefix(said, fmt.Sprintf("uelinkd: too little address space: the process may use %d MiB", mb)) {
			t.Errorf("%d MiB: %v:\n%s", mb, err, said)
		}
	}
	if refused == 0 {
		t.Error("none was refused: the test shows nothing")
	}
}

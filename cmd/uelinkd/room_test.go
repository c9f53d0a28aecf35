package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"uelink/internal/programtest"
)

// With too little address space the daemon says so in one line. How little that is depends on the
// version of Go, so it is looked for, from above. Go takes 64 MiB at a time, and may want the next
// 64 before main runs: it places its heap at random, so the first may be nearly full at once. Below
// the highest limit that is refused, heapRoom less these two is where the daemon can speak for sure.
func TestTooLittleAddressSpace(t *testing.T) {
	daemon := programtest.Path(t, "uelinkd")
	const step, sure = 5, heapRoom>>20 - 2*64 // MiB
	highest := 0
	for mb := 2000; mb >= 1000 && (highest == 0 || mb > highest-sure); mb -= step {
		cmd := exec.Command("/bin/sh", "-c", fmt.Sprintf(`ulimit -v %d; exec "$0" --version`, mb<<10), daemon)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		err := cmd.Run()
		if err == nil {
			continue
		}
		highest = max(highest, mb)
		said := strings.TrimSuffix(stderr.String(), "\n")
		if cmd.ProcessState.ExitCode() != exitPrivilege || strings.Contains(said, "\n") ||
			!strings.HasPrefix(said, fmt.Sprintf("uelinkd: too little address space: the process may use %d MiB", mb)) {
			t.Errorf("%d MiB: %v:\n%s", mb, err, said)
		}
	}
	if highest == 0 {
		t.Error("none was refused: the test shows nothing")
	}
	t.Logf("%d MiB and less are too little", highest)
}

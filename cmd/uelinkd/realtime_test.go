package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"uelink/internal/programtest"
)

// uelinkd does not start in a real-time class, unless the configuration allows it. On one CPU, and ended after 20 s.
func TestRealTimeClass(t *testing.T) {
	chrt := []string{"-s", "TERM", "-k", "1", "20", "taskset", "-c", "0", "chrt", "-r", "1"}
	if err := exec.Command("timeout", append(chrt, "true")...).Run(); err != nil {
		t.Skipf("needs the right to real-time classes, taskset and chrt: %v", err)
	}
	daemon := programtest.Path(t, "uelinkd")
	socket := "control: {socket: " + filepath.Join(t.TempDir(), "s") + "}\n"
	start := func(text string) *exec.Cmd {
		return exec.Command("timeout", append(chrt, daemon, "--config", write(t, "c.yaml", text))...)
	}

	refused := start(socket)
	out, err := refused.CombinedOutput()
	if code := refused.ProcessState.ExitCode(); err == nil || code != exitUsage ||
		!strings.Contains(string(out), "uelinkd runs in the real-time class SCHED_RR") {
		t.Errorf("the daemon ends with %d: %s", code, out)
	}

	allowed := start(socket + "real_time: true\n")
	log, err := allowed.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := allowed.Start(); err != nil {
		t.Fatal(err)
	}
	text, buf := "", make([]byte, 4096)
	for !strings.Contains(text, "ready") {
		n, err := log.Read(buf)
		text += string(buf[:n])
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	if err := allowed.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := allowed.Wait(); err != nil {
		t.Errorf("%v: %s", err, text)
	}
}

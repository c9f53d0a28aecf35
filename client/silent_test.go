package client

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stopProcess stops the process of a command by SIGSTOP, and waits until it is found stopped.
func stopProcess(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); !isStopped(cmd.Process.Pid); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the stopped process is not found stopped")
		}
	}
}

// A process that is stopped is told from one that runs.
func TestIsStopped(t *testing.T) {
	if isStopped(os.Getpid()) || isStopped(0) {
		t.Error("this process is not stopped")
	}
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	stopProcess(t, cmd)
}

// Listener is the environment variable by which TestStoppedDaemon names the socket to the process that it stops.
const listener = "UELINK_TEST_LISTENER"

// A daemon that is stopped does not answer, and the error names its process and the command that lets it go on.
func TestStoppedDaemon(t *testing.T) {
	if path := os.Getenv(listener); path != "" {
		if _, err := net.Listen("unix", path); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		return
	}
	path := filepath.Join(t.TempDir(), "sock")
	cmd := exec.Command(os.Args[0], "-test.run=TestStoppedDaemon$")
	cmd.Env = append(os.Environ(), listener+"="+path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if conn, err := net.Dial("unix", path); err == nil {
			conn.Close()
			break
		}
		if time.Now().After(end) {
			t.Fatal("nobody listens")
		}
	}
	stopProcess(t, cmd)
	c := NewClient(path)
	defer c.Close()
	_, err := c.Ports(t.Context())
	var silent *SilentDaemonError
	if !errors.As(err, &silent) || !silent.Stopped || silent.ExitCode() != 4 ||
		!strings.Contains(err.Error(), "does not answer") ||
		!strings.HasSuffix(err.Error(), "type: kill -CONT "+strconv.Itoa(cmd.Process.Pid)) {
		t.Errorf("%v", err)
	}
}

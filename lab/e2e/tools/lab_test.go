package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.yaml.in/yaml/v4"

	"uelink/client"
	"uelink/internal/netns/nstest"
	"uelink/lab/demo"
	"uelink/lab/e2e/bed"
)

// labOf runs a command of `uelink lab` with JSON output, and returns standard output and standard error.
func labOf(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.Command(bed.Program("uelink"), append([]string{"-o", "json", "lab"}, args...)...)
	var problem strings.Builder
	cmd.Stderr = &problem
	out, err := cmd.Output()
	return string(out), problem.String(), err
}

// labUp starts a lab, which ends with the test.
func labUp(t *testing.T, args ...string) (l demo.Lab) {
	t.Helper()
	nstest.New(t, "root") // or skip
	t.Cleanup(func() {
		if _, stderr, err := labOf(t, "down"); err != nil {
			t.Errorf("lab down: %v: %s", err, stderr)
		}
	})
	out, stderr, err := labOf(t, append([]string{"up", "--uelinkd", bed.Program("uelinkd")}, args...)...)
	if err != nil {
		t.Fatalf("lab up: %v: %s", err, stderr)
	}
	bed.Must(t, json.Unmarshal([]byte(out), &l))
	return l
}

// noLab demands that nothing of a lab is left.
func noLab(t *testing.T, old demo.Lab) {
	t.Helper()
	left := []string{"/run/uelink-lab", fmt.Sprintf("/run/uelink-demo-%d", old.PID)}
	for name, ns := range old.Namespaces {
		left = append(left, "/run/netns/"+ns, fmt.Sprintf("/run/netns/uelink-%d-%s", old.PID, name))
	}
	for _, path := range left {
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left: %v", path, err)
		}
	}
}

// A lab stays up, is unique, carries a host's traffic under names that do not change, and leaves nothing behind.
func TestLabUpAndDown(t *testing.T) {
	l := labUp(t, "--loss", "0.05", "--vcs", "2")
	for name, socket := range l.Sockets {
		c := client.NewClient(socket)
		defer c.Close()
		if got, err := c.LLRInterface(t.Context(), "link0"); err != nil || !got.Established() {
			t.Errorf("station %s: %+v, %v", name, got, err)
		}
	}
	ping := exec.Command(bed.InstalledProgram(t, "ip", "iproute2"), "netns", "exec", l.Namespaces["hostA"],
		bed.InstalledProgram(t, "ping", "iputils-ping"), "-n", "-q", "-c", "50", "-i", "0.005", l.Addresses["hostB"])
	if out, err := ping.CombinedOutput(); err != nil || !strings.Contains(string(out), "50 received, 0% packet loss") {
		t.Errorf("ping: %v\n%s", err, out)
	}
	_, stderr, err := labOf(t, "up", "--uelinkd", bed.Program("uelinkd"))
	if err == nil || !strings.Contains(stderr, "a lab is up already: take it down by uelink lab down") {
		t.Errorf("a second lab: %v, %s", err, stderr)
	}
	if _, stderr, err := labOf(t, "down"); err != nil {
		t.Fatalf("lab down: %v: %s", err, stderr)
	}
	noLab(t, l)
	if out, _, err := labOf(t, "down"); err != nil || out != "no lab is up\n" {
		t.Errorf("down again: %v, %q", err, out)
	}
}

// The next lab removes what a killed one has left; a lab that cannot start says why, with its exit code.
func TestLabThatIsKilled(t *testing.T) {
	killed := labUp(t)
	bed.Must(t, syscall.Kill(killed.PID, syscall.SIGKILL))
	bed.Eventually(t, "the end of the killed lab", func() string {
		if syscall.Kill(killed.PID, 0) == nil {
			return "it runs"
		}
		return ""
	})
	_, stderr, err := labOf(t, "up", "--uelinkd", bed.Program("uelinkd"), "--dialect", "none")
	var exit *exec.ExitError
	const text = `{"error":"dialect \"none\": want \"seed\" or \"ue1\"","exit_code":2}` // -o json
	if !errors.As(err, &exit) || exit.ExitCode() != 2 || strings.TrimSpace(stderr) != text {
		t.Errorf("a wrong option: %v, %s", err, stderr)
	}
	next := labUp(t)
	for name := range killed.Namespaces {
		left := fmt.Sprintf("/run/netns/uelink-%d-%s", killed.PID, name)
		if _, err := os.Lstat(left); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left: %v", left, err)
		}
	}
	if _, _, err := labOf(t, "down"); err != nil {
		t.Error(err)
	}
	noLab(t, next)
}

// The steps of the example for a forge run in a shell, one after the other.
func TestExampleForCI(t *testing.T) {
	nstest.New(t, "root") // or skip
	text, err := os.ReadFile("../../../deploy/ci/uelink.yml")
	bed.Must(t, err)
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct{ Name, Run string }
		}
	}
	bed.Must(t, yaml.Unmarshal(text, &workflow))
	steps := workflow.Jobs["link"].Steps
	if len(steps) == 0 {
		t.Fatal("the example has no step")
	}
	for _, s := range steps {
		// Here is no sudo; the user is root.
		cmd := exec.CommandContext(t.Context(), "sh", "-ec", `sudo() { env "$@"; }; `+s.Run)
		cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(bed.Program("uelink"))+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if t.Logf("%s: %s\n%s", s.Name, s.Run, out); err != nil {
			t.Errorf("%s: %v", s.Run, err)
		}
	}
}

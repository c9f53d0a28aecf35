package e2e

import (
	"encoding/json"
	"os/exec"
	"strings"
)

// answer is the result of a call of uelink.
type answer struct {
	d      *daemon
	args   string
	code   int
	stdout string
	stderr string
}

// tool calls uelink for this daemon, with JSON as its output.
func (d *daemon) tool(args ...string) answer {
	d.t.Helper()
	cmd := exec.Command(program("uelink"), append([]string{"--socket", d.socket, "-o", "json"}, args...)...)
	var stdout, stderr output
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // the exit code is checked by the caller
	return answer{d, strings.Join(args, " "), cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// succeeds demands exit code 0.
func (a answer) succeeds() answer {
	a.d.t.Helper()
	if a.code != 0 {
		a.d.t.Fatalf("uelink %s: exit %d: %s", a.args, a.code, a.stderr)
	}
	return a
}

// objects returns the printed JSON: a list of objects.
func (a answer) objects() (list []map[string]any) {
	a.d.t.Helper()
	if err := json.Unmarshal([]byte(a.stdout), &list); err != nil {
		a.d.t.Fatalf("uelink %s: %v: %s", a.args, err, a.stdout)
	}
	return list
}

package bed

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
)

// Answer is the result of a call of uelink.
type Answer struct {
	d      *Daemon
	Args   string
	Code   int
	Stdout string
	Stderr string
}

// Tool runs the command uelink for this daemon, with JSON as its output format, and returns exit code and output.
func (d *Daemon) Tool(args ...string) Answer {
	d.T.Helper()
	cmd := exec.Command(Program("uelink"), append([]string{"--socket", d.Socket, "-o", "json"}, args...)...)
	var stdout, stderr Output
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // the exit code is checked by the caller
	return Answer{d, strings.Join(args, " "), cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// Succeeds ends the test unless the exit code of uelink is 0, and returns the answer.
func (a Answer) Succeeds() Answer {
	a.d.T.Helper()
	if a.Code != 0 {
		a.d.T.Fatalf("uelink %s: exit %d: %s", a.Args, a.Code, a.Stderr)
	}
	return a
}

// Objects parses the JSON that uelink printed, a list of objects. Other output ends the test.
func (a Answer) Objects() (list []map[string]any) {
	a.d.T.Helper()
	if err := json.Unmarshal([]byte(a.Stdout), &list); err != nil {
		a.d.T.Fatalf("uelink %s: %v: %s", a.Args, err, a.Stdout)
	}
	return list
}

// ToolText runs the command uelink for this daemon and returns what it prints for people (-o table). A failure
// ends the test.
func (d *Daemon) ToolText(args ...string) string {
	d.T.Helper()
	return d.Tool(append(args, "-o", "table")...).Succeeds().Stdout
}

// Down runs uelink down for this stopped daemon, in its network namespace, and returns what it prints.
func (d *Daemon) Down() string {
	d.T.Helper()
	cmd := exec.Command(Program("uelink"), "down", "--config", d.Config)
	cmd.Env = append(os.Environ(), "STATE_DIRECTORY="+d.Rig.State)
	return Run(d.T, d.NS, cmd)
}

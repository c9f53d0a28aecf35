package guest

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"

	"uelink/internal/netns"
)

// refusal is the error of a program that has failed: the command, and its output.
type refusal struct{ doing, text string }

func (r refusal) Error() string { return r.doing + ": " + r.text }

// run1 runs a program in a namespace, and waits for its end. It returns a refusal with the program's output unless the
// exit code is 0.
func run1(ns *netns.NS, name string, args ...string) error {
	var text bytes.Buffer
	cmd := exec.Command("/bin/"+name, args...)
	cmd.Stdout, cmd.Stderr = &text, &text
	err := ns.Run(cmd)
	if errors.As(err, new(*exec.ExitError)) {
		return refusal{name + " " + strings.Join(args, " "), fmt.Sprintf("%v %s", err, oneLine(text.String()))}
	}
	return err
}

// oneLine returns a text with its lines joined by blanks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// process is a program that runs in a namespace.
type process struct {
	cmd   *exec.Cmd
	log   *output
	ended chan struct{} // closed when the program has ended
}

// start starts a program in a namespace with the environment env (nil: the guest's own), and does not wait for its end.
// The program's output goes to log.
func start(ns *netns.NS, log *output, env []string, name string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command("/bin/"+name, args...), log: log, ended: make(chan struct{})}
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = env, log, log
	if err := ns.Start(p.cmd); err != nil {
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait() // cmd.ProcessState has the result
		close(p.ended)
	}()
	return p, nil
}

// kill kills the process and waits for its end.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.ended
}

// output keeps the output of processes, and may be read meanwhile.
type output struct {
	mu   sync.Mutex
	text []byte
}

// Write appends b to the kept output. The error is always nil.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, b...)
	return len(b), nil
}

// clear deletes all output kept so far.
func (o *output) clear() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = nil
}

// tail returns the last lines of the kept output, at most lines of them.
func (o *output) tail(lines int) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := strings.Split(strings.TrimSpace(string(o.text)), "\n")
	return all[max(0, len(all)-lines):]
}

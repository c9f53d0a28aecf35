package guest

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"

	"uelink/netns"
)

// refusal is an error of a tool: what was to be done, and what it wrote.
type refusal struct{ doing, text string }

func (r refusal) Error() string { return r.doing + ": " + r.text }

// run1 runs a program in a namespace to its end.
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

// oneLine is a text with its lines one after the other.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// process is a program that runs in a namespace.
type process struct {
	cmd   *exec.Cmd
	said  *output
	ended chan struct{} // closed when it has ended
}

func start(ns *netns.NS, said *output, env []string, name string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command("/bin/"+name, args...), said: said, ended: make(chan struct{})}
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = env, said, said
	if err := ns.Start(p.cmd); err != nil {
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait() // how it ended is in cmd.ProcessState
		close(p.ended)
	}()
	return p, nil
}

// kill ends it at once and waits for that.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.ended
}

// output keeps what processes write, while others may read it.
type output struct {
	mu   sync.Mutex
	text []byte
}

// Write never fails.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, b...)
	return len(b), nil
}

// clear forgets what was written.
func (o *output) clear() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = nil
}

// tail is the last lines.
func (o *output) tail(lines int) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := strings.Split(strings.TrimSpace(string(o.text)), "\n")
	return all[max(0, len(all)-lines):]
}

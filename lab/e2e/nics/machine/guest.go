package machine

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Config describes a virtual machine.
type Config struct {
	Image  Image
	NICs   []NIC
	Dir    string                // directory for its sockets and the text of its console
	Start  func(*exec.Cmd) error // nil: (*exec.Cmd).Start; another function may start QEMU in a namespace
	CPUs   int
	Memory int // MiB
}

// Guest is a running virtual machine, for use by one goroutine at a time.
type Guest struct {
	config  Config
	process *exec.Cmd
	monitor *monitor
	line    net.Conn // connection to the guest's second serial port
	lines   chan line
	ended   chan error
}

// line is a line from the guest, or the error that ended the connection.
type line struct {
	text []byte
	err  error
}

// unread is the capacity for lines not received yet, far above the number of lines of a guest.
const unread = 4096

// Boot starts a virtual machine (guest) by QEMU and connects to it, without waiting until it has booted. The guest
// ends when ctx ends.
func Boot(ctx context.Context, r Room, c Config) (*Guest, error) {
	args, err := c.arguments(r)
	if err != nil {
		return nil, err
	}
	g := &Guest{config: c, process: r.command(ctx, "usr/bin/qemu-system-x86_64", args...), ended: make(chan error, 1)}
	g.process.Dir = c.Dir
	stderr, err := os.Create(filepath.Join(c.Dir, "qemu"))
	if err != nil {
		return nil, err
	}
	defer stderr.Close()
	g.process.Stderr = stderr
	start := c.Start
	if start == nil {
		start = (*exec.Cmd).Start
	}
	if err := start(g.process); err != nil {
		return nil, err
	}
	go func() { g.ended <- g.process.Wait() }()
	if err := g.connect(); err != nil {
		return nil, errors.Join(err, g.Close(), c.complaint())
	}
	return g, nil
}

// arguments returns QEMU's command line. The first serial port is the kernel's console, the second the line between
// guest and host. The kernel stops the machine after a panic. no_timer_check: the kernel's check of its timer fails
// on a busy host.
func (c Config) arguments(r Room) ([]string, error) {
	args := []string{
		"-L", filepath.Join(r.Dir, "usr/share/qemu"), "-L", filepath.Join(r.Dir, "usr/share/seabios"),
		"-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max",
		"-smp", fmt.Sprint(c.CPUs), "-m", fmt.Sprint(c.Memory),
		"-nodefaults", "-display", "none", "-no-reboot",
		"-kernel", c.Image.Kernel.image(), "-initrd", c.Image.file,
		"-append", "console=ttyS0 panic=-1 quiet loglevel=5 mitigations=off no_timer_check",
		"-serial", "file:console",
		"-chardev", "socket,id=line,path=line,server=on,wait=off", "-serial", "chardev:line",
		"-qmp", "unix:monitor,server=on,wait=off",
	}
	for i, n := range c.NICs {
		more, err := n.arguments(i)
		if err != nil {
			return nil, err
		}
		args = append(args, more...)
	}
	return args, nil
}

// connect connects to the guest's serial line and to QEMU's monitor, whose sockets appear soon after QEMU has
// started.
func (g *Guest) connect() error {
	link, err := g.dial("monitor")
	if err != nil {
		return err
	}
	if g.monitor, err = newMonitor(link); err != nil {
		return err
	}
	if g.line, err = g.dial("line"); err != nil {
		return err
	}
	g.lines = make(chan line, unread)
	go g.listen()
	return nil
}

// dialPatience bounds the wait for QEMU's sockets.
const dialPatience = 20 * time.Second

// dial connects to a socket of QEMU, which makes it some time after its start.
func (g *Guest) dial(name string) (conn net.Conn, err error) {
	for deadline := time.Now().Add(dialPatience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if conn, err = net.Dial("unix", filepath.Join(g.config.Dir, name)); err == nil {
			return conn, nil
		}
		select {
		case err := <-g.ended:
			g.ended <- err // for Close
			return nil, fmt.Errorf("QEMU has ended: %w", err)
		default:
		}
	}
	return nil, fmt.Errorf("QEMU: %w", err)
}

// complaint returns what QEMU has written to standard error as an error; nil if that is nothing.
func (c Config) complaint() error {
	text, err := os.ReadFile(filepath.Join(c.Dir, "qemu"))
	if err != nil || len(text) == 0 {
		return err
	}
	return errors.New(string(text))
}

// Send sends v as a line of JSON to the guest.
func (g *Guest) Send(v any) error {
	if err := json.NewEncoder(g.line).Encode(v); err != nil {
		return fmt.Errorf("write to the guest: %w", err)
	}
	return nil
}

// listen receives lines of the guest until the connection closes, and keeps them for Receive. It must run all the
// time: QEMU writes each octet by itself, a socket holds only some hundred such writes, and then the guest would
// block.
func (g *Guest) listen() {
	for r := bufio.NewReader(g.line); ; {
		text, err := r.ReadBytes('\n')
		g.lines <- line{text, err}
		if err != nil {
			close(g.lines)
			return
		}
	}
}

// Receive waits at most patience for the guest's next object, and decodes it into v.
func (g *Guest) Receive(v any, patience time.Duration) error {
	select {
	case line, more := <-g.lines:
		if !more || errors.Is(line.err, io.EOF) {
			return errors.New("the guest has ended")
		}
		return line.object(v)
	case <-time.After(patience):
		return fmt.Errorf("the guest has said nothing for %v", patience)
	}
}

// object decodes a line received from the guest, a JSON object, into v. It returns the error of receiving, if any.
func (l line) object(v any) error {
	if l.err != nil {
		return l.err
	}
	if err := json.Unmarshal(l.text, v); err != nil {
		return fmt.Errorf("the guest says %q: %w", l.text, err)
	}
	return nil
}

// Wait waits at most patience until the guest has switched itself off.
func (g *Guest) Wait(patience time.Duration) error {
	select {
	case err := <-g.ended:
		g.ended <- err // for Close, which waits too
		return err
	case <-time.After(patience):
		return fmt.Errorf("the guest still runs after %v", patience)
	}
}

// Console returns all output of the guest's kernel and programs so far.
func (g *Guest) Console() (string, error) {
	text, err := os.ReadFile(filepath.Join(g.config.Dir, "console"))
	return string(text), err
}

// Close kills the guest's QEMU process and waits for its end.
func (g *Guest) Close() error {
	if g.line != nil {
		g.line.Close()
	}
	if g.monitor != nil {
		g.monitor.link.Close()
	}
	if err := g.process.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-g.ended // no error to report: killed, or ended by itself
	return nil
}

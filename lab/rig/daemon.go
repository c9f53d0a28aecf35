package rig

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"uelink/client"
	"uelink/internal/netns"
)

// Daemon is a uelinkd with its files, in a directory for each daemon. The process may be started several times.
type Daemon struct {
	*Process // nil before Start

	Config string         // path of the configuration file
	Socket string         // path of the API's socket
	State  string         // directory of its records
	Run    string         // runtime directory, in tmpfs: the bookmarks of the links. Close removes it
	Client *client.Client // client of Socket; Close closes it
}

// tmpfs is the directory of the daemons' runtime directories.
const tmpfs = "/dev/shm"

// runPrefix returns the beginning of the names of the runtime directories that a process makes.
func runPrefix(pid int) string { return "uelink-" + strconv.Itoa(pid) + "-" }

// RemoveOf removes the runtime directories of a process that has ended without Close.
func RemoveOf(pid int) error {
	left, err := filepath.Glob(filepath.Join(tmpfs, runPrefix(pid)+"*"))
	problems := []error{err}
	for _, dir := range left {
		problems = append(problems, os.RemoveAll(dir))
	}
	return errors.Join(problems...)
}

// CleanStale removes the runtime directories of all processes that have ended without Close.
func CleanStale() error {
	left, err := filepath.Glob(filepath.Join(tmpfs, "uelink-*-*"))
	problems := []error{err}
	for _, dir := range left {
		number, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), "uelink-"), "-")
		pid, err := strconv.Atoi(number)
		if err == nil && pid > 0 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			problems = append(problems, os.RemoveAll(dir))
		}
	}
	return errors.Join(problems...)
}

// NewDaemon makes the directory dir if it does not exist, and writes the configuration text(socket) into it, where
// socket is the path of the API in dir. It makes the daemon's runtime directory and a client, and starts no process.
func NewDaemon(dir string, text func(socket string) string) (*Daemon, error) {
	d := &Daemon{Config: filepath.Join(dir, "uelink.yaml"), Socket: filepath.Join(dir, "api"),
		State: filepath.Join(dir, "state")}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("directory of a daemon: %w", err)
	}
	if err := d.Write(text(d.Socket)); err != nil {
		return nil, err
	}
	run, err := os.MkdirTemp(tmpfs, runPrefix(os.Getpid()))
	if err != nil {
		return nil, fmt.Errorf("runtime directory of a daemon: %w", err)
	}
	d.Run, d.Client = run, client.NewClient(d.Socket)
	return d, nil
}

// Write replaces the text of the daemon's configuration file.
func (d *Daemon) Write(text string) error {
	if err := os.WriteFile(d.Config, []byte(text), 0o644); err != nil {
		return fmt.Errorf("configuration of a daemon: %w", err)
	}
	return nil
}

// Command returns the command that starts the daemon. program is the path of uelinkd, after the words that start it,
// such as taskset -c 1. The daemon keeps its records in State.
func (d *Daemon) Command(program ...string) *exec.Cmd {
	cmd := exec.Command(program[0], append(program[1:len(program):len(program)], "--config", d.Config)...)
	cmd.Env = append(os.Environ(), "STATE_DIRECTORY="+d.State, "RUNTIME_DIRECTORY="+d.Run)
	return cmd
}

// Start starts a command made by Command in a namespace, and does not wait until the daemon is ready: ask Client.
// name is the process's name in messages. The daemon and its successors have a process group of their own.
func (d *Daemon) Start(ns *netns.NS, name string, cmd *exec.Cmd) (err error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	d.Process, err = Start(ns, name, cmd)
	return err
}

// Close closes the client of the API and removes the runtime directory. The process goes on: Stop or Kill ends it.
func (d *Daemon) Close() {
	d.Client.Close()
	_ = os.RemoveAll(d.Run) // a directory left behind costs a page of memory
}

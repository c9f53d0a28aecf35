package rig

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"uelink/control"
	"uelink/netns"
)

// Daemon is a uelinkd with its files, all of them in one directory. It may be started several times in its life.
type Daemon struct {
	*Process // nil until Start

	Config string          // the configuration file
	Socket string          // of the API
	State  string          // directory of its records
	Run    string          // directory of tmpfs in which it keeps how far its links have come; Close removes it
	Client *control.Client // asks Socket; Close closes it
}

// tmpfs is where the runtime directories of daemons are made.
const tmpfs = "/dev/shm"

// NewDaemon makes a directory, where it is not there yet, and writes the configuration that text gives for a socket
// in it. Nothing is started.
func NewDaemon(dir string, text func(socket string) string) (*Daemon, error) {
	d := &Daemon{Config: filepath.Join(dir, "uelink.yaml"), Socket: filepath.Join(dir, "api"),
		State: filepath.Join(dir, "state")}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("directory of a daemon: %w", err)
	}
	if err := d.Write(text(d.Socket)); err != nil {
		return nil, err
	}
	run, err := os.MkdirTemp(tmpfs, "uelink-")
	if err != nil {
		return nil, fmt.Errorf("runtime directory of a daemon: %w", err)
	}
	d.Run, d.Client = run, control.NewClient(d.Socket)
	return d, nil
}

// Write replaces the configuration file.
func (d *Daemon) Write(text string) error {
	if err := os.WriteFile(d.Config, []byte(text), 0o644); err != nil {
		return fmt.Errorf("configuration of a daemon: %w", err)
	}
	return nil
}

// Command is the command line that starts the daemon: program is uelinkd, behind what it is started by, such as
// taskset -c 1. Its records go to State.
func (d *Daemon) Command(program ...string) *exec.Cmd {
	cmd := exec.Command(program[0], append(program[1:len(program):len(program)], "--config", d.Config)...)
	cmd.Env = append(os.Environ(), "STATE_DIRECTORY="+d.State, "RUNTIME_DIRECTORY="+d.Run)
	return cmd
}

// Start starts a command that Command has made. It waits for nothing: who needs the daemon to be ready asks Client.
func (d *Daemon) Start(ns *netns.NS, name string, cmd *exec.Cmd) (err error) {
	d.Process, err = Start(ns, name, cmd)
	return err
}

// Close closes the client, and removes the runtime directory. The process is ended by Stop or Kill.
func (d *Daemon) Close() {
	d.Client.Close()
	_ = os.RemoveAll(d.Run) // what is left of it takes a page of memory
}

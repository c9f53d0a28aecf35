package main

import (
	"os"
	"os/exec"
	"path/filepath"

	"uelink/control/api"
)

// programPath returns the absolute path by which this process was started, name (os.Args[0]) as the shell or service
// manager has found it. /proc/self/exe follows the file instead: when the file was renamed, to install another one in
// its place, or when the path is a symbolic link that now names another file, it still names the former program.
func programPath(name string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return self, nil
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	started, err := os.Stat(path)
	if err != nil {
		return self, nil
	}
	running, err := os.Stat("/proc/self/exe")
	if err != nil || !os.SameFile(started, running) {
		return self, nil // the name leads to another program: a wrapper chose the name
	}
	return path, nil
}

// programs describes the program of this process, with the path own, and the program binary at path, which becomes the
// successor.
func programs(own string, binary *os.File, path string) (done api.Upgraded, err error) {
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return done, err
	}
	defer self.Close()
	done.Former = api.RunningProgram{Version: api.Version(), Program: own, PID: os.Getpid()}
	done.New.Program = path
	if done.Former.SHA256, err = digest(self); err != nil {
		return done, err
	}
	done.New.SHA256, err = digest(binary)
	return done, err
}
